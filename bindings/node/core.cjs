// SPDX-License-Identifier: Apache-2.0
// What every part stands on: the addon, errors, the options of a judgement, and
// its outcome.
"use strict";

const { join } = require("node:path");
const { Units, parse, pointerOf, pointerTokens, stringify } =
  require("./json.cjs");

const { version } = require("./package.json");

// ---- the addon --------------------------------------------------------------

function load() {
  const file = join(__dirname, "build", "surety.node");
  let addon;
  try {
    addon = require(file);
  } catch (error) {
    throw new Error(error.code === "MODULE_NOT_FOUND" ?
      `surety: its addon is not built: ${file} is missing; npm rebuild ` +
      "surety builds it" :
      `surety: its addon cannot be loaded: ${error.message}; is libsurety ` +
      "installed, and the addon built against it (npm rebuild surety)?",
    { cause: error });
  }
  const line = (it) => it.split(".").slice(0, 2).join(".");
  if (line(addon.version()) !== line(version))
    throw new Error(`surety: this package is version ${version} and the ` +
      `library is version ${addon.version()}; both must be ` +
      `${line(version)}, or both ${line(addon.version())}`);
  return addon;
}

const addon = load();

// ---- errors -----------------------------------------------------------------

// A call failed: the library could not do what was asked for. The addon makes
// them with all nine arguments.
class SuretyError extends Error {
  constructor(message, status, hint = "", path = "", source = "", line = 0,
    column = 0, offset = 0, length = 0) {
    super(message);
    this.name = "SuretyError";
    this.status = status;
    this.hint = hint;
    this.path = path;
    this.source = source;
    this.line = line || undefined;
    this.column = line ? column : undefined;
    this.offset = line ? offset : undefined;
    this.length = line ? length : undefined;
  }
}
addon.setError(SuretyError);

// A reply does not satisfy its contract. The message is the whole report.
class InvalidReply extends SuretyError {
  constructor(outcome) {
    const [first] = outcome.errors;
    super(outcome.report("text").trimEnd() || "there is no valid value",
      "invalid", first?.hint, first?.instanceLocation, "", first?.line,
      first?.column, first?.offset, first?.length);
    this.name = "InvalidReply";
    this.outcome = outcome;
    this.errors = outcome.errors;
  }

  // The report (contract surety/report) as an object.
  get report() {
    return this.outcome.report();
  }
}

// A run ended without a valid value.
class RunFailed extends SuretyError {
  constructor(result) {
    super(result.message || `the run has ended ${result.verdict}`, "run",
      result.hint);
    this.name = "RunFailed";
    this.result = result;
  }
}

// ---- arguments --------------------------------------------------------------

function wrong(what) {
  throw new TypeError(`surety: ${what}`);
}

// The options, which may have no others than names.
function known(options, names, where) {
  if (options === undefined || options === null)
    return {};
  if (typeof options !== "object")
    wrong(`the options of ${where} are no object`);
  for (const name of Object.keys(options))
    if (!names.includes(name))
      wrong(`${where} has no option ${JSON.stringify(name)}; it has ` +
        [...names].sort().join(", "));
  return options;
}

// The place of a word in a list; undefined stays.
function choice(value, names, what) {
  if (value === undefined || value === null)
    return undefined;
  const found = names.indexOf(value);
  if (found < 0)
    wrong(`${what} is ${JSON.stringify(value)}; it can be ${names.join(", ")}`);
  return found;
}

function flag(value, what) {
  if (value !== undefined && typeof value !== "boolean")
    wrong(`${what} is ${typeof value}, not boolean`);
  return value;
}

function whole(value, what, most = 0xffffffff) {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0 &&
      value <= most))
    wrong(`${what} is ${value}, not an integer from 0 to ${most}`);
  return value;
}

// A string or bytes, as the addon takes them. Memory that another thread may
// write to is copied.
function text(value, what) {
  if (typeof value === "string")
    return value;
  let bytes;
  if (ArrayBuffer.isView(value))
    bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  else if (value instanceof ArrayBuffer ||
      value instanceof SharedArrayBuffer)
    bytes = new Uint8Array(value);
  else
    wrong(`${what} is ${value === null ? "null" : typeof value}, neither a ` +
      "string nor bytes");
  return bytes.buffer instanceof SharedArrayBuffer ? Uint8Array.from(bytes) :
    bytes;
}

const REPAIRS = ["none", "syntax", "align"];
const FORMS_READ = ["tool-call", "yaml", "table", "csv", "key-value", "xml"];
const PLACES = ["native", "whole", "fence", "fence-any", "marker", "embedded"];
const STYLES = ["contract", "json-schema", "typescript", "example"];
const FEEDBACKS = ["errors", "simple", "patch"];
const FORMS = ["json", "text", "color", "plain", "github", "sarif"];
const JUDGING = ["repair", "certain", "partial", "derive", "fallback",
  "extract", "variables", "native", "cut", "validators"];

