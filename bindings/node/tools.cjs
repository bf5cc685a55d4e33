// SPDX-License-Identifier: Apache-2.0
// Conversations and tools of a run. The engine judges the arguments and makes
// the calls; here they reach the functions of the program.
"use strict";

const { readFile } = require("node:fs/promises");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

const { SuretyError, flag, known, wrong } = require("./core.cjs");
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

const ELSEWHERE = ["command", "shell", "http"]; // who does it
const MEMBERS = ["name", "description", "parameters", "result", "execute",
  "seconds", "polls", "strict"];

// Whether it is what a tools file has.
function isContents(given) {
  return Array.isArray(given.tools) || Array.isArray(given.servers);
}

// A list of tools: functions, tools of a file, tools files and their contents.
function listOf(given) {
  if (given === undefined)
    return [];
  if (typeof given === "string" || given instanceof URL)
    return [given];
  if (given === null || typeof given !== "object")
    wrong("tools are an array, an object with tools by their names, or the " +
      "path of a tools file");
  if (Array.isArray(given))
    return given;
  return isContents(given) ? [given] :
    Object.entries(given).map(([name, it]) => ({ name, ...it }));
}

function isFile(it) {
  return typeof it === "string" || it instanceof URL;
}

// A tool that something else than a function does, as a tools file has it.
function contentsOf(it, rules) {
  if (it === null || typeof it !== "object")
    wrong("a tool is an object, or the path of a tools file");
  if (isContents(it))
    return stringify(it);
  const made = { ...it };
  for (const name of ["parameters", "result"])
    if (it[name] !== undefined)
      made[name] = JSON.parse(rules(it[name]).text);
  return stringify({ tools: [made] });
}

// The command of each server of the Model Context Protocol, as JSON. A text is
// read by the shell.
function serversOf(given) {
  if (given === undefined)
    return [];
  return (Array.isArray(given) ? given : [given]).map((it) => {
    const command = typeof it === "string" ? ["/bin/sh", "-c", it] : it;
    if (!Array.isArray(command) || !command.length ||
        command.some((word) => typeof word !== "string"))
      wrong("mcp is the command of a server, or an array of these: each a " +
        "text, or an array of the program and its arguments");
    return JSON.stringify(command);
  });
}

async function fileOf(given) {
  const name = given instanceof URL ? fileURLToPath(given) : given;
  try {
    return [await readFile(name), path.dirname(path.resolve(name)), name];
  } catch (error) {
    throw new SuretyError(`the tools file cannot be read: ${error.message}`,
      "io", "name a file that is there", "", name);
  }
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
      polls, strict } = known(given, MEMBERS, "a tool");
    if (typeof name !== "string" || typeof description !== "string")
      wrong("a tool has a name and a description, which are strings");
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
      polls: flag(polls, "polls"), strict: flag(strict, "strict") };
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
  #others;
  #servers;
  #given;
  #calls = new Map(); // what aborts the calls under way, by question

  constructor(given, mcp, rules, bigint) {
    const list = listOf(given);
    const here = (it) => typeof it?.execute === "function";
    for (const it of list)
      if (it && typeof it === "object" && !here(it) && !isFile(it) &&
          !isContents(it) && !ELSEWHERE.some((name) => name in it))
        wrong(`the tool ${it.name} has no function execute, and none of ` +
          ELSEWHERE.join(", "));
    this.#tools = list.filter(here).map((it) => new Tool(it, rules, bigint));
    this.#others = list.filter((it) => !here(it)).map((it) => isFile(it) ? it :
      { text: contentsOf(it, rules) });
    this.#servers = serversOf(mcp);
    this.#given = given !== undefined;
  }

  // The arguments of the addon.
  async spec() {
    const files = await Promise.all(this.#others.map((it) => it.text ?
      [it.text, "", ""] : fileOf(it)));
    return { tools: this.#tools.length ? this.#tools.map((it) => it.spec) :
      undefined, toolFiles: files.flat(), servers: this.#servers,
    toolsGiven: this.#given };
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
