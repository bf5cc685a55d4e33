// SPDX-License-Identifier: Apache-2.0
// Clients of what providers keep, as their users write them, with the gateway
// as their base URL: prints what each saw, one JSON object. Usage: node
// gateway_objects.mjs URL, beside node_modules.
import OpenAI, { toFile } from "openai";
import OpenAINewest from "openai-newest";
import Anthropic, { toFile as toOther } from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";

const url = process.argv[2];
const key = "sk-client";
const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
const seen = {};

async function see(name, work) {
  try {
    seen[name] = await work();
  } catch (error) {
    seen[name] = { status: error.status, message: String(error.message) };
  }
}

const hex = async (response) =>
  Buffer.from(await response.arrayBuffer()).toString("hex");

async function all(items) {
  const ids = [];
  for await (const item of items) ids.push(item.id ?? item.name);
  return ids;
}

for (const [name, Client] of [["openai", OpenAI], ["newest", OpenAINewest]]) {
  const openai = new Client({ apiKey: key, baseURL: url + "/v1",
                              maxRetries: 0 });
  await see(`${name} upload`, async () => (await openai.files.create({
    purpose: "batch", file: await toFile(bytes, "a.bin") })).id);
  await see(`${name} list`, () => all(openai.files.list()));
  await see(`${name} retrieve`, async () =>
    (await openai.files.retrieve("file-1")).id);
  await see(`${name} content`, async () =>
    hex(await openai.files.content("file-1")));
  await see(`${name} delete`, async () =>
    (await openai.files.delete("file-1")).deleted);
  await see(`${name} absent`, () => openai.files.retrieve("file-9"));
  await see(`${name} response`, async () =>
    (await openai.responses.retrieve("resp_1")).id);
  await see(`${name} response stream`, async () => {
    const types = [];
    for await (const event of await openai.responses.retrieve(
      "resp_1", { stream: true })) types.push(event.type);
    return types;
  });
  await see(`${name} response cancel`, async () =>
    (await openai.responses.cancel("resp_1")).status);
  await see(`${name} response delete`, () =>
    openai.responses.delete("resp_1"));
  await see(`${name} batch`, async () => (await openai.batches.create({
    input_file_id: "file-1", endpoint: "/v1/responses",
    completion_window: "24h" })).input_file_id);
  await see(`${name} batch cancel`, async () =>
    (await openai.batches.cancel("batch_1")).status);
  await see(`${name} moderation`, async () =>
    (await openai.moderations.create({ input: "hey" })).results.length);
  await see(`${name} not named`, () => openai.vectorStores.list());
}

const anthropic = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
await see("anthropic upload", async () => (await anthropic.beta.files.upload({
  file: await toOther(bytes, "a.bin") })).id);
await see("anthropic list", () => all(anthropic.beta.files.list()));
await see("anthropic content", async () =>
  hex(await anthropic.beta.files.download("file-1")));
await see("anthropic delete", async () =>
  (await anthropic.beta.files.delete("file-1")).type);
await see("anthropic batch", async () => (
  await anthropic.messages.batches.create({ requests: [] })).id);
await see("anthropic batches", () => all(anthropic.messages.batches.list()));
await see("anthropic batch cancel", async () =>
  (await anthropic.messages.batches.cancel("batch_1")).processing_status);
await see("anthropic not named", () => anthropic.beta.skills.list());

const gemini = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
await see("gemini upload", async () => (await gemini.files.upload({
  file: new Blob([bytes]), config: { mimeType: "application/octet-stream" },
})).name);
await see("gemini list", async () => all(await gemini.files.list()));
await see("gemini delete", async () =>
  await gemini.files.delete({ name: "files/a" }) && "gone");
await see("gemini cache", async () => (await gemini.caches.create({
  model: "m", config: { contents: "hey" } })).name);
await see("gemini cache get", async () =>
  (await gemini.caches.get({ name: "cachedContents/a" })).name);

console.log(JSON.stringify(seen));
