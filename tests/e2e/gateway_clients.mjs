// SPDX-License-Identifier: Apache-2.0
// Clients as their users write them, with the gateway as their base URL: prints
// what each saw, one JSON object. Usage: node gateway_clients.mjs URL, beside
// node_modules.
import OpenAI from "openai";
import OpenAINewest from "openai-newest";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { GoogleGenAI as GoogleNewest } from "genai-newest";
import { generateObject, generateText, streamObject, streamText,
         tool } from "ai";
import { createOpenAI } from "@ai-sdk/openai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import Instructor from "@instructor-ai/instructor";
import { z } from "zod";
import { z as z3 } from "zod/v3";

globalThis.AI_SDK_LOG_WARNINGS = false; // it would write to standard output
const url = process.argv[2];
const key = "sk-client";
const ask = "A ticket for the lamp, please.";
const user = [{ role: "user", content: ask }];
const schema = {
  type: "object", required: ["title", "hours"],
  properties: { title: { type: "string" },
                hours: { type: "integer", maximum: 80 } },
  additionalProperties: false,
};
const ticket = z.object({ title: z.string(), hours: z.number().int().max(80) });
const seen = {};

async function see(name, work) {
  try {
    seen[name] = await work();
  } catch (error) {
    seen[name] = {
      error: error.constructor.name, status: error.status ?? error.statusCode,
      message: String(error.message) + (error.responseBody ?? "") };
  }
}

// Cancels a call of the model that is slow, once it is under way.
async function cancel(name, call) {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 500);
  await see(name, async () => {
    await call(stop.signal);
    return "was not cancelled";
  });
}

const two = (calls) => calls.map(({ name, value }) => [name, value]);

// The cases that all clients have. text(model, signal) gives a text, stream an
// iterable of texts, object(model) and objects(model) a value, whole and by a
// stream, tool(model) the arguments of a call.
async function all(name, client) {
  await see(`${name} whole`, () => client.text("text"));
  await see(`${name} stream`, async () => {
    let text = "";
    for await (const piece of await client.stream("text")) text += piece ?? "";
    return text;
  });
  await see(`${name} object`, () => client.object("mend"));
  await see(`${name} wrong`, () => client.object("wrong"));
  if (client.objects) {
    await see(`${name} object stream`, () => client.objects("mend"));
    await see(`${name} wrong stream`, () => client.objects("wrong"));
  }
  if (client.tool) {
    await see(`${name} tool`, () => client.tool("mend"));
    await see(`${name} wrong tool`, () => client.tool("wrong"));
  }
  if (client.calls) {
    await see(`${name} calls`, () => client.calls("mend"));
    await see(`${name} wrong calls`, () => client.calls("wrong"));
    await see(`${name} calls stream`, () => client.callStream("mend"));
    await see(`${name} wrong calls stream`, () => client.callStream("wrong"));
  }
  if (client.live)
    for (const way of ["live", "resume"]) {
      await see(`${name} ${way}`, () => client.live("good", way));
      await see(`${name} ${way} cut`, () => client.live("late", way));
    }
  for (const more of ["models", "embed", "count"])
    if (client[more]) await see(`${name} ${more}`, () => client[more]("text"));
  if (client.stop)
    await see(`${name} stop`, async () => {
      for await (const piece of await client.stop("drip")) return "stopped";
    });
  await see(`${name} absent`, () => client.text("absent"));
  await cancel(`${name} cancel`, (signal) => client.text("slow", signal));
}

async function* map(items, piece) {
  for await (const item of items) yield piece(item);
}

const parsed = async (items) => {
  let text = "";
  for await (const piece of items) text += piece ?? "";
  return JSON.parse(text);
};

// ---- OpenAI -----------------------------------------------------------------
const functions = [{ type: "function",
                     function: { name: "emit", parameters: schema } }];
