// SPDX-License-Identifier: Apache-2.0
// Models of the AI SDK, of each specification: its own mock models, and its
// providers against a model server. The law: what a provider wants back comes
// back with the part that had it, and nothing else differs between versions.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { MockLanguageModelV2 } from "ai5/test";
import { MockLanguageModelV3 } from "ai6/test";
import { MockLanguageModelV4 } from "ai7/test";
import { createOpenAI as createOpenAI2 } from "openai2";
import { run } from "surety";
import { KEY, mocked } from "./mock.mjs";

const SUM = { type: "object", required: ["sum"], additionalProperties: false,
  properties: { sum: { type: "integer" } } };
const NUMBERS = { type: "object", required: ["a", "b"],
  additionalProperties: false, properties: { a: { type: "integer" },
    b: { type: "integer" } } };
const add = { description: "Adds", parameters: NUMBERS,
  execute: ({ a, b }) => a + b };
const SIGNATURE = { anthropic: { signature: "EqQB/+=é\u2028" } };
const PNG = Buffer.from([137, 80, 78, 71]);

const flat = { inputTokens: 5, outputTokens: 3, totalTokens: 8,
  cachedInputTokens: 2, reasoningTokens: 1 };
const nested = { inputTokens: { total: 5, noCache: 3, cacheRead: 2 },
  outputTokens: { total: 3, text: 2, reasoning: 1 } };
const VERSIONS = [
  { Mock: MockLanguageModelV2, usage: flat, finish: (it) => it,
    bytes: (data) => data },
  { Mock: MockLanguageModelV3, usage: nested,
    finish: (unified) => ({ unified, raw: unified }), bytes: (data) => data },
  { Mock: MockLanguageModelV4, usage: nested,
    finish: (unified) => ({ unified, raw: unified }),
    bytes: (data) => ({ type: "data", data }) }];

const THOUGHT = { type: "reasoning", text: "Add them",
  providerMetadata: SIGNATURE };
const CALL = { type: "tool-call", toolCallId: "c1", toolName: "add",
  input: '{"a": 1, "b": 2}', providerMetadata: { google: { thought: "x" } } };
const SEARCH = [{ type: "tool-call", toolCallId: "s1", toolName: "search",
  input: '{"q":"1+2"}', providerExecuted: true },
{ type: "tool-result", toolCallId: "s1", toolName: "search",
  result: { hits: [3] }, providerExecuted: true }];
const TEXT = { type: "text", text: '{"sum": 3}',
  providerMetadata: { openai: { itemId: "msg_1" } } };

// Parts as the chunks of a stream; texts in two deltas.
function chunks(content, usage, finishReason) {
  return [{ type: "stream-start", warnings: [] },
    { type: "response-metadata", id: "r1", modelId: "mock-1" },
    ...content.flatMap((it, id) => it.type !== "text" &&
      it.type !== "reasoning" ? [it] : [{ type: `${it.type}-start`, id },
      { type: `${it.type}-delta`, id, delta: it.text.slice(0, 4) },
      { type: `${it.type}-delta`, id, delta: it.text.slice(4) },
      { type: `${it.type}-end`, id, providerMetadata: it.providerMetadata }]),
    { type: "finish", usage, finishReason }];
}

// A mock that gives these contents in turn, and keeps the calls.
function mock({ Mock, usage, finish }, contents, more) {
  const calls = [];
  const next = (options) => {
    calls.push(options);
    const content = contents[Math.min(calls.length, contents.length) - 1];
    return { content, usage, finishReason: finish(content.some((it) =>
      it === CALL) ? "tool-calls" : "stop") };
  };
  const model = new Mock({ doGenerate: async (options) => ({
    ...next(options), warnings: [], response: { id: "r1",
      modelId: "mock-1" } }), doStream: async (options) => {
    const { content, finishReason } = next(options);
    return { stream: ReadableStream.from(chunks(content, usage,
      finishReason)) };
  }, ...more });
  return { calls, model };
}

function ask(model, options) {
  return run({ contract: SUM, prompt: "Add 1 and 2", model, config: {},
    ledger: "none", env: {}, backoff: { first: 0.01, most: 0.02 },
    ...options });
}

for (const version of VERSIONS)
  for (const whole of [false, true])
    test(`${version.Mock.name}: tools and signatures, ${whole ? "whole" :
      "as a stream"}`, async () => {
      const { calls, model } = mock(version, [[THOUGHT, ...SEARCH, CALL],
        [TEXT]]);
      const events = [];
      const result = await ask(model, { tools: { add }, whole,
        system: "Be exact", temperature: 0, outputTokensMax: 50,
        onEvent: (it) => events.push(it) });
      assert.deepEqual(result.parsed, { sum: 3 });
      assert.deepEqual(result.usage, { known: true, input_tokens: 10,
        cached_input_tokens: 4, output_tokens: 6, reasoning_tokens: 2 });
      assert.match(result.log, /mock-provider:mock-model-id in mode native/);
      assert.equal(events.filter((it) => it.kind === "reasoning")
        .map((it) => it.text).join(""), "Add them");
      const [{ prompt, abortSignal, ...first }, second] = calls;
      assert.equal(abortSignal.aborted, false);
      assert.deepEqual(first, { maxOutputTokens: 50, temperature: 0,
        responseFormat: { type: "json", schema: SUM, name: "reply" },
        tools: [{ type: "function", name: "add", description: "Adds",
          inputSchema: NUMBERS }], toolChoice: { type: "auto" } });
      assert.deepEqual(prompt[0], { role: "system", content: "Be exact" });
      assert.match(prompt[1].content[0].text, /^Add 1 and 2\n/);
      assert.deepEqual(second.prompt.slice(0, 2), prompt);
      assert.deepEqual(second.prompt.slice(2), [{ role: "assistant", content: [
        { type: "reasoning", text: "Add them", providerOptions: SIGNATURE },
        { type: "tool-call", toolCallId: "s1", toolName: "search",
          input: { q: "1+2" }, providerExecuted: true },
        { type: "tool-result", toolCallId: "s1", toolName: "search",
          output: { type: "json", value: { hits: [3] } },
          providerExecuted: true },
        { type: "tool-call", toolCallId: "c1", toolName: "add",
          input: { a: 1, b: 2 }, providerOptions: CALL.providerMetadata }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c1",
        toolName: "add", output: { type: "text", value: "3" } }] }]);
      // The conversation goes on, from its JSON too.
      const messages = JSON.parse(JSON.stringify(result.messages));
      await ask(model, { messages, prompt: "And again?", whole });
      const [, , answer] = calls[2].prompt.slice(2);
      assert.deepEqual(calls[2].prompt[1].content[0], second.prompt[2]
        .content[0]);
      assert.deepEqual(answer?.role === "assistant" ? answer.content :
        calls[2].prompt[3].content, [{ type: "text", text: TEXT.text,
        providerOptions: TEXT.providerMetadata }]);
    });

