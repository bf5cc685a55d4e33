// SPDX-License-Identifier: Apache-2.0
// A model server for the tests: `surety mock`, the tool that SURETY names.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const KEY = "sk-canary-4f1c9a7be2d08356";
export const FOLDER = mkdtempSync(join(tmpdir(), "surety-node-"));

let count = 0;

// Starts it with replies and ends it after the work, which gets its
// configuration.
export async function mocked(replies, work) {
  const script = join(FOLDER, `script-${count++}.json`);
  writeFileSync(script, JSON.stringify({ replies, require_key: KEY }));
  const server = spawn(process.env.SURETY ?? "surety", ["mock", "--script",
    script, "--port", "0", "--quiet", "--for", "60"],
  { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await Promise.race([
      createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()
        .then((it) => [it.value]),
      new Promise((_, reject) => server.once("error", reject))]);
    const url = /http:\S+/.exec(line)[0];
    return await work({ providers: { mock: { protocol: "openai",
      base_url: `${url.replace(/\/$/, "")}/v1`, key_env: "MOCK_KEY" } },
    retry: { first: 0.01, most: 0.05 } });
  } finally {
    server.kill();
  }
}
