// SPDX-License-Identifier: Apache-2.0
// Conversations, and tools that are functions. The law: a call that did not
// reach its function, or whose function failed, never looks like a result.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { contract, run } from "surety";
import { FOLDER } from "./mock.mjs";

const SUM = { type: "object", required: ["sum"], properties: {
  sum: { type: "integer" } } };
const NUMBERS = { type: "object", required: ["a", "b"],
  additionalProperties: false, properties: { a: { type: "integer" },
    b: { type: "integer" } } };
const env = { HOME: FOLDER, PATH: process.env.PATH };

let count = 0;

// A model that calls tools with each of these texts, and then answers.
function model(calls, answer = '{"sum": 3}') {
  const file = join(FOLDER, `model-${count++}.sh`);
  writeFileSync(file, `if grep -q '<tool_response>'; then
echo '${answer}'
else
cat <<'END'
${calls.map((it) => `<tool_call>${it}</tool_call>`).join("\n")}
END
fi
`);
  return `exec:sh ${file}`;
}

function call(name, given) {
  return JSON.stringify({ name, arguments: given });
}

function ask(models, options) {
  return run({ contract: SUM, prompt: "Add 1 and 2", models, config: {}, env,
    ledger: "none", ...options });
}

test("a function is called, and its result is in the conversation",
  async () => {
    const events = [];
    let seen;
    const result = await ask(model([call("add", { a: 1, b: 2 })]), {
      tools: [{ name: "add", description: "Adds", parameters: NUMBERS,
        execute: async (given, context) => {
          seen = { given, ...context };
          await new Promise((done) => setTimeout(done, 120));
          return { sum: given.a + given.b };
        } }], onEvent: (it) => it.tool && events.push(it) });
    assert.deepEqual(result.parsed, { sum: 3 });
    assert.deepEqual([seen.given, seen.signal.aborted],
      [{ a: 1, b: 2 }, false]);
    const [use] = result.toolUses;
    assert.deepEqual({ ...use }, { attempt: 1, id: seen.id, name: "add",
      arguments: { a: 1, b: 2 }, result: '{"sum":3}', made: true,
      failure: undefined, message: "" });
    assert.deepEqual(events.map((it) => [it.kind, it.tool, it.call, it.text]),
      [["tool", "add", seen.id, '{"a":1,"b":2}'],
        ["result", "add", seen.id, '{"sum":3}']]);
    assert.deepEqual(result.messages.map((it) => it.role),
      ["user", "assistant", "tool", "assistant"]);
    assert.equal(contract("surety/messages").check(JSON.stringify(
      result.messages)).ok, true);
  });

test("calls work side by side, and tools may be named by an object",
  async () => {
    let most = 0, working = 0;
    const execute = async ({ a }) => {
      most = Math.max(most, ++working);
      await new Promise((done) => setTimeout(done, 200));
      working--;
      return `it is ${a}`;
    };
    const result = await ask(model([1, 2, 3].map((a) => call("add",
      { a, b: 0 }))), { tools: { add: { parameters: NUMBERS, execute } } });
    assert.equal(most, 3);
    assert.deepEqual(result.toolUses.map((it) => it.result),
      ["it is 1", "it is 2", "it is 3"]);
  });

test("an exception of a function is the tool's failure", async () => {
  for (const [thrown, message] of [[new RangeError("no such city"),
    "no such city"], ["plain", "plain"], [new Error(`${"é".repeat(400)}`),
    "é"]]) {
    const result = await ask(model([call("add", { a: 1, b: 2 })]), {
      tools: { add: { parameters: NUMBERS, execute: () => {
        throw thrown;
      } } } });
    const [use] = result.toolUses;
    assert.deepEqual([result.ok, use.failure, use.made],
      [true, "failed", true]);
    assert.ok(use.message.startsWith(message), use.message);
    assert.ok(!use.message.includes("\ufffd"));
    assert.match(use.result, new RegExp(message));
  }
});

test("wrong arguments, and a wrong result, do not get through", async () => {
  let called = 0;
  const execute = () => {
    called++;
    return "text";
  };
  const result = await ask(model([call("add", { a: 1 }), call("sub", {}),
    call("bad", { a: 1, b: 2 })]), { tools: {
    add: { parameters: NUMBERS, execute },
    bad: { parameters: NUMBERS, result: SUM, execute } } });
  assert.equal(called, 1);
  assert.deepEqual(result.toolUses.map((it) => [it.failure, it.made]),
    [["arguments", false], ["unknown", false], ["result", true]]);
  assert.match(result.toolUses[0].result, /"b" is missing/);
});

