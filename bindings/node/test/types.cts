// SPDX-License-Identifier: Apache-2.0
// The same from CommonJS.
import surety = require("surety");

const outcome: surety.Outcome<{ n: number }> =
  surety.contract<{ n: number }>({ type: "object" }).check("{}");
const issues: surety.Issue[] = outcome.errors;
void [issues, surety.version];