function chat(openai) {
  const call = (model, more, signal) => openai.chat.completions.create(
    { model, messages: user, ...more }, { signal });
  const format = { type: "json_schema",
                   json_schema: { name: "ticket", strict: true, schema } };
  const delta = (chunk) => chunk.choices[0]?.delta?.content;
  return {
    text: async (model, signal) =>
      (await call(model, {}, signal)).choices[0].message.content,
    stream: async (model) =>
      map(await call(model, { stream: true }), delta),
    object: async (model) => JSON.parse(
      (await call(model, { response_format: format }))
        .choices[0].message.content),
    objects: async (model) => parsed(map(
      await call(model, { stream: true, response_format: format }), delta)),
    tool: async (model) => JSON.parse((await call(model, {
      tools: [{ type: "function",
                function: { name: "emit", parameters: schema } }],
      tool_choice: { type: "function", function: { name: "emit" } },
    })).choices[0].message.tool_calls[0].function.arguments),
    calls: async (model) => two((await call(model, { tools: functions }))
      .choices[0].message.tool_calls.map((one) => ({
        name: one.function.name,
        value: JSON.parse(one.function.arguments) }))),
    callStream: async (model) => two((await openai.chat.completions.stream(
      { model, messages: user, tools: functions }).finalMessage())
      .tool_calls.map((one) => ({ name: one.function.name,
                                  value: JSON.parse(one.function.arguments) }))),
    live: async (model, way) => parsed(map(
      await openai.chat.completions.create(
        { model, messages: user, stream: true, response_format: format },
        { headers: { "Surety-Stream": way } }), delta)),
    models: async () => (await openai.models.list()).data.map((one) => one.id),
    embed: async (model) => (await openai.embeddings.create(
      { model, input: ["a", "b"] })).data.length,
    stop: (model) => call(model, { stream: true }),
  };
}

function responses(openai) {
  const call = (model, more, signal) => openai.responses.create(
    { model, input: ask, ...more }, { signal });
  const text = { format: { type: "json_schema", name: "ticket", strict: true,
                           schema } };
  const delta = (event) =>
    event.type === "response.output_text.delta" ? event.delta : "";
  return {
    text: async (model, signal) => (await call(model, {}, signal)).output_text,
    stream: async (model) => map(await call(model, { stream: true }), delta),
    object: async (model) => JSON.parse((await call(model, { text }))
      .output_text),
    objects: async (model) =>
      parsed(map(await call(model, { stream: true, text }), delta)),
    tool: async (model) => JSON.parse((await call(model, {
      tools: [{ type: "function", name: "emit", parameters: schema,
                strict: true }],
      tool_choice: { type: "function", name: "emit" },
    })).output[0].arguments),
    calls: async (model) => two((await call(model, { tools: [
      { type: "function", name: "emit", parameters: schema }] })).output.map(
      (one) => ({ name: one.name, value: JSON.parse(one.arguments) }))),
    callStream: async (model) => two((await openai.responses.stream(
      { model, input: ask, tools: [
        { type: "function", name: "emit", parameters: schema }] })
      .finalResponse()).output.map(
      (one) => ({ name: one.name, value: JSON.parse(one.arguments) }))),
    live: async (model, way) => parsed(map(await openai.responses.create(
      { model, input: ask, stream: true, text },
      { headers: { "Surety-Stream": way } }), delta)),
    stop: (model) => call(model, { stream: true }),
  };
}

for (const [name, Client] of [["openai", OpenAI],
                              ["openai newest", OpenAINewest]]) {
  const openai = new Client({ apiKey: key, baseURL: url + "/v1" });
  await all(name, chat(openai));
  await all(`${name} responses`, responses(openai));
}

// ---- Anthropic --------------------------------------------------------------
const anthropic = new Anthropic({ apiKey: key, baseURL: url });
const message = (model, more, signal) => anthropic.messages.create(
  { model, max_tokens: 100, messages: user, ...more }, { signal });
