// SPDX-License-Identifier: Apache-2.0
// Agents with tools, over the providers' official clients, against the mock
// server: prints what each saw, one JSON object. An agent asks for the weather
// until the model answers without a call. Usage: node mock_agents.mjs URL,
// beside node_modules.
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { GoogleGenAI } from "@google/genai";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, jsonSchema, tool } from "ai";

const url = process.argv[2];
const seen = {};
// The body of the last request of each agent: its whole conversation.
const bodies = {};
let running = null;
const send = globalThis.fetch;
globalThis.fetch = (to, request) => {
  if (typeof request?.body === "string") bodies[running] = request.body;
  return send(to, request);
};
const STEPS = 6; // more than any agent here needs
const QUESTION = "What is the weather in Rome and Oslo?";
const schema = {
  type: "object", properties: { city: { type: "string" } },
  required: ["city"], additionalProperties: false,
};
const cities = [];
const weather = ({ city }) => {
  cities.push(city);
  return `In ${city} it is "fine",\n20 degrees.`;
};

async function see(name, work) {
  cities.length = 0;
  running = name;
  try {
    const text = await work();
    seen[name] = cities.length ? { text, cities: [...cities] } : text;
  } catch (error) {
    seen[name] = { error: error.constructor.name, status: error.status,
                   code: error.code ?? null, message: String(error.message) };
  }
}

const openai = new OpenAI({ apiKey: "sk-test", baseURL: url + "/v1" });
const anthropic = new Anthropic({ apiKey: "sk-test", baseURL: url });
const google = new GoogleGenAI({ apiKey: "sk-test",
                                 httpOptions: { baseUrl: url } });

// ---- agents -----------------------------------------------------------------
const chatTools = [{ type: "function", function: {
  name: "weather", description: "Tells the weather.", parameters: schema } }];

// The model asks for one call after the other, or for both at once.
for (const [model, more] of [["agent", ""], ["several", ", at once"]]) {
  for (const stream of [false, true])
    await see(`openai runTools${stream ? " stream" : ""}${more}`, async () => {
      const runner = openai.chat.completions.runTools({
        model, stream,
        messages: [{ role: "user", content: QUESTION }],
        tools: [{ type: "function", function: {
          ...chatTools[0].function, parse: JSON.parse, function: weather } }],
      }, { maxChatCompletions: STEPS });
      return runner.finalContent();
    });

  for (const stream of [false, true])
    await see(`responses loop${stream ? " stream" : ""}${more}`, async () => {
      const input = [{ role: "user", content: QUESTION }];
      for (let i = 0; i < STEPS; i++) {
        const request = {
          model, input,
          tools: [{ type: "function", name: "weather", parameters: schema,
                    strict: true }] };
        const reply = stream
          ? await openai.responses.stream(request).finalResponse()
          : await openai.responses.create(request);
        const calls = reply.output.filter(
          (one) => one.type === "function_call");
        if (!calls.length) return reply.output_text;
        input.push(...reply.output);
        for (const call of calls)
          input.push({ type: "function_call_output", call_id: call.call_id,
                       output: weather(JSON.parse(call.arguments)) });
      }
      throw new Error("the agent does not end");
    });

  for (const stream of [false, true])
    await see(`anthropic toolRunner${stream ? " stream" : ""}${more}`,
              async () => {
      const runner = anthropic.beta.messages.toolRunner({
        model, max_tokens: 100, stream, max_iterations: STEPS,
        messages: [{ role: "user", content: QUESTION }],
        tools: [betaTool({ name: "weather", description: "Tells the weather.",
                           inputSchema: schema, run: weather })] });
      const last = await runner.runUntilDone();
      return last.content.map((block) => block.text ?? block.type).join("");
    });

  await see(`gemini calls${more}`, async () => {
    const reply = await google.models.generateContent({
      model, contents: QUESTION,
      config: {
        automaticFunctionCalling: { maximumRemoteCalls: STEPS },
        tools: [{
          tool: async () => ({ functionDeclarations: [
            { name: "weather", parametersJsonSchema: schema }] }),
          callTool: async (calls) => calls.map((call) => ({
            functionResponse: { id: call.id, name: call.name,
                                response: { output: weather(call.args) } } })),
        }] } });
    return reply.text;
  });
  await see(`gemini loop stream${more}`, async () => {
    const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
    for (let i = 0; i < STEPS; i++) {
      const calls = [];
      let text = "";
      for await (const chunk of await google.models.generateContentStream({
        model, contents, config: { tools: [{ functionDeclarations: [
          { name: "weather", parametersJsonSchema: schema }] }] } })) {
        calls.push(...(chunk.functionCalls ?? []));
        text += chunk.text ?? "";
      }
      if (!calls.length) return text;
      contents.push({ role: "model", parts: calls.map((functionCall) =>
        ({ functionCall })) });
      contents.push({ role: "user", parts: calls.map((call) =>
        ({ functionResponse: {
          name: call.name, response: { output: weather(call.args) } } })) });
    }
    throw new Error("the agent does not end");
  });

  await see(`ai generateText${more}`, async () => {
    const messages = [{ role: "user", content: QUESTION }];
    const provider = createOpenAI({ apiKey: "sk-test", baseURL: url + "/v1" });
    const { text, responseMessages } = await generateText({
      model: provider.chat(model), messages, stopWhen: isStepCount(STEPS),
      tools: { weather: tool({ inputSchema: jsonSchema(schema),
                               execute: weather }) } });
    bodies[running] = JSON.stringify([...messages, ...responseMessages]);
    return text;
  });
}
const conversations = { ...bodies };

