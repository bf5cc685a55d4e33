// SPDX-License-Identifier: Apache-2.0
// Models that are functions. The law: whatever a function does, the run ends
// with its answer or with a class of failure, and its signal is aborted when
// nothing more of it is wanted.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { run } from "surety";
import { FOLDER } from "./mock.mjs";

const COUNT = { type: "object", required: ["n"], additionalProperties: false,
  properties: { n: { type: "integer" } } };
const SCHEMA_TEXT = /satisfies this JSON Schema/;
const FOREVER = new Promise(() => {});
const quick = { first: 0.01, most: 0.02 };
const env = { HOME: FOLDER, PATH: process.env.PATH };

function ask(model, options) {
  return run({ contract: COUNT, prompt: "Count", model, config: {}, env,
    ledger: "none", backoff: quick, ...options });
}

test("a function gets messages, tools and the schema, and gives a text",
  async () => {
    const requests = [];
    const result = await ask(async function counter(request) {
      requests.push(request);
      return requests.length === 1 ? '{"n": "one"}' : '{"n": 1}';
    }, { system: "Be exact", temperature: 0.5, outputTokensMax: 99,
      messages: [{ role: "user", content: [{ type: "text", text: "See" },
        { type: "image", image: Buffer.from([1, 2]), mediaType: "image/png" },
        { type: "image", image: "https://example.com/a.png",
          mediaType: "image/png" }] },
      { role: "assistant", content: "I see" }] });
    assert.deepEqual(result.parsed, { n: 1 });
    assert.equal(result.attempts.length, 2);
    assert.match(result.log, /asks function:counter in mode prompt/);
    const [{ messages, signal, ...request }] = requests;
    assert.deepEqual(messages.slice(0, 3), [
      { role: "system", content: "Be exact" },
      { role: "user", content: [{ type: "text", text: "See" },
        { type: "image", media_type: "image/png", data: "AQI=" },
        { type: "image", url: "https://example.com/a.png" }] },
      { role: "assistant", content: "I see" }]);
    assert.match(messages[3].content, SCHEMA_TEXT);
    assert.equal(signal.aborted, false);
    assert.deepEqual(request, { model: "counter", tools: [],
      toolChoice: "auto", schema: COUNT, schemaName: undefined, mode: "prompt",
      stream: true, maxOutputTokens: 99, temperature: 0.5 });
    assert.match(requests[1].messages[3].content, /integer/);
  });

test("an answer may be an object, or come in chunks", async () => {
  const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 3,
    reasoningTokens: 1 };
  const parts = ["{", { reasoning: "hm" }, { text: '"n":' }, "2}", { usage }];
  const answers = [{ text: '{"n":2}', reasoning: "hm", usage },
    (async function* answer() {
      yield* parts;
    })(), parts[Symbol.iterator](), ReadableStream.from(parts)];
  for (const answer of answers) {
    const events = [];
    const result = await ask(() => answer, { onEvent: (it) => events.push(it),
      model: { generate: () => answer, name: "mine",
        price: { input: 1, output: 2 } }, budget: { dollars: "0.01" } });
    assert.deepEqual(result.parsed, { n: 2 });
    assert.deepEqual(result.usage, { known: true, input_tokens: 10,
      cached_input_tokens: 3, output_tokens: 4, reasoning_tokens: 1 });
    assert.equal(result.cost, 0.000018);
    const joined = (kind) => events.filter((it) => it.kind === kind)
      .map((it) => it.text).join("");
    assert.deepEqual([joined("text"), joined("reasoning")],
      ['{"n":2}', "hm"]);
  }
});

test("each mode has its own binding", async () => {
  const requests = [];
  const generate = (request) => {
    requests.push(request);
    return request.mode === "tool" ? { toolCalls: [{ name:
      request.toolChoice.name, arguments: { n: 3 } }] } : '{"n": 3}';
  };
  for (const mode of ["native", "tool", "prompt"]) {
    const result = await ask({ generate, mode });
    assert.deepEqual([result.parsed, requests.at(-1).mode], [{ n: 3 }, mode]);
  }
  assert.deepEqual(requests[0].schema, COUNT);
  assert.equal(requests[0].schemaName, "reply");
  assert.deepEqual(requests[1].tools[0].parameters, COUNT);
});