const output_config = { format: { type: "json_schema", schema } };
await all("anthropic", {
  text: async (model, signal) => (await message(model, {}, signal))
    .content[0].text,
  stream: async (model) => map(await message(model, { stream: true }),
                               (event) => event.delta?.text),
  object: async (model) => JSON.parse((await message(model, { output_config }))
    .content[0].text),
  objects: async (model) => JSON.parse((await anthropic.messages.stream(
    { model, max_tokens: 100, messages: user, output_config }).finalMessage())
    .content[0].text),
  tool: async (model) => (await message(model, {
    tools: [{ name: "emit", input_schema: schema }],
    tool_choice: { type: "tool", name: "emit" } })).content[0].input,
  calls: async (model) => two((await message(model, {
    tools: [{ name: "emit", input_schema: schema }] })).content.map(
    (one) => ({ name: one.name, value: one.input }))),
  callStream: async (model) => two((await anthropic.messages.stream(
    { model, max_tokens: 100, messages: user,
      tools: [{ name: "emit", input_schema: schema }] }).finalMessage())
    .content.map((one) => ({ name: one.name, value: one.input }))),
  live: async (model, way) => parsed(map(await anthropic.messages.create(
    { model, max_tokens: 100, messages: user, stream: true, output_config },
    { headers: { "Surety-Stream": way } }), (event) => event.delta?.text)),
  models: async () => (await anthropic.models.list()).data.map((one) => one.id),
  count: async () => (await anthropic.messages.countTokens(
    { model: "anthropic:text", messages: user })).input_tokens,
  stop: (model) => message(model, { stream: true }),
});

// ---- Gemini -----------------------------------------------------------------
for (const [name, Client] of [["gemini", GoogleGenAI],
                              ["gemini newest", GoogleNewest]]) {
  const google = new Client({ apiKey: key, httpOptions: { baseUrl: url } });
  const declared = [{ functionDeclarations: [
    { name: "emit", parametersJsonSchema: schema }] }];
  const config = { responseMimeType: "application/json",
                   responseJsonSchema: schema };
  await all(name, {
    text: async (model, signal) => (await google.models.generateContent(
      { model, contents: ask, config: { abortSignal: signal } })).text,
    stream: async (model) => map(await google.models.generateContentStream(
      { model, contents: ask }), (chunk) => chunk.text),
    object: async (model) => JSON.parse((await google.models.generateContent(
      { model, contents: ask, config })).text),
    objects: async (model) => parsed(map(
      await google.models.generateContentStream({ model, contents: ask,
                                                  config }),
      (chunk) => chunk.text)),
    tool: async (model) => (await google.models.generateContent({
      model, contents: ask, config: {
        tools: [{ functionDeclarations: [
          { name: "emit", parametersJsonSchema: schema }] }],
        toolConfig: { functionCallingConfig: {
          mode: "ANY", allowedFunctionNames: ["emit"] } } } }))
      .functionCalls[0].args,
    calls: async (model) => two((await google.models.generateContent({
      model, contents: ask, config: { tools: declared } })).functionCalls.map(
      (one) => ({ name: one.name, value: one.args }))),
    callStream: async (model) => {
      const found = [];
      for await (const chunk of await google.models.generateContentStream(
        { model, contents: ask, config: { tools: declared } }))
        for (const one of chunk.functionCalls ?? [])
          found.push({ name: one.name, value: one.args });
      return two(found);
    },
    live: async (model, way) => parsed(map(
      await google.models.generateContentStream(
        { model, contents: ask, config: { ...config, httpOptions: {
          headers: { "Surety-Stream": way } } } }), (chunk) => chunk.text)),
    models: async () => {
      const found = [];
      for await (const one of await google.models.list()) found.push(one.name);
      return found.map((one) => one.replace("models/", ""));
    },
    embed: async () => (await google.models.embedContent(
      { model: "gemini:text", contents: ["a", "b"] })).embeddings.length,
    count: async () => (await google.models.countTokens(
      { model: "gemini:text", contents: ask })).totalTokens,
  });
}