test("a function that takes too long, and a run that is cancelled",
  async () => {
    let signal;
    const tools = { add: { parameters: NUMBERS, seconds: 0.2,
      execute: (_, context) => {
        ({ signal } = context);
        return new Promise(() => {});
      } } };
    const models = model([call("add", { a: 1, b: 2 })]);
    const result = await ask(models, { tools });
    assert.deepEqual([result.toolUses[0].failure, signal.aborted],
      ["timeout", true]);
    const stop = new AbortController();
    await assert.rejects(ask(models, { signal: stop.signal, tools: { add: {
      ...tools.add, seconds: 30, execute: (_, context) => {
        ({ signal } = context);
        setTimeout(() => stop.abort(), 20);
        return new Promise(() => {});
      } } } }), { name: "AbortError" });
    assert.equal(signal.aborted, true);
  });

test("a Zod schema describes the arguments", async (t) => {
  const z = await import("zod").catch(() => undefined);
  if (!z) {
    t.skip("no zod");
    return;
  }
  const seen = [];
  const result = await ask(model([call("add", { a: 4 }), call("add", { a: 5 }),
  ]), { tools: { add: { parameters: z.object({ a: z.int().refine(async (it) =>
    it % 2 === 0, "must be even"), b: z.string().default("7")
    .transform(Number) }), execute: (given) => {
    seen.push(given);
    return given.a + given.b;
  } } } });
  assert.deepEqual(seen, [{ a: 4, b: 7 }]);
  assert.deepEqual(result.toolUses.map((it) => [it.failure, it.made]),
    [[undefined, true], ["arguments", false]]);
  assert.equal(result.toolUses[0].result, "11");
  assert.match(result.toolUses[1].result, /must be even/);
});

test("a conversation of any client goes on", async () => {
  const turns = "exec:printf '{\"sum\": %d}' \"$(grep -c '^User:')\"";
  const first = await ask(turns, { messages: [
    { role: "user", content: [{ type: "text", text: "One" }] },
    { role: "assistant", content: "1", refusal: null }] });
  assert.equal(first.parsed.sum, 2);
  const second = await ask(turns, { messages: first.messages });
  assert.equal(second.parsed.sum, 3);
  const third = await ask(turns, { prompt: undefined, messages:
    JSON.stringify([...second.messages, { role: "user", content: "And?" }]) });
  assert.deepEqual([third.parsed.sum, third.messages.length], [4, 8]);
  await assert.rejects(ask(turns, { messages: [{ role: "clown",
    content: "x" }] }), { status: "syntax" });
});

test("bytes of a message are base64", async () => {
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADU" +
    "lEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  for (const image of [png, new Uint8Array(png)]) {
    const result = await ask("exec:cat", { messages: [{ role: "user",
      content: [{ type: "image", image, mediaType: "image/png" }] }] });
    assert.equal(result.messages[0].content[0].data, png.toString("base64"));
    assert.match(result.message, /protocol text cannot carry/);
  }
});

const ADD = { name: "add", description: "Adds.", parameters: NUMBERS,
  command: [process.execPath, "-e", `const { a, b } = JSON.parse(
    require("node:fs").readFileSync(0)); console.log(a + b)`] };

test("tools of files, their contents, and of the configuration", async () => {
  const file = join(FOLDER, "tools.json");
  writeFileSync(file, JSON.stringify({ tools: [ADD] }));
  const asked = model([call("add", { a: 1, b: 2 })]);
  const { name, ...nameless } = ADD;
  for (const tools of [file, [file], new URL(`file://${file}`), [ADD],
    { tools: [ADD] }, { add: nameless }, undefined]) {
    const { parsed, toolUses } = await ask(asked, { tools,
      config: tools === undefined ? { tools: [ADD] } : {} });
    assert.deepEqual([parsed.sum, toolUses[0].failure, toolUses[0].result],
      [3, undefined, "3"], JSON.stringify([name, tools]));
  }
  const given = await ask(asked, { tools: [], config: { tools: [ADD] } });
  assert.deepEqual(given.toolUses, []);
  const { toolUses } = await ask(asked, { config: { tools: [ADD] },
    tools: [{ name: "add", execute: () => "4", parameters: NUMBERS }] });
  assert.deepEqual(toolUses.map((it) => it.result), ["4"]);
  const [one, two] = (await ask(model([call("add", { a: 1, b: 2 }),
    call("now", {})]), { tools: [file, { name: "now", execute: () => "7" }] }
  )).toolUses;
  assert.deepEqual([one.result, two.result], ["3", "7"]);
});

