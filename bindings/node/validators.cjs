// SPDX-License-Identifier: Apache-2.0
// Validators judge a value besides schema and rules: the Zod schema that a
// contract was made from, and functions of the program. The engine names a value
// that it would accept, gets the issues of the validators, and judges again with
// them. So it never waits for JavaScript, and asynchronous validators give the
// same result.
"use strict";

const { SuretyError, wrong } = require("./core.cjs");
const { parse, pointerOf } = require("./json.cjs");

function later() {
  return new SuretyError("a validator is asynchronous", "misuse",
    "use checkAsync, parseAsync or endAsync");
}

// zod/mini has these as functions of the schema's core only.
function issuesOf(payload) {
  return payload.issues.length ? { success: false, error: { issues:
    payload.issues.map((it) => ({ ...it, code: it.code ?? "custom",
      path: it.path ?? [], message: it.message ?? "invalid" })) } } :
    { success: true, data: payload.value };
}

function safeParse(schema, value) {
  try {
    if (schema.safeParse)
      return schema.safeParse(value);
    const payload = schema._zod.run({ value, issues: [] }, { async: false });
    if (payload instanceof Promise)
      throw later();
    return issuesOf(payload);
  } catch (error) {
    throw error?.constructor?.name === "$ZodAsyncError" ? later() : error;
  }
}

async function safeParseAsync(schema, value) {
  return schema.safeParseAsync ? schema.safeParseAsync(value) :
    issuesOf(await schema._zod.run({ value, issues: [] }, { async: true }));
}

// An issue as the addon takes it: location, message, hint.
function issueOf(it, name) {
  if (typeof it === "string")
    return ["", it, ""];
  const { message, path = "", hint = "" } = it ?? {};
  if (typeof message !== "string" || !message || typeof hint !== "string" ||
      typeof path !== "string" && !Array.isArray(path))
    wrong(`the validator ${name} gives undefined, texts or { message, path, ` +
      "hint }");
  return [Array.isArray(path) ? pointerOf(path) : path, message, hint];
}

// What a function gave back, or threw, as issues.
function saidOf(said, name) {
  if (said === undefined || said === null || said === true)
    return [];
  if (said === false)
    return [["", `${name} says no`, ""]];
  return (Array.isArray(said) ? said : [said]).map((it) => issueOf(it, name));
}

function thrownOf(error) {
  if (!Array.isArray(error?.issues) || !/^\$?Zod/.test(error.name))
    throw error;
  return zodIssues(error);
}

function zodIssues(error) {
  return error.issues.map((it) => [pointerOf(it.path),
    it.message || "invalid", ""]);
}

class Validators {
  #zod;
  #functions;

  constructor(zod, functions) {
    this.#zod = zod;
    this.#functions = functions;
  }

  // undefined where there is nobody to ask.
  static of(zod, ...given) {
    const functions = given.flat().filter((it) => it !== undefined);
    for (const it of functions)
      if (typeof it !== "function")
        wrong("a validator is no function");
    return zod || functions.length ? new Validators(zod, functions) : undefined;
  }

  // What Zod makes of a value, as safeParse gives it.
  typed(value) {
    return this.#zod ? safeParse(this.#zod, value) :
      { success: true, data: value };
  }

  async typedAsync(value) {
    return this.#zod ? safeParseAsync(this.#zod, value) :
      { success: true, data: value };
  }

  // { issues, data } of a value.
  ask(value) {
    const zod = this.typed(value);
    if (!zod.success)
      return { issues: zodIssues(zod.error) };
    const issues = this.#functions.flatMap((it) => {
      let said;
      try {
        said = it(zod.data);
      } catch (error) {
        return thrownOf(error);
      }
      if (typeof said?.then === "function") {
        Promise.resolve(said).catch(() => {});
        throw later();
      }
      return saidOf(said, it.name || "function");
    });
    return { issues, data: zod.data };
  }

  async askAsync(value) {
    const zod = await this.typedAsync(value);
    if (!zod.success)
      return { issues: zodIssues(zod.error) };
    const issues = [];
    for (const it of this.#functions) {
      let said;
      try {
        said = await it(zod.data);
      } catch (error) {
        issues.push(...thrownOf(error));
        continue;
      }
      issues.push(...saidOf(said, it.name || "function"));
    }
    return { issues, data: zod.data };
  }
}

// What was said in one judgement, by the JSON of the values.
class Said {
  answers = []; // value, issues, value, issues, ...: the newest first
  typed = new Map();

  add(text, { issues, data }) {
    const written = JSON.stringify(issues);
    this.answers.unshift(text, written);
    if (!issues.length)
      this.typed.set(text, data);
    return written;
  }
}

// Judges until no validator is to be asked any more. step(answers) gives
// [report, the value's JSON], or [undefined, the JSON of what is asked about].
function settle(step, validators, bigint) {
  const said = new Said();
  for (;;) {
    const [report, text] = step(said.answers);
    if (report !== undefined)
      return { report, text, said };
    said.add(text, validators.ask(parse(text, bigint)));
  }
}

async function settleAsync(step, validators, bigint) {
  const said = new Said();
  for (;;) {
    const [report, text] = step(said.answers);
    if (report !== undefined)
      return { report, text, said };
    said.add(text, await validators.askAsync(parse(text, bigint)));
  }
}

module.exports = { Said, Validators, settle, settleAsync };