function extractOptions(extract) {
  if (extract === undefined)
    return undefined;
  const given = known(extract, ["from", "pick", "marker", "forms",
    "skipReasoning"], "extract");
  if (given.from !== undefined && !Array.isArray(given.from))
    wrong("extract.from is no array");
  if (given.from && (!given.from.length ||
      new Set(given.from).size < given.from.length))
    wrong("extract.from lists each place once, and at least one");
  if (given.marker !== undefined && typeof given.marker !== "string")
    wrong("extract.marker is no string");
  if (given.forms !== undefined && !Array.isArray(given.forms))
    wrong("extract.forms is no array");
  const read = given.forms?.map((it) => 1 <<
    choice(it, FORMS_READ, "a form of extract.forms"));
  return { formsOff: read && ~read.reduce((all, bit) => all | bit, 0) & 63,
    from: given.from?.map((it) =>
    choice(it, PLACES, "a place of extract.from") + 1),
  pickLast: choice(given.pick, ["first", "last"], "extract.pick") === 1,
  keepReasoning: flag(given.skipReasoning, "extract.skipReasoning") === false,
  marker: given.marker };
}

// The options of a judgement, as the addon takes them.
function judging(options) {
  const variables = Object.entries(options.variables ?? {}).map(([name, it]) =>
    typeof it === "string" ? [name, it] :
      wrong(`the variable ${JSON.stringify(name)} is no string`));
  return { repair: choice(options.repair, REPAIRS, "repair"),
    certain: flag(options.certain, "certain"),
    partial: flag(options.partial, "partial"),
    derive: flag(options.derive, "derive"),
    noFallback: flag(options.fallback, "fallback") === false,
    cut: flag(options.cut, "cut"),
    native: options.native === undefined || options.native === null ?
      undefined : text(options.native, "native"),
    extract: extractOptions(options.extract),
    variables: variables.length ? variables.flat() : undefined };
}

// ---- issues -----------------------------------------------------------------

// A warning that only this side knows of, in the forms that the engine writes.
function issueWritten(it, form, source, reply) {
  const line = (text) => text.replace(/[\0-\x1f\x7f]+/g, " ");
  const located = line(`${it.message} (path: ${it.path.join("/")})`);
  if (form === "sarif")
    return JSON.stringify({ ruleId: it.keyword, level: "warning", message: {
      text: it.message }, locations: [{ physicalLocation: {
      artifactLocation: { uri: source }, region: it.line ? {
        startLine: it.line, startColumn: it.column } : undefined } }] });
  if (form === "github") {
    const safe = (text) => line(text).replace(/[%:,]/g, encodeURIComponent);
    const at = it.line ? `line=${it.line},col=${it.column},` : "";
    return `::warning file=${safe(source)},${at}title=${safe(it.keyword)}::` +
      `${(it.path.length ? located : line(it.message)).replace(/%/g, "%25")}\n`;
  }
  const bytes = (end) => typeof reply === "string" ?
    Buffer.byteLength(reply.slice(0, end)) : end;
  const offset = bytes(it.offset ?? 0);
  return addon.issueText({ ...it, source, offset,
    length: bytes((it.offset ?? 0) + (it.length ?? 0)) - offset,
    text: it.line ? reply : undefined, warning: true,
    color: form === "color" });
}

// ---- outcomes ---------------------------------------------------------------

function issueOf(issue, units) {
  const it = { keyword: issue.keyword, message: issue.error,
    path: pointerTokens(issue.instanceLocation ?? ""),
    instanceLocation: issue.instanceLocation ?? "",
    keywordLocation: issue.keywordLocation ?? "",
    absoluteKeywordLocation: issue.absoluteKeywordLocation ?? "" };
  if (issue.hint)
    it.hint = issue.hint;
  return placed(it, issue, units);
}

function repairOf(repair, units) {
  const it = { kind: repair.kind, confidence: repair.confidence,
    original: repair.original, read: repair.read };
  if (repair.instanceLocation !== undefined) {
    it.instanceLocation = repair.instanceLocation;
    it.cost = repair.cost ?? 0;
  }
  return placed(it, repair, units);
}

// it with the position of from, counted as the reply's own type counts.
function placed(it, from, units) {
  if (from.line === undefined)
    return it;
  it.line = from.line;
  it.column = from.column;
  it.offset = units(from.offset);
  it.length = units(from.offset + from.length) - it.offset;
  return it;
}

// A report as it is given out: SARIF as a whole document.
function written(form, report) {
  return form === "sarif" ? JSON.stringify({ $schema:
    "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0",
  runs: [{ tool: { driver: { name: "surety", version } },
    results: JSON.parse(`[${report}]`) }] }) : report;
}

// What a judgement found. how is what it was made with: the handle of the
// contract, the judging options with what the validators said, bigint, and of a
// run its finished reports.
class Outcome {
  #how;
  #more; // only Zod says yes

