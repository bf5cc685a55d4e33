// SPDX-License-Identifier: Apache-2.0
// Conversations and tools of a run. The engine judges the arguments and makes
// the calls; here they reach the functions of the program.
"use strict";

const { flag, known, wrong } = require("./core.cjs");
const { parse, stringify } = require("./json.cjs");

// ---- messages ---------------------------------------------------------------

// JSON of the messages; bytes, as the AI SDK has them, as base64.
function messagesOf(given) {
  if (given === undefined || typeof given === "string")
    return given;
  if (given === null || typeof given !== "object")
    wrong("messages are a list of messages, a request with one, or its JSON");
  return JSON.stringify(given, function (key, it) {
    const bytes = this[key];
    if (bytes instanceof ArrayBuffer)
      return Buffer.from(bytes).toString("base64");
    return ArrayBuffer.isView(bytes) ? Buffer.from(bytes.buffer,
      bytes.byteOffset, bytes.byteLength).toString("base64") : it;
  });
}

// ---- tools ------------------------------------------------------------------

const MEMBERS = ["name", "description", "parameters", "result", "execute",
  "seconds", "polls"];

// A list of tools, or tools by their names.
function listOf(given) {
  if (given === undefined)
    return [];
  if (given === null || typeof given !== "object")
    wrong("tools are an array, or an object with tools by their names");
  return Array.isArray(given) ? given :
    Object.entries(given).map(([name, it]) => ({ name, ...it }));
}

// The arguments of a call as JavaScript has them; as text where the model wrote
// no JSON.
function argumentsOf(text, bigint) {
  try {
    return parse(text, bigint);
  } catch {
    return text;
  }
}

class Tool {
  #execute;
  #validators;
  #bigint;
  #json;

  // rules gives the contract of a schema, and its validators.
  constructor(given, rules, bigint) {
    const { name, description = "", parameters, result, execute, seconds,
      polls } = known(given, MEMBERS, "a tool");
    if (typeof name !== "string" || typeof description !== "string")
      wrong("a tool has a name and a description, which are strings");
    if (typeof execute !== "function")
      wrong(`the tool ${name} has no function execute`);
    if (seconds !== undefined && !(seconds > 0 && seconds < 4e6))
      wrong(`the tool ${name} has ${seconds}, no number of seconds`);
    const checked = parameters === undefined ? {} : rules(parameters);
    this.#execute = execute;
    this.#validators = checked.validators;
    this.#bigint = bigint || checked.bigint === true;
    this.#json = result !== undefined;
    this.spec = { name, description, parameters: checked.text,
      result: this.#json ? rules(result).text : undefined,
      validates: this.#validators !== undefined,
      timeMs: seconds && Math.ceil(seconds * 1000),
      polls: flag(polls, "polls") };
  }

  validate(text) {
    return this.#validators.askAsync(parse(text, this.#bigint));
  }

  // The result as text. Where there is no contract for it a string is the text.
  async call(text, context) {
    const read = parse(text, this.#bigint);
    const typed = this.#validators &&
      await this.#validators.typedAsync(read);
    const given = await this.#execute(typed ? typed.data : read, context);
    return typeof given === "string" && !this.#json ? given :
      stringify(given) ?? "null";
  }
}

class Toolbox {
  #tools;
  #calls = new Map(); // what aborts the calls under way, by question

  constructor(given, rules, bigint) {
    this.#tools = listOf(given).map((it) => new Tool(it, rules, bigint));
  }

  get spec() {
    return this.#tools.length ? this.#tools.map((it) => it.spec) : undefined;
  }

  validate(member, text) {
    return this.#tools[member].validate(text);
  }

  // Calls answer(text, failed) when the call has ended.
  async call(question, member, text, id, answer) {
    const controller = new AbortController();
    this.#calls.set(question, controller);
    try {
      answer(await this.#tools[member].call(text,
        { id, signal: controller.signal }), false);
    } catch (error) {
      answer(String(error?.message || error), true);
    } finally {
      this.#calls.delete(question);
    }
  }

  cancel(question) {
    this.#calls.get(question)?.abort();
  }
}

// The calls of tools that the report of a run has.
function usesOf(attempts, bigint) {
  return attempts.flatMap((it, i) => (it.tools ?? []).map((use) => ({
    attempt: i + 1, id: use.call, name: use.name,
    arguments: argumentsOf(use.arguments, bigint), result: use.result,
    made: use.made, failure: use.failure, message: use.message ?? "" })));
}

module.exports = { Toolbox, messagesOf, usesOf };