test("a function calls tools, with arguments as a value or as JSON",
  async () => {
    const requests = [];
    const model = (request) => {
      requests.push(request);
      return requests.length > 1 ? '{"n": 3}' : { text: "I add.", toolCalls: [
        { name: "add", arguments: { a: 1, b: 2 } },
        { id: "two", name: "add", arguments: '{"a": 3, "b": 4}' }] };
    };
    const parameters = { type: "object", properties: { a: { type: "integer" },
      b: { type: "integer" } } };
    const result = await ask(model, { mode: "native", tools: { add: {
      description: "Adds", parameters, execute: ({ a, b }) => a + b } } });
    assert.deepEqual(result.parsed, { n: 3 });
    assert.deepEqual(requests[0].tools, [{ name: "add", description: "Adds",
      parameters }]);
    const [, called, results] = requests[1].messages;
    const [{ id }] = result.toolUses;
    assert.deepEqual(called, { role: "assistant", content: [
      { type: "text", text: "I add." },
      { type: "call", id, name: "add", arguments: { a: 1, b: 2 } },
      { type: "call", id: "two", name: "add", arguments: { a: 3, b: 4 } }] });
    assert.deepEqual(results, { role: "tool", content: [
      { type: "result", id, name: "add", text: "3" },
      { type: "result", id: "two", name: "add", text: "7" }] });
  });

test("in mode prompt the tools stand in the messages, so any text will do",
  async () => {
    const texts = [];
    const result = await ask(({ messages, tools }) => {
      assert.deepEqual(tools, []);
      texts.push(JSON.stringify(messages));
      return texts.length > 1 ? '{"n": 4}' :
        '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
    }, { tools: { now: { description: "The time", execute: () => "noon" } } });
    assert.deepEqual(result.parsed, { n: 4 });
    assert.match(texts[0], /The time/);
    assert.match(texts[1], /noon/);
  });

test("what a function throws is a class of failure", async () => {
  const reject = (error) => async () => {
    throw error;
  };
  const other = (it, more) => Object.assign(it, more);
  const cases = [
    [new Error("boom"), "command", /boom/, 1],
    ["plain", "command", /plain/, 1],
    [undefined, "command", /undefined/, 1],
    [other(new Error("slow"), { status: 429 }), "rate_limit", /slow/, 2],
    [other(new Error("x"), { statusCode: 503 }), "overloaded", /503/, 2],
    [other(new Error("x"), { status: 401 }), "auth", /401/, 1],
    [other(new Error("x"), { statusCode: 400, responseBody: JSON.stringify({
      error: { code: "context_length_exceeded", message: "too long" } }) }),
    "context", /too long/, 1],
    [other(new Error("x"), { lastError: other(new Error("y"),
      { statusCode: 404 }) }), "model", /y/, 1],
    [new TypeError("fetch failed", { cause: other(new Error("no"),
      { code: "ECONNREFUSED" }) }), "connect", /fetch failed/, 2],
    [new TypeError("fetch failed", { cause: other(new Error("no"),
      { code: "ECONNRESET" }) }), "reset", /fetch failed/, 1],
    [other(new Error("late"), { name: "TimeoutError" }), "timeout", /late/, 1],
  ];
  for (const [error, failure, message, calls] of cases) {
    const result = await ask(reject(error), { backoff: { ...quick,
      retries: 1 } });
    assert.deepEqual([result.verdict, result.attempts.map((it) => it.failure)],
      ["provider", Array(calls).fill(failure)], String(error));
    assert.match(result.message, message);
  }
});

test("an error in the middle of a stream keeps its class", async () => {
  for (const [more, failure] of [[{ status: 529 }, "overloaded"],
    [{ code: "ECONNRESET" }, "reset"], [{}, "command"]]) {
    const result = await ask(async function* broken() {
      yield '{"n"';
      throw Object.assign(new Error("gone"), more);
    }, { backoff: { retries: 0 } });
    assert.deepEqual([result.verdict, result.attempts[0].failure],
      ["provider", failure]);
    assert.match(result.message, /gone/);
  }
});

