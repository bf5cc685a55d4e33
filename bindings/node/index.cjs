// SPDX-License-Identifier: Apache-2.0
// The package: contracts, and what is done with one. The engine is libsurety;
// README.md is the page for users, index.d.cts the reference.
"use strict";

const { createRequire } = require("node:module");
const { join } = require("node:path");
const process = require("node:process");
const { fileURLToPath } = require("node:url");

const { parse, pointerTokens, stringify } = require("./json.cjs");
const { InvalidReply, JUDGING, Outcome, RunFailed, STYLES, SuretyError, addon,
  choice, flag, judging, known, text, version, whole, wrong } =
  require("./core.cjs");
const { Stream } = require("./stream.cjs");
const { Validators, settle, settleAsync } = require("./validators.cjs");
const { RunItems, RunResult, run: start } = require("./run.cjs");

const DIALECTS = ["default", "4", "6", "7", "2019-09", "2020-12", "v1"];

// Folders of contracts, as the command line looks for them.
function folders(given) {
  const list = given === undefined ? [] : [given].flat();
  return [...list, process.env.SURETY_CONTRACTS].filter(Boolean).join(":");
}

// ---- Zod --------------------------------------------------------------------

function isZod(schema) {
  return schema !== null && typeof schema === "object" &&
    typeof schema._zod === "object";
}

// What writes a Zod schema as JSON Schema: the Zod that was given, the schema
// itself (Zod 4.2 and later), or the Zod of the program.
function writerOf(schema, zod) {
  if (zod?.toJSONSchema)
    return (options) => zod.toJSONSchema(schema, options);
  if (typeof schema.toJSONSchema === "function")
    return (options) => schema.toJSONSchema(options);
  try {
    const near = createRequire(join(process.cwd(), "package.json"));
    const { toJSONSchema } = near("zod");
    return (options) => toJSONSchema(schema, options);
  } catch (error) {
    return wrong("this Zod schema cannot write itself and the package zod is " +
      `not found (${error.message.split("\n")[0]}); give your own: ` +
      "contract(schema, { zod: z })");
  }
}

// Whether Zod takes more for this part than the JSON Schema that it writes.
function takesMore({ def }) {
  const patterns = [def, ...(def.checks ?? []).map((it) => it._zod?.def)];
  return def.type === "catch" || def.coerce === true ||
    def.type === "pipe" && def.in._zod.def.type === "transform" ||
    patterns.some((it) => /[ims]/.test(it?.pattern?.flags ?? ""));
}

// The contract of a Zod schema. Zod itself fills in its defaults, from what
// the reply holds: those of the schema may be of the type after a transform.
// more() is called where Zod takes more than that says.
function schemaOfZod(schema, options, more = () => {}) {
  let written;
  const override = (context) => {
    if (takesMore(context.zodSchema._zod))
      more();
    options.jsonSchema?.override?.(context);
  };
  try {
    written = writerOf(schema, options.zod)({ io: "input",
      ...options.jsonSchema, override });
  } catch (error) {
    if (error instanceof TypeError)
      throw error;
    throw new SuretyError(`Zod cannot write the schema: ${error.message}`,
    "unsupported", "JSON has no such values: write z.iso.datetime() for a " +
    "date, z.int() for a bigint, or give jsonSchema: " +
    "{ unrepresentable: \"any\" }");
  }
  const policy = written["x-surety"];
  if (policy !== undefined && (policy === null || typeof policy !== "object"))
    return written;
  return { ...written, "x-surety": { defaults: false, ...policy } };
}

// ---- contracts --------------------------------------------------------------

// The library's limits, which are numbers above 0.
function limitsOf(given) {
  const limits = known(given, addon.limitNames(), "limits");
  for (const [name, it] of Object.entries(limits))
    if (!whole(it, `limits.${name}`))
      wrong(`limits.${name} is ${it}; to use the default leave it out`);
  return limits;
}

function handleOf(source, options, more) {
  const name = options.name ?? "";
  const limits = limitsOf(options.limits);
  if (typeof source === "string")
    return addon.contractFind(source, folders(options.folders), limits);
  if (source instanceof URL)
    return addon.contractFind(fileURLToPath(source), folders(options.folders),
      limits);
  if (ArrayBuffer.isView(source))
    return addon.contractRead(text(source, "the contract"), name, limits);
  if (isZod(source))
    return addon.contractRead(stringify(schemaOfZod(source, options, more)),
      name, limits);
  if (typeof source === "function" || source?._def || source?.["~standard"])
    wrong("this is no schema of Zod 4; another library's is to be given as " +
      "the JSON Schema that it writes");
  if (typeof source !== "boolean" && (source === null ||
      typeof source !== "object" || Array.isArray(source)))
    wrong("a contract is a name, a path, a JSON Schema or a Zod schema");
  const written = stringify(source);
  return written === undefined ? wrong("this object is no JSON") :
    addon.contractRead(written, name, limits);
}