// ---- Vercel AI SDK ----------------------------------------------------------
const openaiOf = createOpenAI({ apiKey: key, baseURL: url + "/v1" });
const anthropicOf = createAnthropic({ apiKey: key, baseURL: url + "/v1" });
for (const [name, of] of [
  ["ai openai chat", (model) => openaiOf.chat(model)],
  ["ai openai responses", (model) => openaiOf.responses(model)],
  ["ai anthropic", (model) => anthropicOf(model)]]) {
  const emit = { emit: tool({ inputSchema: ticket }) };
  const found = (calls) => two(calls.map(
    (one) => ({ name: one.toolName, value: one.input })));
  // Errors of a stream are parts of it; unless told, they are written out.
  const parts = async (stream, kind) => {
    const kept = [];
    for await (const part of stream.fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === kind) kept.push(part);
    }
    return kept;
  };
  const onError = () => {};
  await all(name, {
    text: async (model, abortSignal) => (await generateText(
      { model: of(model), prompt: ask, abortSignal })).text,
    stream: async (model) => streamText(
      { model: of(model), prompt: ask }).textStream,
    object: async (model) => (await generateObject(
      { model: of(model), prompt: ask, schema: ticket })).object,
    objects: async (model) => (await parts(streamObject(
      { model: of(model), prompt: ask, schema: ticket, onError }), "object"))
      .at(-1).object,
    tool: async (model) => (await generateText({
      model: of(model), prompt: ask, tools: emit,
      toolChoice: { type: "tool", toolName: "emit" } })).toolCalls[0].input,
    calls: async (model) => found((await generateText(
      { model: of(model), prompt: ask, tools: emit })).toolCalls),
    callStream: async (model) => found(await parts(streamText(
      { model: of(model), prompt: ask, tools: emit, onError }), "tool-call")),
    stop: async function* (model) { // its streams are ended by a signal alone
      const end = new AbortController();
      try {
        yield* streamText({ model: of(model), prompt: ask,
                            abortSignal: end.signal, onError }).textStream;
      } finally {
        end.abort();
      }
    },
  });
}

// ---- LangChain --------------------------------------------------------------
// It sends every status again but 400 to 409, seven times in all unless told.
const lang = (model) => new ChatOpenAI({
  model, apiKey: key, maxRetries: 0, configuration: { baseURL: url + "/v1" } });
const bound = (model) => lang(model).bindTools(functions);
const named = (calls) => two(calls.map(
  ({ name, args }) => ({ name, value: args })));
await all("langchain", {
  text: async (model, signal) => (await lang(model).invoke(ask, { signal }))
    .content,
  stream: async (model) => map(await lang(model).stream(ask),
                               (chunk) => chunk.content),
  object: (model) => lang(model).withStructuredOutput(
    ticket, { method: "jsonSchema" }).invoke(ask),
  objects: async (model) => {
    let last;
    for await (const value of await lang(model).withStructuredOutput(
      ticket, { method: "jsonSchema" }).stream(ask)) last = value;
    return last;
  },
  tool: (model) => lang(model).withStructuredOutput(
    ticket, { method: "functionCalling" }).invoke(ask),
  calls: async (model) => named((await bound(model).invoke(ask)).tool_calls),
  callStream: async (model) => {
    let all;
    for await (const chunk of await bound(model).stream(ask))
      all = all ? all.concat(chunk) : chunk;
    return named(all.tool_calls);
  },
  stop: (model) => lang(model).stream(ask),
});

// ---- Instructor -------------------------------------------------------------
const plain = new OpenAI({ apiKey: key, baseURL: url + "/v1", maxRetries: 0 });
const ticket3 = z3.object({ title: z3.string(),
                            hours: z3.number().int().max(80) });
const instruct = (model, mode, more = {}, options = {}) => Instructor({
  client: plain, mode }).chat.completions.create(
  { model, messages: user, max_retries: 0, ...more,
    response_model: { schema: ticket3, name: "emit" } }, options);
const bare = ({ title, hours }) => ({ title, hours });
await all("instructor", {
  text: async (model, signal) => (await Instructor(
    { client: plain, mode: "TOOLS" }).chat.completions.create(
    { model, messages: user }, { signal })).choices[0].message.content,
  stream: async (model) => map(await Instructor(
    { client: plain, mode: "TOOLS" }).chat.completions.create(
    { model, messages: user, stream: true }),
  (chunk) => chunk.choices[0]?.delta.content),
  object: async (model) => bare(await instruct(model, "JSON_SCHEMA")),
  objects: async (model) => {
    let last;
    for await (const value of await instruct(model, "JSON_SCHEMA",
                                             { stream: true })) last = value;
    return bare(last);
  },
  tool: async (model) => bare(await instruct(model, "TOOLS")),
});

console.log(JSON.stringify(seen));