test("what is no answer is said", async () => {
  for (const [given, message] of [[undefined, /undefined/], [7, /number/],
    [null, /null/], [{ choices: [] }, /"choices"/], [{ text: 7 }, /text/],
    [{ toolCalls: [{}] }, /without a name/], [{ finish: "done" }, /"done"/],
    [[7], /object|number/], [(async function* wrong() {
      yield 7;
    })(), /number/]]) {
    const result = await ask(() => given);
    assert.deepEqual([result.verdict, result.attempts[0].failure],
      ["provider", "protocol"], String(given));
    assert.match(result.message, message);
  }
  for (const [finish, failure] of [["length", "length"], ["filter", "filter"]])
    assert.equal((await ask(() => ({ text: '{"n"', finish }), { retries: 0 }))
      .attempts[0].failure, failure);
  assert.equal((await ask(() => "")).attempts[0].failure, "empty");
  assert.equal((await ask(() => ({ refusal: "No." }))).verdict, "refused");
});

test("what never settles is ended by the time limits", async () => {
  const signals = [];
  for (const [timeouts, message, model] of [
    [{ firstByte: 0.1 }, /nothing within 100 ms/, () => FOREVER],
    [{ idle: 0.1 }, /nothing more for 100 ms/, async function* slow() {
      yield "{";
      await FOREVER;
    }],
    [{ total: 0.1, firstByte: 9 }, /not done after 100 ms/, () => FOREVER]]) {
    const result = await ask((request) => {
      signals.push(request.signal);
      return model(request);
    }, { timeouts, backoff: { retries: 0 } });
    assert.deepEqual([result.verdict, result.attempts[0].failure],
      ["provider", "timeout"]);
    assert.match(result.message, message);
    assert.equal(signals.at(-1).aborted, true);
  }
  const spent = await ask(() => FOREVER, { budget: { seconds: 0.1 } });
  assert.equal(spent.ok, false);
});

test("cancelling aborts the signal, and ends the chunks", async () => {
  const stop = new AbortController();
  let signal, returned;
  const ended = new Promise((done) => {
    returned = done;
  });
  await assert.rejects(ask((request) => {
    ({ signal } = request);
    return { [Symbol.asyncIterator]: () => ({ next: () => {
      setTimeout(() => stop.abort(), 20);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    }, return: returned }) };
  }, { signal: stop.signal }), { name: "AbortError" });
  assert.equal(signal.aborted, true);
  // A reply that cannot become valid is stopped, and the generator with it.
  const result = await ask(async function* counter() {
    try {
      for (let i = 0; i < 1000; i++) {
        yield i ? " and more" : '{"n": "no"}';
        await new Promise((done) => setTimeout(done, 5));
      }
    } finally {
      returned();
    }
  }, { stop: "always", commit: true, retries: 0 });
  assert.equal(result.ok, false);
  await ended;
});

test("the next model is asked, and a function can be one of several",
  async () => {
    const models = [() => {
      throw new Error("out of order");
    }, "exec:echo '{\"n\": 5}'"];
    assert.deepEqual((await ask(undefined, { models })).parsed, { n: 5 });
    const vote = await ask(undefined, { models: [() => '{"n": 5}', ...models,
      { generate: async () => '{"n": 6}', name: "other" }],
    consensus: "vote" });
    assert.deepEqual(vote.value, { n: 5 });
    const merged = await ask(undefined, { models: [() => '{"n": 5}',
      () => '{"n": 6}'], consensus: { kind: "aggregate",
      aggregator: () => '{"n": 11}' } });
    assert.deepEqual(merged.value, { n: 11 });
  });

