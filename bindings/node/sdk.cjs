// SPDX-License-Identifier: Apache-2.0
// Models of the AI SDK: objects with doGenerate and doStream, of the
// specifications v2, v3 and v4 (ai 5, 6 and 7). They differ in how bytes stand
// in a prompt, and in the form of usage and finish reasons. What a provider
// wants to get back (providerMetadata) goes back as providerOptions of the same
// part.
"use strict";

const VERSIONS = ["v2", "v3", "v4"];
// Parts of an answer that only the provider understands, and wants back.
const OWN = ["tool-call", "tool-result", "tool-approval-request", "file",
  "reasoning-file", "custom"];

function isSdk(it) {
  return it !== null && typeof it === "object" &&
    typeof it.doGenerate === "function" && typeof it.doStream === "function" &&
    VERSIONS.includes(it.specificationVersion);
}

// The model cannot take this: as an error of its provider would be.
function refuse(what) {
  throw Object.assign(new Error(what), { status: 400 });
}

// ---- prompts ----------------------------------------------------------------

function optionsOf({ metadata }) {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

// Whether the provider fetches this URL.
function fetches(urls, mediaType, url) {
  return Object.entries(urls ?? {}).some(([type, patterns]) =>
    (type === "*" || type === "*/*" || type === mediaType ||
      type.endsWith("/*") && mediaType.startsWith(type.slice(0, -1))) &&
    patterns.some((it) => it.test(url)));
}

function fileData(part, mediaType, { version, provider, urls }) {
  const tagged = version === "v4";
  if (part.data !== undefined)
    return tagged ? { type: "data", data: part.data } : part.data;
  if (part.url === undefined)
    return tagged ? { type: "reference", reference: { [provider.split(".")[0]]:
      part.file_id } } : refuse("a model of this specification takes no file " +
      "by its id: give its bytes or a URL");
  if (!fetches(urls, mediaType, part.url))
    refuse(`the model does not fetch ${part.url}: give the bytes of the ` +
      "medium");
  return tagged ? { type: "url", url: new URL(part.url) } : new URL(part.url);
}

function filePart(part, model) {
  const mediaType = part.media_type ?? (part.type === "image" ? "image/*" :
    "application/pdf");
  return { type: "file", mediaType, filename: part.name,
    data: fileData(part, mediaType, model) };
}

// A medium of a tool's result.
function resultFile(part, model) {
  const file = filePart(part, model);
  if (model.version === "v4")
    return file;
  if (part.data === undefined)
    refuse("the result of a tool has a medium without its bytes");
  return { type: model.version === "v2" ? "media" : part.type === "image" ?
    "image-data" : "file-data", data: part.data, mediaType: file.mediaType };
}

// The part of an answer as a part of a prompt.
function ownPart({ providerMetadata, ...part }) {
  const made = providerMetadata === undefined ? part :
    { ...part, providerOptions: providerMetadata };
  if (part.type === "tool-call")
    return { ...made, input: JSON.parse(part.input || "{}") };
  if (part.type !== "tool-result")
    return made;
  const { result, isError, ...rest } = made;
  return { ...rest, output: typeof result === "string" ?
    { type: isError ? "error-text" : "text", value: result } :
    { type: isError ? "error-json" : "json", value: result ?? null } };
}

function assistantPart(part) {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...optionsOf(part) };
    case "reasoning":
      return { type: "reasoning", text: part.text, ...optionsOf(part) };
    case "call":
      return { type: "tool-call", toolCallId: part.id, toolName: part.name,
        input: part.arguments, ...optionsOf(part) };
    default:
      return ownPart(part.part);
  }
}

// The results of a message; media behind one belong to it.
function toolParts(content, model) {
  const results = [];
  for (const part of content) {
    if (part.type === "result")
      results.push({ type: "tool-result", toolCallId: part.id,
        toolName: part.name, output: { type: "text", value: part.text } });
    else
      resultJoin(results.at(-1), part.type === "text" ?
        { type: "text", text: part.text } : resultFile(part, model));
  }
  return results;
}

function resultJoin(result, part) {
  if (result.output.type === "text")
    result.output = { type: "content", value: result.output.value ?
      [{ type: "text", text: result.output.value }] : [] };
  result.output.value.push(part);
}

