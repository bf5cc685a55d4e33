// SPDX-License-Identifier: Apache-2.0
// The module for `import`; `require` gives the same objects.
import surety from "./index.cjs";

export const { Contract, InvalidReply, Outcome, RunFailed, RunItems, RunResult,
  Stream, SuretyError, contract, contracts, extract, run, runItems, tool,
  validate, version } = surety;
export default surety;