test("a recording has the exchanges, and plays them without the function",
  async () => {
    const record = join(FOLDER, "functions.jsonl");
    const ledger = join(FOLDER, "functions.sqlite");
    let calls = 0;
    const model = (request) => ++calls === 1 ? { toolCalls: [{ name: "now" }],
      usage: { inputTokens: 5, outputTokens: 1 } } : `{"n": ${calls}}`;
    const tools = { now: { execute: () => "later" } };
    const first = await ask(model, { record, ledger, tools });
    assert.deepEqual([first.parsed, calls], [{ n: 2 }, 2]);
    assert.equal(readFileSync(record, "utf8").match(/function\.invalid/g)
      ?.length >= 2, true);
    assert.ok(existsSync(ledger));
    const again = await ask(model, { replay: record, tools });
    assert.deepEqual([again.parsed, calls], [{ n: 2 }, 2]);
    const other = await ask(model, { replay: record, prompt: "Other" });
    assert.equal(other.attempts[0].failure, "protocol");
  });

test("a function may use the network of its own process", async () => {
  const server = createServer((socket) => socket.end('{"n": 8}'))
    .listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { connect } = await import("node:net");
  const result = await ask(() => connect(server.address().port, "127.0.0.1")
    .setEncoding("utf8"));
  server.close();
  assert.deepEqual(result.parsed, { n: 8 });
});

test("an answer that is too long is ended", async () => {
  const result = await ask(async function* endless() {
    for (;;)
      yield randomBytes(1 << 20).toString("base64");
  }, { stop: "never" });
  assert.equal(result.attempts[0].failure, "limit");
});

test("wrong models are a TypeError", async () => {
  for (const given of [7, {}, { generate: 7 }, { generate: () => 1,
    price: { input: "a", output: 1 } }, { generate: () => 1, mode: "json" },
  { specificationVersion: "v9", doGenerate() {}, doStream() {} }, [() => 1]])
    await assert.rejects(ask(given), TypeError, JSON.stringify(given));
  await assert.rejects(ask(() => 1, { models: "exec:cat" }), TypeError);
  await assert.rejects(ask(undefined, { models: [undefined] }), TypeError);
  await assert.rejects(ask(() => "", { budget: { dollars: 1 } }),
    { status: "misuse" });
});

test("the program's own words, and examples", async () => {
  const seen = [];
  const model = ({ messages }) => {
    seen.push(messages.map(({ role, content }) => `${role}: ${content}`));
    return seen.length === 1 ? "one" : '{"n": 1}';
  };
  const result = await ask(model, { system: "S",
    instructions: "${prompt}! As ${schema}", reask: "Wrong: ${reply}",
    systemTemplate: "T", examples: [{ input: "two?", output: { n: 2 } }] });
  assert.deepEqual(result.parsed, { n: 1 });
  const [first, second] = seen;
  assert.deepEqual(first.slice(0, 3), [first[0], "user: two?",
    'assistant: {"n":2}']);
  assert.match(first[0], /^system: S\s+T$/);
  assert.match(first[3], /^user: Count! As \{.*"n".*\}$/s);
  assert.match(second.at(-1), /^user: Count! As [^]*\n\nWrong: =+\none\n=+$/);
  assert.ok(result.messages.every((it) => it.content !== "two?"));
  seen.length = 1;
  await ask(model, { instructions: "none" });
  assert.deepEqual(seen[1], ["user: Count"]);
  await assert.rejects(ask(model, { instructions: "${nothing}" }),
    { status: "syntax" });
  await assert.rejects(ask(model, { examples: [{ input: "a",
    output: { n: "two" } }] }), { status: "syntax" });
  for (const examples of [7, [7], [{ input: 7, output: 7 }], [{ input: "a" }]])
    await assert.rejects(ask(model, { examples }), TypeError);
});

test("a conversation goes on with another provider, and then back",
  async () => {
    const talk = [];
    let before = [];
    for (const [i, name] of ["a", "b", "a"].entries()) {
      const result = await ask({ name, generate: ({ messages }) => {
        talk.push(messages.length);
        return `{"n": ${i}}`;
      } }, { prompt: `${i}?`, messages: before });
      before = result.messages;
    }
    assert.deepEqual(talk, [1, 3, 5]);
    assert.deepEqual(before.map(({ content }) => content),
      ["0?", '{"n": 0}', "1?", '{"n": 1}', "2?", '{"n": 2}']);
  });