// ---- what else a request is like --------------------------------------------
const chat = (more) => openai.chat.completions.create({
  model: "form", messages: [{ role: "user", content: "JSON, please" }],
  ...more });
const text = async (reply) => (await reply).choices[0].message.content;
await see("form: text", () => text(chat({})));
await see("form: json_object", () => text(chat(
  { response_format: { type: "json_object" } })));
await see("form: auto", () => text(chat({ tools: chatTools })));
await see("form: none", () => text(chat(
  { tools: chatTools, tool_choice: "none" })));
await see("form: gemini json", async () => (await
  google.models.generateContent({ model: "form", contents: "JSON", config: {
    responseMimeType: "application/json" } })).text);

// ---- counts, several answers, vectors ---------------------------------------
const prompt = [{ role: "user", content: QUESTION }];
await see("anthropic count", async () => [
  (await anthropic.messages.countTokens(
    { model: "agent", messages: prompt, system: "Be short." })).input_tokens,
  (await anthropic.beta.messages.countTokens(
    { model: "agent", messages: prompt, system: "Be short." })).input_tokens,
  (await anthropic.messages.create(
    { model: "plain", max_tokens: 9, messages: prompt, system: "Be short." }))
    .usage.input_tokens]);
await see("gemini count", async () => [
  (await google.models.countTokens({ model: "agent", contents: QUESTION }))
    .totalTokens,
  (await google.models.generateContent({ model: "plain", contents: QUESTION }))
    .usageMetadata.promptTokenCount]);
await see("responses count", async () => [
  (await openai.responses.inputTokens.count(
    { model: "agent", input: QUESTION })).input_tokens,
  (await openai.responses.create({ model: "plain", input: QUESTION }))
    .usage.input_tokens]);
await see("openai n", async () => {
  const reply = await chat({ model: "plain", n: 3 });
  return reply.choices.map((one) => [one.index, one.message.content]);
});
await see("openai n stream", async () => {
  const texts = [];
  for await (const chunk of await chat({ model: "plain", n: 3, stream: true }))
    for (const { index, delta } of chunk.choices)
      texts[index] = (texts[index] ?? "") + (delta.content ?? "");
  return texts;
});
await see("openai n tools", async () => (await chat(
  { model: "agent", n: 2, tools: chatTools })).choices.map(
  (one) => one.message.tool_calls[0].id));
await see("openai n 0", () => chat({ model: "plain", n: 0 }));
await see("gemini candidates", async () => (await
  google.models.generateContent({ model: "plain", contents: QUESTION,
                                  config: { candidateCount: 2 } }))
  .candidates.map((one) => [one.index, one.content.parts[0].text]));
const near = (a, b) => a.length === b.length &&
  a.every((x, i) => Math.abs(x - b[i]) < 1e-6);
await see("openai embeddings", async () => {
  const make = (input, more) => openai.embeddings.create(
    { model: "plain", input, ...more });
  const packed = await make(["Rome", "Oslo"]);
  const plain = await make("Rome", { encoding_format: "float" });
  const [rome, oslo] = packed.data.map((one) => one.embedding);
  return [rome.length, near(rome, plain.data[0].embedding), near(rome, oslo),
          Math.abs(rome.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-4,
          (await make("Rome", { dimensions: 7 })).data[0].embedding.length,
          packed.usage.total_tokens];
});
await see("gemini embeddings", async () => (await google.models.embedContent(
  { model: "plain", contents: ["Rome", "Oslo"],
    config: { outputDimensionality: 5 } })).embeddings.map(
  (one) => one.values.length));

// ---- what the mock does not do ----------------------------------------------
await see("openai images", () => openai.images.generate(
  { model: "plain", prompt: "A cat" }));
await see("openai moderations", async () => (await openai.moderations.create(
  { input: "x" })).results);
await see("anthropic batches", () => anthropic.messages.batches.list());
await see("gemini images", () => google.models.generateImages(
  { model: "plain", prompt: "A cat" }));

console.log(JSON.stringify({ ...seen, conversations }));