for (const version of VERSIONS)
  test(`${version.Mock.name}: media, and modes`, async () => {
    const { calls, model } = mock(version, [[{ type: "text",
      text: '{"sum": 3}' }]], { supportedUrls: Promise.resolve({
      "image/*": [/^https:\/\/example\.com\//] }) });
    const image = (url) => ({ role: "user", content: [{ type: "image",
      image: url, mediaType: "image/png" }] });
    await ask(model, { mode: "prompt", messages: [{ role: "user", content: [
      { type: "image", image: PNG, mediaType: "image/png" },
      { type: "file", data: Buffer.from("%PDF-1.4"), filename: "a.pdf",
        mediaType: "application/pdf" }] },
    image("https://example.com/a.png")] });
    const [{ prompt, responseFormat }] = calls;
    assert.equal(responseFormat, undefined);
    const data = PNG.toString("base64");
    const parts = prompt.flatMap((it) => it.content);
    assert.deepEqual(parts[0], { type: "file", mediaType: "image/png",
      filename: undefined, data: version.bytes(data) });
    assert.equal(parts[1].filename, "a.pdf");
    const { data: url } = parts[2];
    assert.equal(String(version.Mock === MockLanguageModelV4 ? url.url : url),
      "https://example.com/a.png");
    const refused = await ask(model, { messages: [
      image("https://elsewhere.com/a.png")] });
    assert.deepEqual([refused.verdict, refused.attempts[0].failure],
      ["provider", "request"]);
    assert.match(refused.message, /does not fetch https:\/\/elsewhere/);
    assert.equal(calls.length, 1);
  });

for (const version of VERSIONS)
  test(`${version.Mock.name}: failures`, async () => {
    const failing = (more) => ask(mock(version, [[TEXT]], more).model,
      { backoff: { retries: 0 } });
    const error = Object.assign(new Error("slow down"), { statusCode: 429,
      responseHeaders: { "retry-after": "1" } });
    const stream = (...parts) => ({ doStream: async () => ({
      stream: ReadableStream.from(parts) }) });
    for (const [more, failure] of [
      [{ doStream: async () => {
        throw error;
      } }, "rate_limit"],
      [stream({ type: "error", error }), "rate_limit"],
      [stream({ type: "text-delta", id: "0", delta: "{" },
        { type: "error", error }), "rate_limit"],
      [stream({ type: "text-delta", id: "0", delta: "{" }), "truncated"],
      [stream({ type: "finish", usage: version.usage,
        finishReason: version.finish("error") }), "server"],
      [stream({ type: "text-delta", id: "0", delta: "{" }, { type: "finish",
        usage: version.usage, finishReason: version.finish("length") }),
      "length"],
      [stream({ type: "finish", usage: version.usage,
        finishReason: version.finish("content-filter") }), "filter"]])
      assert.equal((await failing(more)).attempts[0].failure, failure);
    const stop = new AbortController();
    let signal;
    await assert.rejects(ask(mock(version, [[TEXT]], { doStream: (options) => {
      signal = options.abortSignal;
      stop.abort();
      return new Promise(() => {});
    } }).model, { signal: stop.signal }), { name: "AbortError" });
    assert.equal(signal.aborted, true);
  });

const REPLIES = [{ when: { last: "user" }, tool: "add", json: { a: 1, b: 2 } },
  { json: { sum: 3 } }];

for (const [name, modelOf] of [
  ["OpenAI, chat, v2", (options) => createOpenAI2(options).chat("small")],
  ["OpenAI, responses, v2", (options) => createOpenAI2(options)
    .responses("small")],
  ["OpenAI, chat, v4", (options) => createOpenAI(options).chat("small")],
  ["OpenAI, responses, v4", (options) => createOpenAI(options)
    .responses("small")],
  ["Anthropic, v4", (options) => createAnthropic(options)("claude-small")]])
  for (const whole of [false, true])
    test(`a provider of the AI SDK: ${name}, ${whole ? "whole" : "as a " +
      "stream"}`, () => mocked(REPLIES, async ({ providers }) => {
      const model = modelOf({ baseURL: providers.mock.base_url, apiKey: KEY });
      const result = await ask(model, { tools: { add }, whole });
      assert.deepEqual([result.verdict, result.value], ["valid", { sum: 3 }],
        result.message);
      assert.equal(result.toolUses[0].result, "3");
      assert.equal(result.usage.known, true);
      const wrong = await ask(modelOf({ baseURL: providers.mock.base_url,
        apiKey: "wrong" }), { whole });
      assert.deepEqual(wrong.attempts.map((it) => it.failure), ["auth"]);
    }));
