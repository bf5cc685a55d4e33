// SPDX-License-Identifier: Apache-2.0
// What the engine and a model that is a function say to each other: OpenAI's
// Responses. Here a request becomes messages, and an answer its events. A part
// that must go back as it came has that in the item's member provider_metadata,
// or, where the engine knows no such part, is the item of the type
// provider_part.
"use strict";

const { randomUUID } = require("node:crypto");

// ---- requests ---------------------------------------------------------------

// A medium of a data URL, of a URL, or of a file at the provider.
function media(type, url, file, name) {
  const part = name === undefined ? { type } : { type, name };
  if (file !== undefined)
    return { ...part, file_id: file };
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined ? { ...part, url } :
    { ...part, media_type: decodeURIComponent(mediaType), data };
}

function partOf(it) {
  if (it.type === "input_image")
    return media("image", it.image_url, it.file_id);
  if (it.type === "input_file")
    return media("document", it.file_data ?? it.file_url, it.file_id,
      it.filename);
  return { type: "text", text: it.text };
}

function partsOf(content) {
  return typeof content === "string" ? [{ type: "text", text: content }] :
    content.map(partOf);
}

function textOf(parts) {
  return parts.map((it) => it.text).join("");
}

// The role and the parts of an item. names has the tools of the calls so far.
function saidOf(item, names) {
  const metadata = item.provider_metadata;
  const parted = (role, part) => [role, [metadata === undefined ? part :
    { ...part, metadata }]];
  if (item.type === "function_call") {
    names.set(item.call_id, item.name);
    return parted("assistant", { type: "call", id: item.call_id,
      name: item.name, arguments: JSON.parse(item.arguments) });
  }
  if (item.type === "function_call_output") {
    const [first, ...others] = partsOf(item.output);
    const named = { type: "result", id: item.call_id,
      name: names.get(item.call_id) ?? "" };
    return ["tool", first?.type === "text" ?
      [{ ...named, text: first.text }, ...others] :
      [{ ...named, text: "" }, ...first ? [first] : [], ...others]];
  }
  if (item.type === "reasoning")
    return parted("assistant", { type: "reasoning",
      text: textOf(item.summary ?? []) });
  if (item.type === "provider_part")
    return ["assistant", [{ type: "provider", part: item.part }]];
  return item.role === "assistant" && typeof item.content !== "string" ?
    parted("assistant", { type: "text", text: textOf(item.content) }) :
    [item.role, partsOf(item.content)];
}

// The messages in Surety's own form, of which metadata is a part's own.
function messagesOf({ instructions, input }) {
  const messages = [], names = new Map();
  if (instructions)
    messages.push({ role: "system", content: instructions });
  let last;
  for (const item of input) {
    const [role, parts] = saidOf(item, names);
    const joins = last?.role === role && role !== "user" && role !== "system";
    if (!joins)
      messages.push(last = { role, content: [] });
    last.content.push(...parts);
  }
  for (const it of messages)
    if (it.content.length === 1 && it.content[0].type === "text" &&
        !it.content[0].metadata)
      it.content = it.content[0].text;
  return messages;
}

function choiceOf(choice = "auto") {
  return typeof choice === "string" ? choice : { name: choice.name };
}

// The request as a function gets it. schema is the contract's, where none is
// bound.
function requestOf(body, schema) {
  const format = body.text?.format;
  const choice = choiceOf(body.tool_choice);
  return { model: body.model, messages: messagesOf(body),
    tools: (body.tools ?? []).map(({ name, description, parameters }) =>
      ({ name, description, parameters })), toolChoice: choice,
    schema: format?.schema ?? schema, schemaName: format?.name,
    mode: format ? "native" : choice.name ? "tool" : "prompt",
    stream: body.stream === true, maxOutputTokens: body.max_output_tokens,
    temperature: body.temperature };
}

// ---- answers ----------------------------------------------------------------

// Why an answer ended, in the engine's words.
const REASONS = { length: "max_output_tokens", filter: "content_filter" };

// Writes an answer as events, each as soon as it comes. write(text) gives
// whether more is wanted.
class Writer {
  #write;
  #model;
  #index = -1;
  #open; // the item under way
  #wanted = true;
  begun = false;

  constructor(write, model) {
    this.#write = write;
    this.#model = model;
  }

  // Whether more is wanted.
  get wanted() {
    return this.#wanted;
  }

  #event(type, members) {
    this.begun = true;
    this.#wanted = this.#write(`data: ${JSON.stringify({ type:
      `response.${type}`, ...members })}\n\n`);
  }

  #begin(kind, item) {
    if (this.#open?.kind === kind)
      return;
    this.close();
    this.#open = { kind, text: "", metadata: undefined };
    this.#event("output_item.added", { output_index: ++this.#index, item });
  }

  // A whole item.
  #item(item) {
    this.close();
    this.#event("output_item.done", { output_index: ++this.#index, item });
  }

  text(delta) {
    this.#begin("text", { type: "message", role: "assistant" });
    this.#open.text += delta;
    if (delta)
      this.#event("output_text.delta", { output_index: this.#index, delta });
  }

  reasoning(delta) {
    this.#begin("reasoning", { type: "reasoning" });
    this.#open.text += delta;
    if (delta)
      this.#event("reasoning_summary_text.delta",
        { output_index: this.#index, delta });
  }

  // What is to go back with the item under way.
  metadata(metadata) {
    if (this.#open && metadata !== undefined)
      this.#open.metadata = metadata;
  }

  // Ends the item under way. Reasoning without metadata does not go back.
  close() {
    const open = this.#open;
    this.#open = undefined;
    if (!open)
      return;
    const { kind, text, metadata } = open;
    const kept = metadata === undefined ? {} : { provider_metadata: metadata };
    if (kind === "text")
      this.#event("output_item.done", { output_index: this.#index, item: {
        type: "message", role: "assistant", ...metadata === undefined ? {} :
          { phase: "final_answer" }, content: [{ type: "output_text", text }],
        ...kept } });
    else if (metadata !== undefined)
      this.#event("output_item.done", { output_index: this.#index, item: {
        type: "reasoning", summary: text ? [{ type: "summary_text", text }] :
          [], ...kept } });
  }

  call({ id = `call_${randomUUID()}`, name, arguments: given, metadata }) {
    const text = typeof given === "string" ? given : JSON.stringify(given ?? {});
    this.#item({ type: "function_call", call_id: id, name, arguments: text,
      ...metadata === undefined ? {} : { provider_metadata: metadata } });
  }

  // A part that only its provider knows.
  part(part) {
    this.#item({ type: "provider_part", part });
  }

  refusal(delta) {
    this.close();
    this.#event("refusal.delta", { output_index: ++this.#index, delta });
  }

  // The answer is whole, but for what finish says.
  end({ finish, usage, id, model }) {
    this.close();
    const reason = REASONS[finish];
    this.#event(reason ? "incomplete" : "completed", { response: { id,
      model: model ?? this.#model, output: [],
      status: reason ? "incomplete" : "completed",
      incomplete_details: reason ? { reason } : null, usage: usage && {
        input_tokens: usage.inputTokens, output_tokens: usage.outputTokens,
        input_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
        output_tokens_details: { reasoning_tokens: usage.reasoningTokens ??
          0 } } } });
  }

  // The answer broke off with an error of the provider.
  fail(error) {
    this.#event("failed", { response: { status: "failed", output: [],
      error } });
  }
}

module.exports = { Writer, requestOf };