class Contract {
  #handle;
  #bigint;
  #zod;
  #functions;
  #more = false; // Zod takes more than the schema says
  #isText;
  #info;

  constructor(source, options) {
    const given = known(options, ["name", "folders", "limits", "zod",
      "jsonSchema", "bigint", "validators"], "contract");
    this.#bigint = flag(given.bigint, "bigint") === true;
    this.#handle = handleOf(source, given, () => {
      this.#more = true;
    });
    this.#zod = isZod(source) ? source : undefined;
    this.#isText = typeof source === "string" || source instanceof URL ||
      ArrayBuffer.isView(source);
    this.#functions = [given.validators].flat();
    Validators.of(undefined, this.#functions);
  }

  #facts() {
    this.#info ??= JSON.parse(addon.contractInfo(this.#handle));
    return this.#info;
  }

  get name() {
    return this.#facts().name;
  }

  get version() {
    return this.#facts().version;
  }

  get id() {
    return this.#facts().id;
  }

  get deprecated() {
    return this.#facts().deprecated;
  }

  // Its members that say nothing, such as misspelt keywords. Only what was
  // given as text has positions.
  get warnings() {
    return this.#facts().warnings.map((it) => {
      const made = { location: it.keywordLocation, message: it.error };
      if (it.hint)
        made.hint = it.hint;
      return this.#isText && it.line ? { ...made, line: it.line,
        column: it.column, offset: it.offset, length: it.length } : made;
    });
  }

  // The contract's document; a copy.
  get schema() {
    return structuredClone(this.#facts().schema);
  }

  #how(options) {
    const validators = Validators.of(this.#zod, this.#functions,
      options.validators);
    const judged = judging(options);
    if (validators)
      judged.asks = true;
    return { contract: this.#handle, validators, judging: judged,
      bigint: flag(options.bigint, "bigint") ?? this.#bigint };
  }

  // The reply and how it is judged.
  #given(reply, options) {
    const how = this.#how(known(options, [...JUDGING, "bigint"], "check"));
    return { how, raw: reply === undefined && how.judging.native !== undefined ?
      "" : text(reply, "the reply") };
  }

  // Its outcome where there are no validators.
  #plain({ how, raw }) {
    return new Outcome(addon.judge(how.contract, raw, how.judging, 0, ""), raw,
      how);
  }

  // Where there are: the judgement as a step of settle.
  #asking({ how, raw }) {
    const answered = (answers) => ({ ...how.judging, answers });
    return { how, make: (report, answers) => new Outcome(report, raw,
      { ...how, judging: answered(answers) }),
    step: (answers) => addon.judge(how.contract, raw, answered(answers), -1,
      "") };
  }

  // What Zod may take of an outcome that is no; undefined where there is
  // nothing. Nothing else that says no is passed over.
  #forZod(outcome) {
    return this.#zod && this.#more && outcome.stage === "validation" &&
      !outcome.errors.some((it) => it.keyword === "rules" ||
        it.keyword === "validator") ? outcome.candidate : undefined;
  }

  // The value of a valid outcome as Zod has it; of a part, and of what only Zod
  // takes, Zod is asked now.
  #finish(outcome, validators, { text: value, said }) {
    if (outcome.ok && said.typed.has(value))
      return outcome.takeValue(said.typed.get(value));
    if (outcome.ok) {
      const part = validators.typed(outcome.value);
      return part.success ? outcome.takeValue(part.data) :
        outcome.refusePart(part.error.issues);
    }
    const more = this.#forZod(outcome);
    const taken = more === undefined ? undefined : validators.ask(more);
    return taken?.issues.length === 0 ? outcome.takeMore(taken.data) : outcome;
  }

  async #finishAsync(outcome, validators, { text: value, said }) {
    if (outcome.ok && said.typed.has(value))
      return outcome.takeValue(said.typed.get(value));
    if (outcome.ok) {
      const part = await validators.typedAsync(outcome.value);
      return part.success ? outcome.takeValue(part.data) :
        outcome.refusePart(part.error.issues);
    }
    const more = this.#forZod(outcome);
    const taken = more === undefined ? undefined :
      await validators.askAsync(more);
    return taken?.issues.length === 0 ? outcome.takeMore(taken.data) : outcome;
  }

  #settle({ how, make, step }) {
    if (!how.validators)
      return make(step([])[0], []);
    const ended = settle(step, how.validators, how.bigint);
    return this.#finish(make(ended.report, ended.said.answers), how.validators,
      ended);
  }

  async #settleAsync({ how, make, step }) {
    if (!how.validators)
      return make(step([])[0], []);
    const ended = await settleAsync(step, how.validators, how.bigint);
    return this.#finishAsync(make(ended.report, ended.said.answers),
      how.validators, ended);
  }

  check(reply, options) {
    const given = this.#given(reply, options);
    return given.how.validators ? this.#settle(this.#asking(given)) :
      this.#plain(given);
  }

  // The same where Zod or a validator is asynchronous.
  async checkAsync(reply, options) {
    const given = this.#given(reply, options);
    return given.how.validators ? this.#settleAsync(this.#asking(given)) :
      this.#plain(given);
  }

  parse(reply, options) {
    return this.check(reply, options).parsed;
  }

  async parseAsync(reply, options) {
    return (await this.checkAsync(reply, options)).parsed;
  }

  stream(options) {
    const { native, ...given } = known(options, [...JUDGING, "bigint"],
      "stream");
    return new Stream(this.#how(given), flag(native, "native") === true,
      { now: (it) => this.#settle(it), later: (it) => this.#settleAsync(it) });
  }

  // The prompt with what the model must know; with a system part that has it:
  // both.
  prompt(prompt, options) {
    const { style, native, system } = known(options, ["style", "native",
      "system"], "prompt");
    const write = (it) => addon.promptWrite(this.#handle, it,
      choice(style, STYLES, "style") ?? 0, flag(native, "native") === true);
    if (prompt !== undefined)
      text(prompt, "the prompt");
    if (system !== undefined)
      return { system: write(text(system, "system")), prompt };
    return write(prompt === undefined ? null : text(prompt, "the prompt"));
  }

  // A value that satisfies the contract.
  example() {
    return parse(addon.promptExample(this.#handle), this.#bigint);
  }

  run(options) {
    return run({ ...options, contract: this });
  }

  runItems(options) {
    return runItems({ ...options, contract: this });
  }

  // For run.cjs: what a run judges by, and what becomes of its outcome.
  static runnable(contract, options) {
    const how = contract.#how(options);
    return { how, finish: (outcome, ended) => how.validators ?
      contract.#finishAsync(outcome, how.validators, ended) : outcome };
  }
}

function contract(source, options) {
  return source instanceof Contract ? source : new Contract(source, options);
}

// All contracts that names lead to.
function contracts(options) {
  const given = known(options, ["folders"], "contracts");
  return JSON.parse(addon.contractList(folders(given.folders)));
}

// ---- without a contract -----------------------------------------------------

let anything;

// The JSON that is in a text, whatever it is.
function extract(reply, options) {
  const { from, pick, marker, forms, skipReasoning, ...given } = known(options,
    ["from", "pick", "marker", "forms", "skipReasoning", "repair", "certain",
      "partial", "cut", "bigint"], "extract");
  anything ??= new Contract({}, { name: "anything" });
  return anything.check(reply, { ...given,
    extract: { from, pick, marker, forms, skipReasoning } });
}

function validate(schema, instance, options) {
  const { format = true, dialect } = known(options, ["format", "dialect"],
    "validate");
  const json = (it, what) => ArrayBuffer.isView(it) ? text(it, what) :
    stringify(it) ?? wrong(`${what} is no JSON value`);
  const found = JSON.parse(addon.validate(
    json(isZod(schema) ? schemaOfZod(schema, {}) : schema, "the schema"),
    json(instance, "the instance"), flag(format, "format"),
    choice(dialect, DIALECTS, "dialect") ?? 0));
  return { valid: found.valid, truncated: found.truncated,
    errors: found.errors.map(({ error, ...it }) => ({ ...it, message: error,
      path: pointerTokens(it.instanceLocation) })) };
}

function run(options) {
  return start(options, (source) => source === undefined ? undefined :
    contract(source), Contract.runnable);
}

// The elements of an array while a run makes them.
function runItems(options) {
  return new RunItems(options, run);
}

// The tool itself; its types are checked against each other.
function tool(given) {
  return given;
}

module.exports = { Contract, InvalidReply, Outcome, RunFailed, RunItems,
  RunResult, Stream, SuretyError, contract, contracts, extract, run, runItems,
  tool, validate, version };