function messageOf({ role, content }, model) {
  const parts = typeof content === "string" ? [{ type: "text",
    text: content }] : content;
  if (role === "system")
    return { role, content: parts.map((it) => it.text).join("\n\n") };
  if (role === "tool")
    return { role, content: toolParts(parts, model) };
  return { role, content: parts.map((it) => role === "assistant" ?
    assistantPart(it) : it.type === "text" ? { type: "text", text: it.text } :
      filePart(it, model)) };
}

function toolChoiceOf(choice) {
  return typeof choice === "string" ? { type: choice } :
    { type: "tool", toolName: choice.name };
}

function callOf(request, model) {
  const { tools, mode } = request;
  const call = { prompt: request.messages.map((it) => messageOf(it, model)),
    maxOutputTokens: request.maxOutputTokens, temperature: request.temperature,
    abortSignal: request.signal };
  if (mode === "native")
    call.responseFormat = { type: "json", schema: request.schema,
      name: request.schemaName };
  if (tools.length) {
    call.tools = tools.map(({ name, description, parameters }) => ({
      type: "function", name, description, inputSchema: parameters }));
    call.toolChoice = toolChoiceOf(request.toolChoice);
  }
  return call;
}

// ---- answers ----------------------------------------------------------------

// Counts; a number in v2, in later specifications an object.
function usageOf(usage) {
  const nested = typeof usage?.inputTokens === "object" &&
    usage.inputTokens !== null;
  const counts = nested ? { inputTokens: usage.inputTokens.total,
    cachedInputTokens: usage.inputTokens.cacheRead,
    outputTokens: usage.outputTokens?.total,
    reasoningTokens: usage.outputTokens?.reasoning } : usage ?? {};
  return Number.isSafeInteger(counts.inputTokens) &&
    Number.isSafeInteger(counts.outputTokens) ? counts : undefined;
}

// How the answer ended; the error that a provider names only so is thrown.
function finishOf(reason) {
  const word = typeof reason === "string" ? reason : reason?.unified;
  if (word === "error")
    throw Object.assign(new Error("the model ended with an error"),
      { status: 500 });
  return word === "content-filter" ? "filter" : word;
}

function endOf({ finishReason, usage }, { id, modelId } = {}) {
  return ["end", { finish: finishOf(finishReason), usage: usageOf(usage), id,
    model: modelId }];
}

// The steps of a part that came whole.
function* partSteps(part) {
  const { type, providerMetadata: metadata } = part;
  if (type === "text" || type === "reasoning") {
    yield [type, part.text];
    yield ["metadata", metadata];
    yield ["close"];
  } else if (type === "tool-call" && !part.providerExecuted) {
    yield ["call", { id: part.toolCallId, name: part.toolName,
      arguments: part.input || "{}", metadata }];
  } else if (OWN.includes(type)) {
    yield ["part", JSON.parse(JSON.stringify(part, (key, it) =>
      it instanceof Uint8Array ? Buffer.from(it).toString("base64") : it))];
  }
}

function* generated(result) {
  for (const part of result.content)
    yield* partSteps(part);
  yield endOf(result, result.response);
}

// The steps of a chunk of a stream that is not its last.
function* chunkSteps(chunk) {
  const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(
    chunk.type) ?? [];
  if (!kind) {
    yield* partSteps(chunk);
    return;
  }
  if (step === "start")
    yield ["close"];
  yield step === "end" ? ["metadata", chunk.providerMetadata] :
    [kind, chunk.delta ?? ""];
  if (step !== "end")
    yield ["metadata", chunk.providerMetadata];
  else
    yield ["close"];
}

async function* streamed(stream) {
  let response = {}, end;
  for await (const chunk of stream) {
    if (chunk.type === "error")
      throw chunk.error;
    if (chunk.type === "response-metadata")
      response = { ...response, ...chunk };
    else if (chunk.type === "finish")
      end = chunk;
    else
      yield* chunkSteps(chunk);
  }
  if (end)
    yield endOf(end, response);
}

// The steps of a model's answer.
async function* askSdk(model, request) {
  const call = callOf(request, { version: model.specificationVersion,
    provider: model.provider, urls: await model.supportedUrls });
  if (request.stream)
    yield* streamed((await model.doStream(call)).stream);
  else
    yield* generated(await model.doGenerate(call));
}

module.exports = { askSdk, isSdk };