test("tools files that are wrong say so", async () => {
  const file = join(FOLDER, "wrong.json");
  writeFileSync(file, '{"tools": [\n{"name": "a", "command": 7}]}');
  await assert.rejects(ask("exec:cat", { tools: file }),
    (error) => error.status === "syntax" && error.source === file &&
      error.line === 2);
  await assert.rejects(ask("exec:cat", { tools: join(FOLDER, "absent.json") }),
    (error) => error.status === "io" && /absent/.test(error.source));
});

test("servers of the Model Context Protocol, recorded and played again",
  async () => {
    const record = join(FOLDER, "mcp.jsonl");
    const asked = model([call("extract", { reply: "so [1]" })]);
    const mcp = [[process.env.SURETY ?? "surety", "mcp"]];
    const first = await ask(asked, { mcp, record });
    const [use] = first.toolUses;
    assert.deepEqual([use.name, use.failure], ["extract", undefined]);
    assert.match(use.result, /\[1\]/);
    const second = await ask(asked, { mcp, replay: record });
    assert.equal(second.toolUses[0].result, use.result);
    const line = await ask(asked, { mcp: `${mcp[0][0]} mcp` });
    assert.equal(line.toolUses[0].result, use.result);
    await assert.rejects(ask(asked, { mcp: "exit 3" }), { status: "io" });
    for (const wrong of [7, [7], [[]], [["a", 7]]])
      await assert.rejects(ask(asked, { mcp: wrong }), TypeError);
  });

test("a server that says nothing is not waited for", { timeout: 30000 },
  async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 100);
    await assert.rejects(ask("exec:cat", { mcp: "sleep 600",
      signal: abort.signal }), { message: "enough" });
  });

test("wrong tools are a TypeError", async () => {
  const execute = () => 1;
  for (const tools of [7, [{ execute }], { a: {} }, { a: { execute,
    seconds: -1 } }, { a: { execute, parametres: {} } }, { a: { execute,
    parameters: 7 } }])
    await assert.rejects(ask("exec:cat", { tools }), TypeError,
      JSON.stringify(tools));
  await assert.rejects(ask("exec:cat", { tools: { a: { execute } },
    consensus: "vote" }), TypeError);
  await assert.rejects(ask("exec:cat", { tools: { "a b": { execute } } }),
    { status: "misuse" });
});

test("what Anthropic signed goes back to it byte for byte, also after a turn " +
  "of OpenAI", async () => {
  const signed = String.raw`{"type":"thinking","thinking":"Add \u003c them",` +
    String.raw`"signature":"EqQB\/+=\u002b", "n":1.50}`;
  const whole = (...content) => `{"id":"m","type":"message",
    "role":"assistant","model":"m","content":[${content}],
    "stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`;
  const said = whole(String.raw`{"type":"text","text":"{\"sum\": 3}"}`);
  const answers = [whole(signed, `{"type":"tool_use","id":"c1","name":"add",
    "input":{"a":1,"b":2}}`), said, JSON.stringify({ id: "c", model: "m",
    choices: [{ index: 0, message: { role: "assistant",
      content: '{"sum": 4}' }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1 } }), said];
  const bodies = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8"))
      body += chunk;
    bodies.push(body);
    response.setHeader("Content-Type", "application/json");
    response.end(answers[bodies.length - 1]);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const base_url = `http://127.0.0.1:${server.address().port}/v1`;
    const config = { providers: {
      a: { protocol: "anthropic", base_url, key_env: "KEY" },
      o: { protocol: "openai", base_url, key_env: "KEY" } } };
    let messages = [];
    for (const name of ["a:m", "o:m", "a:m"]) {
      const result = await ask(name, { config, messages, whole: true,
        env: { ...env, KEY: "k" }, mode: name === "o:m" ? "prompt" : undefined,
        tools: [{ name: "add", description: "Adds", parameters: NUMBERS,
          execute: ({ a, b }) => a + b }] });
      assert.ok(result.ok, result.message);
      messages = JSON.parse(JSON.stringify(result.messages));
    }
    assert.deepEqual(bodies.map((it) => it.includes(signed)),
      [false, true, false, true]);
    assert.ok(!bodies[2].includes("thinking"));
    assert.equal(messages.length, 8);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
