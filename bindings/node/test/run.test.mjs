// SPDX-License-Identifier: Apache-2.0
// Runs over HTTP, from recordings and by commands; cancelled, and with events.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { RunFailed, SuretyError, contract, run } from "surety";
import { FOLDER, KEY, mocked } from "./mock.mjs";

const env = { MOCK_KEY: KEY, HOME: FOLDER, PATH: process.env.PATH };
const MESSAGE = contract("simple/message");
const HELLO = { json: { message: "Hello" } };
const BAD = { json: { massage: "Hello" } };
const SLOW = "exec:sleep 20; echo '{\"message\": \"late\"}'";

function ask(config, options) {
  return run({ contract: MESSAGE, prompt: "Say hello", models: "mock:small",
    config, env, ledger: "none", ...options });
}

test("a run gives the value, and what it cost", () => mocked([HELLO],
  async (config) => {
    const result = await ask(config);
    assert.deepEqual([result.ok, result.verdict, result.value],
      [true, "valid", { message: "Hello" }]);
    assert.deepEqual(result.parsed, result.outcome.parsed);
    assert.equal(typeof result.usage.input_tokens, "number");
    assert.match(result.id, /^[0-9a-f-]{36}$/);
    assert.equal(result.attempts.length, 1);
    assert.equal(result.report("text"), "");
    assert.match(result.log, /valid/);
    assert.equal(contract("surety/report").check(result.report("json")).ok,
      true);
    assert.ok(!result.report("json").includes(KEY));
  }));

test("limits: the configuration's, and the contract's over them",
  async () => {
    const config = { limits: { depth_max: 2 } };
    const ok = async (limits, it) => (await run({ prompt: "x", config: it, env,
      contract: contract({ type: "object" }, { name: "t", limits }),
      models: "exec:echo '{\"a\": [[1]]}'", ledger: "none", retries: 0 })).ok;

    assert.equal(await ok({}, config), false);
    assert.equal(await ok({ valuesMax: 100 }, config), false);
    assert.equal(await ok({ depthMax: 9 }, config), true);
    assert.equal(await ok({}, {}), true);
  });

test("a faulty reply is asked for again, and the events tell it", () =>
  mocked([BAD, HELLO], async (config) => {
    const events = [];
    const result = await ask(config, { onEvent: (it) => events.push(it) });
    assert.deepEqual(result.attempts.map((it) => it.purpose),
      ["ask", "re-ask"]);
    assert.deepEqual(events.filter((it) => it.kind === "attempt")
      .map((it) => it.attempt), [1, 2]);
    assert.equal(events.filter((it) => it.kind === "text" && it.attempt === 2)
      .map((it) => it.text).join(""), result.replyLast);
    assert.match(events.at(-1).text, /valid/);
    assert.match(result.replyFirst, /massage/);
  }));

test("a run that is rejected resolves, and parsed throws", () =>
  mocked([{ ...BAD, repeat: true }], async (config) => {
    const result = await ask(config, { retries: 1, feedback: "simple" });
    assert.deepEqual([result.ok, result.verdict, result.value,
      result.attempts.length], [false, "rejected", undefined, 2]);
    assert.equal(result.outcome.errors[0].keyword, "required");
    assert.match(result.report("text"), /error\[required\]/);
    assert.match(result.outcome.report("text"), /error\[required\]/);
    assert.throws(() => result.parsed, (error) => error instanceof RunFailed &&
      error.result === result && error.message === result.message);
    assert.equal((await ask(config, { retries: 0 })).attempts.length, 1);
  }));

test("the provider's failures, and the budget", () => mocked(
  [{ status: 401, repeat: true }], async (config) => {
    const result = await ask(config);
    assert.deepEqual([result.ok, result.verdict, result.outcome],
      [false, "provider", undefined]);
    assert.equal(result.attempts[0].failure, "auth");
    assert.notEqual(result.message, "");
    const wrongKey = await ask(config, { env: { ...env, MOCK_KEY: "sk-no-one" } });
    assert.equal(wrongKey.verdict, "provider");
    const spent = await mocked([{ ...BAD, repeat: true }], (it) =>
      ask(it, { budget: { calls: 2 }, retries: 9 }));
    assert.deepEqual([spent.verdict, spent.attempts.length], ["budget", 2]);
    await assert.rejects(ask(config, { budget: { dollars: 0.01 } }),
      { status: "misuse" });
  }));

test("a run is recorded and played again, without a key", async () => {
  const record = join(FOLDER, "recording.jsonl");
  const config = await mocked([BAD, HELLO], async (it) => {
    await ask(it, { record });
    return it;
  });
  assert.ok(!readFileSync(record, "utf8").includes(KEY));
  for (const replay of [record, readFileSync(record)]) {
    const result = await ask(config, { replay, env: {} });
    assert.deepEqual([result.value, result.attempts.length],
      [{ message: "Hello" }, 2]);
  }
  const played = await run({ contract: MESSAGE, prompt: "x", config: {}, env,
    ledger: "none", models: `replay:${record}` });
  assert.deepEqual(played.value, { message: "Hello" });
  await assert.rejects(ask(config, { replay: join(FOLDER, "none") }),
    { code: "ENOENT" });
  await assert.rejects(ask(config, { replay: Buffer.from("{") }),
    { status: "syntax", line: 1 });
  await assert.rejects(ask(config, { replay: Buffer.alloc(0), env: {} }),
    SuretyError);
  await assert.rejects(ask(config, { record: join(FOLDER, "no", "file") }),
    { status: "io" });
});

test("an answer is given though its recording cannot be written", () =>
  mocked([BAD, HELLO], async (it) => {
    const result = await ask(it, { record: "/dev/full" });
    assert.deepEqual([result.verdict, result.value],
      ["valid", { message: "Hello" }]);
    assert.equal(result.recordingError.status, "io");
  }));