  constructor(report, raw, how) {
    const read = parse(report, how.bigint);
    const counted = read.place === "native" ? how.judging.native ?? raw : raw;
    const lazy = typeof counted === "string" ? new Units(counted) : undefined;
    const units = (byte) => lazy ? lazy.of(byte) : byte;
    this.#how = how;
    this.ok = read.ok;
    this.stage = read.stage;
    this.contract = read.contract;
    this.value = read.ok || read.fallback || read.partial ? read.value :
      undefined;
    this.errors = read.errors.map((it) => issueOf(it, units));
    this.warnings = read.warnings.map((it) => issueOf(it, units));
    this.repairs = read.repairs.map((it) => repairOf(it, units));
    this.truncated = read.truncated === true;
    this.fallback = read.fallback;
    this.partial = read.partial === true;
    this.open = read.open;
    this.derived = read.derived;
    this.place = read.place;
    this.span = read.span && { start: units(read.span.start),
      end: units(read.span.end) };
    this.raw = raw;
  }

  // The value that the errors point into, valid or not, as it was read.
  get candidate() {
    const { bigint, contract, judging } = this.#how;
    const read = addon.candidate(contract, this.raw, judging);
    return read ? parse(read, bigint) : undefined;
  }

  // The value as Zod has it.
  takeValue(value) {
    this.value = value;
    return this;
  }

  // Zod accepts a value that the engine refused: the engine's errors become
  // warnings.
  takeMore(value) {
    this.#more = true;
    this.ok = true;
    this.stage = null;
    this.value = value;
    this.fallback = false;
    this.truncated = false;
    this.warnings = [...this.warnings, ...this.errors];
    this.errors = [];
    return this;
  }

  // What there is of a value that was cut off, which Zod does not take.
  refusePart(issues) {
    this.ok = false;
    this.stage = "validation";
    this.errors = issues.map((it) => this.#issueOfZod(it));
    return this;
  }

  #issueOfZod(issue) {
    const pointer = pointerOf(issue.path);
    const it = { keyword: "validator", message: issue.message,
      path: issue.path.map(String), instanceLocation: pointer,
      keywordLocation: "", absoluteKeywordLocation: "" };
    const { contract, judging } = this.#how;
    const found = JSON.parse(addon.locate(contract, this.raw, judging,
      pointer));
    const counted = this.place === "native" ? judging.native ?? this.raw :
      this.raw;
    const lazy = typeof counted === "string" ? new Units(counted) : undefined;
    return placed(it, found ?? {}, (byte) => lazy ? lazy.of(byte) : byte);
  }

  // The value of a valid reply; throws where there is none.
  get parsed() {
    if (!this.ok)
      throw new InvalidReply(this);
    return this.value;
  }

  // The report: "object" (contract surety/report), or a text of a form.
  report(form = "object", options) {
    const { source = "reply" } = known(options, ["source"], "report");
    if (form === "object")
      return parse(this.#report("json", source), this.#how.bigint);
    return written(form, this.#report(form, source));
  }

  #report(form, source) {
    const number = choice(form, FORMS, "the form of a report");
    const { contract, judging, reports } = this.#how;
    if (this.#more)
      return this.#reportMore(form, source);
    return reports ? reports[number] :
      addon.judge(contract, this.raw, judging, number, source);
  }

  // A reply that only Zod takes: what the engine found, as warnings.
  #reportMore(form, source) {
    const entries = (list) => list.map(({ message, path, ...it }) =>
      ({ ...it, error: message }));
    if (form === "json")
      return stringify({ ok: true, stage: null, contract: this.contract,
        value: this.candidate, fallback: false, place: this.place, span: null,
        errors: [], repairs: [], warnings: entries(this.warnings),
        raw: String(this.raw).slice(0, 500) });
    if (form === "plain")
      return "";
    // Positions are the reply's, but for what the provider's API delivered.
    const reply = this.place === "native" ? "" : this.raw;
    return this.warnings.map((it) => issueWritten(it, form, source, reply))
      .join(form === "sarif" ? "," : "");
  }

  // What to send after this reply.
  retryPrompt(prompt, options) {
    const { feedback, style } = known(options, ["feedback", "style"],
      "retryPrompt");
    return addon.retryPrompt(this.#how.contract, this.raw, this.#how.judging,
      text(prompt, "the prompt"), choice(feedback, FEEDBACKS, "feedback") ?? -1,
      choice(style, STYLES, "style") ?? 0);
  }

  // The JSON that the answer to a retry prompt with feedback "patch" makes of
  // this reply's value, to be checked whole.
  patch(answer) {
    return addon.patch(this.#how.contract, this.raw, this.#how.judging,
      text(answer, "the answer"));
  }
}

module.exports = { FEEDBACKS, FORMS, InvalidReply, JUDGING, Outcome, REPAIRS,
  RunFailed, STYLES, SuretyError, addon, choice, flag, judging, known, text,
  version, whole, written, wrong };
