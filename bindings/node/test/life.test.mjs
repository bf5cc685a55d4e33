// SPDX-License-Identifier: Apache-2.0
// Memory, workers, and ends in the middle of it. Run with --expose-gc.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { contract } from "surety";

const PERSON = { type: "object", required: ["name"], properties: {
  name: { type: "string" }, age: { type: "integer" } } };
const REPLIES = ['So: {"name": "Ada", "age": 36}.', '{"name": 1}', "nothing",
  "{'name': 'Ada', age: \"3\",}"];
// Sanitizers keep what was freed, and tell of leaks themselves.
const SANITIZED = /asan|libclang_rt/.test(process.env.LD_PRELOAD ?? "");

async function megabytes(work) {
  const before = async () => {
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await new Promise((done) => setImmediate(done));
    }
    return process.memoryUsage().rss / 1e6;
  };
  await work();
  const start = await before();
  await work();
  return await before() - start;
}

test("20,000 checks take no memory", { skip: SANITIZED }, async () => {
  const person = contract(PERSON);
  const grown = await megabytes(() => {
    for (let i = 0; i < 20000; i++)
      person.check(REPLIES[i % 4], { repair: i % 8 < 4 ? "none" : "align" });
  });
  assert.ok(grown < 16, `${grown.toFixed(1)} MB`);
});

test("contracts, streams and reports are freed", { skip: SANITIZED },
  async () => {
    const grown = await megabytes(async () => {
      for (let i = 0; i < 2000; i++) {
        const person = contract(PERSON);
        const stream = person.stream();
        stream.write(REPLIES[i % 4]);
        if (i % 3)
          stream.end().report("text");
        if (i % 100 === 0)
          await new Promise((done) => setImmediate(done));
      }
    });
    assert.ok(grown < 24, `${grown.toFixed(1)} MB`);
  });

test("a contract lives as long as its streams and outcomes", async () => {
  const streams = Array.from({ length: 50 }, () => contract(PERSON).stream());
  globalThis.gc?.();
  await new Promise((done) => setImmediate(done));
  globalThis.gc?.();
  for (const stream of streams) {
    stream.write('{"name": ');
    stream.write("7}");
    const outcome = stream.end();
    globalThis.gc?.();
    assert.match(outcome.report("text"), /error\[type\]/);
    assert.match(outcome.retryPrompt("x"), /at \/name/);
  }
});

const WORK = `
const { parentPort } = require("node:worker_threads");
const { createRequire } = require("node:module");
const { contract, run, SuretyError } = createRequire(${JSON.stringify(
    import.meta.url)})("surety");
`;

function worker(code) {
  return new Worker(WORK + code, { eval: true });
}

function answer(it) {
  return new Promise((done, fail) => {
    it.once("message", done);
    it.once("error", fail);
  });
}

test("several workers at once, each with errors of its own", async () => {
  const workers = Array.from({ length: 4 }, (_, i) => worker(`
    const person = contract(${JSON.stringify(PERSON)});
    let ok = 0;
    for (let i = 0; i < 2000; i++)
      ok += person.check(i % 2 ? '{"name": "a"}' : '{"name": 1}').ok;
    try {
      contract("none");
    } catch (error) {
      ok += error instanceof SuretyError;
    }
    parentPort.postMessage(ok + ${i});`));
  assert.deepEqual(await Promise.all(workers.map(answer)),
    [1001, 1002, 1003, 1004]);
});

test("a worker that is ended in the middle of its runs", async () => {
  const started = performance.now();
  for (let i = 0; i < 4; i++) {
    const it = worker(`
      const ask = () => run({ prompt: "x", config: {}, ledger: "none",
        onEvent() { parentPort.postMessage("begun"); },
        models: "exec:for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 1; done" });
      Promise.all([ask(), ask()]);`);
    await answer(it);
    assert.equal(await it.terminate(), 1);
  }
  assert.ok(performance.now() - started < 15000);
});

function child(code, ...flags) {
  return spawnSync(process.execPath, [...flags, "-e", WORK + code],
    { encoding: "utf8", timeout: 30000 });
}

test("process.exit in the middle of a run", () => {
  const { status, signal, stderr } = child(`
    run({ prompt: "x", config: {}, ledger: "none", models: "exec:sleep 20" });
    setTimeout(() => process.exit(7), 300);`);
  assert.deepEqual([status, signal], [7, null], stderr);
});

test("an exception that nobody catches", () => {
  const { status, signal, stderr } = child(`
    run({ prompt: "x", config: {}, ledger: "none", models: "exec:sleep 20" });
    setTimeout(() => { throw new RangeError("mine"); }, 300);`);
  assert.deepEqual([status, signal], [1, null], stderr);
  assert.match(stderr, /RangeError: mine/);
});

test("a run keeps the process until it has ended", () => {
  const { status, stdout } = child(`
    run({ prompt: "x", config: {}, ledger: "none", models: "exec:sleep 0.5; cat" })
      .then((it) => console.log(it.value));`);
  assert.deepEqual([status, stdout], [0, "x\n"]);
});