test("a ledger, as a file", () => mocked([HELLO], async (config) => {
  const ledger = join(FOLDER, "ledger.db");
  await ask(config, { ledger, ledgerRaw: true });
  assert.ok(existsSync(ledger));
  await assert.rejects(ask(config, { ledger: FOLDER }), { status: "io" });
}));

test("system, styles, modes, temperature, tokens and patches", () => mocked(
  [{ when: { contains: "TypeScript form" }, ...HELLO }, { json: { message: 1 } },
    { json: [{ op: "replace", path: "/message", value: "Corrected" }] }],
  async (config) => {
    const first = await ask(config, { system: "Be brief", style: "typescript",
      instructSystem: true, mode: "prompt", temperature: 0.5, outputTokensMax: 99, whole: true,
      timeouts: { total: 30, idle: 5.5 }, backoff: { retries: 0, first: 0.1 } });
    assert.equal(first.value.message, "Hello");
    assert.equal(first.attempts[0].mode, "prompt");
    const second = await ask(config, { feedback: "patch", mode: "prompt" });
    assert.equal(second.value.message, "Corrected");
    assert.equal(second.attempts[1].purpose, "patch");
  }));

test("without a contract the reply is the value", async () => {
  const result = await run({ prompt: "x", config: {}, env, ledger: "none",
    models: "exec:cat" });
  assert.deepEqual([result.ok, result.value, result.outcome],
    [true, "x", undefined]);
});

test("a consensus", async () => {
  const members = new Set();
  const models = ["a", "b", "a"].map((it) =>
    `exec:echo '{"message": "${it}"}'`);
  const result = await ask({}, { models, consensus: "vote",
    onEvent: (it) => members.add(it.member) });
  assert.deepEqual([result.ok, result.value], [true, { message: "a" }]);
  assert.deepEqual([...members].sort(), [0, 1, 2]);
  assert.equal(result.details.members.length, 3);
  assert.equal(contract("surety/consensus").check(result.report("json")).ok,
    true);
  assert.throws(() => result.report("sarif"), TypeError);
  const fastest = await ask({}, { models: [SLOW, models[0]],
    consensus: { kind: "fastest" } });
  assert.equal(fastest.value.message, "a");
  await assert.rejects(ask({}, { models, consensus: { kind: "vote",
    quorum: 9 } }), { status: "misuse" });
});

test("models and configurations that are wrong are reported", async () => {
  for (const [options, status] of [[{ models: "nobody" }, "syntax"],
    [{ models: [] }, "misuse"], [{ env: {} }, "unsupported"],
    [{ config: { nobody: 1 } }, "syntax"],
    [{ config: join(FOLDER, "none.json") }, "io"]])
    await assert.rejects(ask({ providers: { mock: { protocol: "openai",
      base_url: "http://127.0.0.1:1/v1", key_env: "MOCK_KEY" } } }, options),
    (error) => error instanceof SuretyError && error.status === status);
  const file = join(FOLDER, "surety.json");
  writeFileSync(file, JSON.stringify({ default: "echo", models: { echo: {
    provider: "exec", model: "cat" } } }).replace(
    /"models":.*/, "}").replace(",}", "}").replace('"echo"', '"exec:cat"'));
  const result = await run({ prompt: "by default", config: file, env,
    ledger: "none" });
  assert.equal(result.value, "by default");
});

test("wrong options are a TypeError", async () => {
  for (const options of [{ prompt: undefined }, { models: 7 },
    { models: ["a", undefined] }, { onEvent: "x" }, { budget: { call: 1 } },
    { budget: { dollars: -1 } }, { consensus: "most" }, { consensus: {} },
    { retries: -1 }, { mode: "fast" }, { temperature: "hot" },
    { config: 7 }, { ledger: "a\0b" }, { retires: 2 }, { repair: "all" }])
    await assert.rejects(ask({}, options), TypeError, JSON.stringify(options));
});

test("a signal cancels, at once", async () => {
  const started = performance.now();
  const gone = new AbortController();
  gone.abort(new RangeError("before"));
  await assert.rejects(ask({}, { models: SLOW, signal: gone.signal }),
    RangeError);
  const controller = new AbortController();
  const waiting = ask({}, { models: SLOW, signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await assert.rejects(waiting, { name: "AbortError" });
  await assert.rejects(ask({}, { models: SLOW,
    signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  assert.ok(performance.now() - started < 5000);
  const after = new AbortController();
  assert.equal((await ask({}, { signal: after.signal,
    models: "exec:echo '{\"message\": \"x\"}'" })).ok, true);
  after.abort();
});

test("what a listener throws ends the run", async () => {
  const started = performance.now();
  await assert.rejects(ask({}, { models: SLOW, onEvent() {
    throw new RangeError("mine");
  } }), RangeError);
  assert.ok(performance.now() - started < 5000);
});

test("many runs at once do not wait for each other", async () => {
  const started = performance.now();
  const results = await Promise.all(Array.from({ length: 12 }, (_, i) =>
    ask({}, { models: `exec:sleep 0.4; echo '{"message": "${i}"}'` })));
  assert.deepEqual(results.map((it) => it.value.message),
    results.map((_, i) => String(i)));
  assert.ok(performance.now() - started < 3500);
});

test("the garbage collector while a run is under way", async () => {
  const waiting = Array.from({ length: 4 }, () => contract("simple/message")
    .run({ prompt: "x", config: {}, env, ledger: "none",
      models: "exec:sleep 0.3; echo '{\"message\": \"x\"}'" }));
  for (let i = 0; i < 20; i++) {
    globalThis.gc?.();
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.ok((await Promise.all(waiting)).every((it) => it.ok));
});
