// SPDX-License-Identifier: Apache-2.0
// The types of the module for `import`: those of `require` are in
// index.d.cts, which is the reference.
import * as surety from "./index.cjs";

export * from "./index.cjs";
export default surety;
