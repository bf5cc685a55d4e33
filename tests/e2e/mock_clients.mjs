// SPDX-License-Identifier: Apache-2.0
// The providers' official clients against the mock server: prints what each
// saw, one JSON object. Usage: node mock_clients.mjs URL, beside node_modules.
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";

const url = process.argv[2];
const seen = {};

async function see(name, work) {
  try {
    seen[name] = await work();
  } catch (error) {
    seen[name] = { error: error.constructor.name, status: error.status,
                   code: error.code ?? null, message: String(error.message) };
  }
}

const schema = {
  type: "object", properties: { x: { type: "integer" } }, required: ["x"],
  additionalProperties: false,
};
const user = [{ role: "user", content: "hey" }];

// ---- OpenAI Chat Completions ------------------------------------------------
const openai = new OpenAI({ apiKey: "sk-test", baseURL: url + "/v1",
                            maxRetries: 0 });
const chat = (model, more) =>
  openai.chat.completions.create({ model, messages: user, ...more });
const format = { type: "json_schema",
                 json_schema: { name: "point", strict: true, schema } };
const tools = [{ type: "function",
                 function: { name: "emit", parameters: schema } }];

await see("openai whole", async () => {
  const { choices, usage, id } = await chat("text");
  return { id, text: choices[0].message.content,
           finish: choices[0].finish_reason, usage };
});
await see("openai parsed", async () => {
  const reply = await openai.chat.completions.parse(
    { model: "json", messages: user, response_format: format });
  return reply.choices[0].message.parsed ??
    JSON.parse(reply.choices[0].message.content);
});
await see("openai stream", async () => {
  let text = "", finish = null, usage = null;
  for await (const chunk of await chat("text", {
    stream: true, stream_options: { include_usage: true } })) {
    text += chunk.choices[0]?.delta?.content ?? "";
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  return { text, finish, usage };
});
await see("openai tool stream", async () => {
  const runner = openai.chat.completions.stream({
    model: "json", messages: user, tools,
    tool_choice: { type: "function", function: { name: "emit" } } });
  const final = await runner.finalChatCompletion();
  return final.choices[0].message.tool_calls[0].function;
});
await see("openai refusal", async () =>
  (await chat("refusal")).choices[0].message);
await see("openai 429", () => chat("limited"));
await see("openai 404", () => chat("unknown"));
await see("openai cut", async () => {
  for await (const chunk of await chat("cut", { stream: true })) void chunk;
  return "whole";
});
await see("openai error in stream", async () => {
  for await (const chunk of await chat("broken", { stream: true })) void chunk;
  return "whole";
});
await see("openai models", async () => {
  const ids = [];
  for await (const model of openai.models.list()) ids.push(model.id);
  return ids;
});

// ---- OpenAI Responses -------------------------------------------------------
const respond = (model, more) =>
  openai.responses.create({ model, input: "hey", ...more });
await see("responses whole", async () => {
  const reply = await respond("thinking");
  return { text: reply.output_text, status: reply.status,
           types: reply.output.map((item) => item.type), usage: reply.usage };
});
await see("responses stream", async () => {
  const stream = openai.responses.stream({ model: "thinking", input: "hey" });
  const types = [];
  for await (const event of stream) types.push(event.type);
  const final = await stream.finalResponse();
  return { text: final.output_text, types: [...new Set(types)] };
});
await see("responses tool stream", async () => {
  const stream = openai.responses.stream({
    model: "json", input: "hey", tool_choice: "required",
    tools: [{ type: "function", name: "emit", parameters: schema,
              strict: true }] });
  const item = (await stream.finalResponse()).output[0];
  return { name: item.name, arguments: item.arguments };
});
await see("responses cut off", async () => {
  const reply = await respond("length");
  return { status: reply.status, reason: reply.incomplete_details.reason };
});
await see("responses refusal", async () =>
  (await respond("refusal")).output[0].content[0]);

// ---- Anthropic Messages -----------------------------------------------------
const anthropic = new Anthropic({ apiKey: "sk-test", baseURL: url,
                                  maxRetries: 0 });
const message = (model, more) => anthropic.messages.create(
  { model, max_tokens: 100, messages: user, ...more });
const emit = [{ name: "emit", input_schema: schema }];
await see("anthropic whole", async () => {
  const { content, stop_reason, usage } = await message("thinking");
  return { content, stop_reason, usage };
});
await see("anthropic tool", async () =>
  (await message("json", { tools: emit,
                           tool_choice: { type: "tool", name: "emit" } }))
    .content[0]);
await see("anthropic stream", async () => {
  const final = await anthropic.messages.stream(
    { model: "thinking", max_tokens: 100, messages: user }).finalMessage();
  return { content: final.content, stop_reason: final.stop_reason,
           usage: final.usage };
});
await see("anthropic tool stream", async () =>
  (await anthropic.messages.stream(
    { model: "json", max_tokens: 100, messages: user, tools: emit,
      tool_choice: { type: "tool", name: "emit" } }).finalMessage())
    .content[0]);
await see("anthropic refusal", async () =>
  (await message("refusal")).stop_reason);
await see("anthropic 529", () => message("overloaded"));
await see("anthropic error in stream", async () =>
  anthropic.messages.stream({ model: "broken", max_tokens: 100,
                              messages: user }).finalMessage());

// ---- Gemini -----------------------------------------------------------------
const google = new GoogleGenAI({ apiKey: "sk-test",
                                 httpOptions: { baseUrl: url } });
const generate = (model, config) =>
  google.models.generateContent({ model, contents: "hey", config });
await see("gemini whole", async () => {
  const reply = await generate("thinking");
  return { text: reply.text, finish: reply.candidates[0].finishReason,
           usage: reply.usageMetadata };
});
await see("gemini json", async () => JSON.parse((await generate("json", {
  responseMimeType: "application/json", responseJsonSchema: schema })).text));
await see("gemini tool", async () => (await generate("json", {
  tools: [{ functionDeclarations: [{ name: "emit",
                                     parametersJsonSchema: schema }] }],
  toolConfig: { functionCallingConfig: { mode: "ANY" } },
})).functionCalls);
await see("gemini stream", async () => {
  let text = "", finish = null;
  for await (const chunk of await google.models.generateContentStream(
    { model: "thinking", contents: "hey" })) {
    text += chunk.text ?? "";
    finish = chunk.candidates?.[0]?.finishReason ?? finish;
  }
  return { text, finish };
});
await see("gemini 429", () => generate("limited"));

console.log(JSON.stringify(seen));
