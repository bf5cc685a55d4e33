// SPDX-License-Identifier: Apache-2.0
// The whole job: ask a model, check its reply, ask again.
"use strict";

const { readFile } = require("node:fs/promises");
const process = require("node:process");

const { parse, stringify } = require("./json.cjs");
const { Models } = require("./models.cjs");
const { Toolbox, messagesOf, usesOf } = require("./tools.cjs");
const { Said } = require("./validators.cjs");
const { FEEDBACKS, FORMS, JUDGING, Outcome, RunFailed, STYLES, SuretyError,
  addon, choice, flag, known, text, whole, written, wrong } =
  require("./core.cjs");

const MODES = ["auto", "native", "tool", "prompt"];
const STOPS = ["weigh", "always", "never"];
const KINDS = ["first", "fastest", "vote", "aggregate"];
const EVENTS = ["attempt", "text", "reasoning", "decision", "tool", "result",
  "value", "item", "head", "bytes", "output", "reasoning_item"];
// Questions are no events. ORDER questions (ask.h)
const [VALIDATE, CALL, CANCEL, ASK, STOP] = [0, 1, 2, 3, 4].map((it) =>
  1000 + it);
const JUDGED = JUDGING.filter((it) => it !== "native" && it !== "cut");
const OPTIONS = ["contract", "prompt", "messages", "keepReasks", "tools",
  "mcp", "instructions", "reask", "systemTemplate", "examples", "stepsMax",
  "toolCallsMax", "model", "models", "system", "instructSystem",
  "config", "env", "replay", "record", "ledger", "ledgerRaw", "ledgerOptional",
  "retries", "feedback", "style", "mode", "temperature", "outputTokensMax",
  "whole", "timeouts", "backoff", "budget", "stop", "commit", "consensus",
  "values", "items", "onEvent", "signal", "bigint", "source", ...JUDGED];
// Verdicts of which a value is the reply's.
const SETTLED = ["valid", "partial", "rejected"];
const PICO = 1e12;

function word(value, what) {
  if (value === undefined)
    return undefined;
  if (typeof value !== "string" || value.includes("\0"))
    wrong(`${what} is no string, or holds a zero`);
  return value;
}

// Milliseconds of seconds.
function milliseconds(seconds, what) {
  if (seconds === undefined)
    return undefined;
  if (typeof seconds !== "number" || !(seconds > 0 && seconds < 4e6))
    wrong(`${what} is ${seconds}, no number of seconds`);
  return Math.ceil(seconds * 1000);
}

function budgetOf(given, where) {
  if (given === undefined)
    return undefined;
  const { calls, tokens, seconds, dollars } = known(given, ["calls", "tokens",
    "seconds", "dollars"], where);
  const sum = typeof dollars === "number" ? dollars.toFixed(12) : dollars;
  if (sum !== undefined && !/^[0-9]{1,7}(\.[0-9]+)?$/.test(sum))
    wrong(`${where}.dollars is ${dollars}, no sum of money`);
  return { calls: whole(calls, `${where}.calls`),
    tokens: whole(tokens, `${where}.tokens`, Number.MAX_SAFE_INTEGER),
    ms: milliseconds(seconds, `${where}.seconds`), cost: sum };
}

function timeoutsOf(given) {
  if (given === undefined)
    return undefined;
  const names = ["connect", "firstByte", "idle", "total"];
  known(given, names, "timeouts");
  return Object.fromEntries(names.map((it) => [it,
    milliseconds(given[it], `timeouts.${it}`)]));
}

function backoffOf(given) {
  if (given === undefined)
    return undefined;
  const names = ["first", "most", "retryAfterMax"];
  const { retries, broken } =
    known(given, ["retries", "broken", ...names], "backoff");
  return { retries: whole(retries, "backoff.retries", 1000),
    broken: whole(broken, "backoff.broken", 1000),
    ...Object.fromEntries(names.map((it) => [it,
      milliseconds(given[it], `backoff.${it}`)])) };
}

function consensusOf(given) {
  if (given === undefined)
    return {};
  const { kind, quorum, aggregator, budget } = known(
    typeof given === "string" ? { kind: given } : given,
    ["kind", "quorum", "aggregator", "budget"], "consensus");
  return { consensus: choice(kind, KINDS, "consensus.kind") ??
      wrong("consensus has no kind"),
  quorum: whole(quorum, "consensus.quorum", 1024),
  aggregator,
  budgetAll: budgetOf(budget, "consensus.budget") };
}

// The environment that names of keys are looked up in.
function variables(env) {
  return Object.entries(env).filter(([name, it]) => typeof it === "string" &&
    !name.includes("\0") && !it.includes("\0")).flat();
}

function configOf(given) {
  if (given === undefined)
    return {};
  if (typeof given === "string" || given instanceof URL)
    return { config: word(given instanceof URL ?
      require("node:url").fileURLToPath(given) : given, "config") };
  if (given === null || typeof given !== "object")
    wrong("config is a path or an object");
  return { config: stringify(given), configGiven: true,
    folder: process.cwd() };
}

async function recordingOf(replay) {
  if (replay === undefined)
    return {};
  return { replayGiven: true, replay: typeof replay === "string" ||
    replay instanceof URL ? await readFile(replay) : text(replay, "replay") };
}

function templateOf(given, what) {
  return given === undefined ? undefined : text(given, what);
}

// Inputs, each with the output that is wanted for it, as JSON.
function examplesOf(given) {
  if (given === undefined)
    return undefined;
  if (!Array.isArray(given))
    wrong("examples is no array");
  return stringify(given.map((it) => {
    const { input, output } = known(it, ["input", "output"], "an example");
    if (typeof input !== "string" || output === undefined)
      wrong("an example has an input, which is a text, and an output");
    return { input, output };
  }));
}

// The models that are asked, and the one that merges.
function modelsOf({ model, models, consensus }, schema) {
  if (model !== undefined && models !== undefined)
    wrong("a run has model or models, not both");
  if (Array.isArray(model))
    wrong("model is one; models has several");
  return new Models(model ?? models, consensus?.aggregator, schema);
}

// What the addon is asked for, all but the contract, the models and the
// recording.
function specOf(options) {
  const { temperature } = options;
  const messages = messagesOf(options.messages);
  if ((options.tools ?? options.mcp) !== undefined &&
      options.consensus !== undefined)
    wrong("a consensus has no tools");
  if (options.items !== undefined && options.consensus !== undefined)
    wrong("a consensus has no items");
  if (temperature !== undefined && typeof temperature !== "number")
    wrong("temperature is no number");
  return { prompt: messages !== undefined && options.prompt === undefined ?
    undefined : text(options.prompt, "the prompt"), messages,
  keepReasks: flag(options.keepReasks, "keepReasks"),
  stepsMax: whole(options.stepsMax, "stepsMax"),
  toolCallsMax: whole(options.toolCallsMax, "toolCallsMax"),
    system: options.system === undefined ? undefined :
      text(options.system, "system"),
    instructSystem: flag(options.instructSystem, "instructSystem"),
    instructions: templateOf(options.instructions, "instructions"),
    reask: templateOf(options.reask, "reask"),
    systemTemplate: templateOf(options.systemTemplate, "systemTemplate"),
    examples: examplesOf(options.examples),
    ...configOf(options.config), budget: budgetOf(options.budget, "budget"),
    ...consensusOf(options.consensus),
    environment: variables(options.env ?? process.env),
    record: word(options.record, "record"),
    ledger: options.ledger === false ? "none" : word(options.ledger, "ledger"),
    ledgerRaw: flag(options.ledgerRaw, "ledgerRaw"),
    ledgerOptional: flag(options.ledgerOptional, "ledgerOptional"),
    retries: whole(options.retries, "retries", 1000),
    feedback: choice(options.feedback, FEEDBACKS, "feedback"),
    style: choice(options.style, STYLES, "style"),
    mode: choice(options.mode, MODES, "mode"), temperature,
    outputTokens: whole(options.outputTokensMax, "outputTokensMax"),
    whole: flag(options.whole, "whole"), timeouts: timeoutsOf(options.timeouts),
    backoff: backoffOf(options.backoff),
    stop: choice(options.stop, STOPS, "stop"),
    commit: flag(options.commit, "commit"),
    values: flag(options.values, "values"),
    itemsGiven: options.items !== undefined,
    items: word(options.items, "items"),
    source: word(options.source, "source") };
}

// What came of a run. Its members are the report's (contract surety/report, of
// a consensus surety/consensus), which details has whole.
class RunResult {
  #reports;

  constructor(reports, runnable, bigint, said) {
    const details = parse(reports[0], bigint);
    this.#reports = reports;
    this.log = reports[FORMS.length];
    this.details = details;
    this.verdict = details.verdict;
    this.ok = details.verdict === "valid";
    this.message = details.message ?? "";
    this.hint = details.hint ?? "";
    this.id = details.run;
    this.replyFirst = details.reply_first;
    this.replyLast = details.reply_last;
    this.usage = details.usage;
    this.cost = details.cost_picousd === null ||
      details.cost_picousd === undefined ? undefined :
      Number(details.cost_picousd) / PICO;
    this.attempts = details.attempts ?? [];
    this.messages = JSON.parse(reports[FORMS.length + 2] || "[]");
    this.toolUses = usesOf(this.attempts, bigint);
    this.outcome = undefined;
    this.value = undefined;
    this.#take(details, runnable, bigint, said);
  }

  #take(details, runnable, bigint, said) {
    const value = this.#reports[FORMS.length + 1];
    if (details.members || !runnable) {
      this.value = !details.members ? this.replyLast : said.typed.has(value) ?
        said.typed.get(value) : details.value ?? undefined;
      return;
    }
    if (!details.attempts?.some((it) => it.report))
      return;
    const { how } = runnable;
    const raw = this.replyLast ?? "";
    const outcome = new Outcome(this.#reports[0], raw, { ...how, bigint,
      reports: this.#reports, judging: { ...how.judging,
        answers: said.answers, native: details.place === "native" ? raw : undefined } });
    this.outcome = outcome;
    this.value = outcome.value;
  }

  // What the validators make of the outcome: its typed value, or that a reply
  // which the engine alone refused is valid.
  async settle(finish, said) {
    if (!this.outcome || !SETTLED.includes(this.verdict))
      return this;
    const before = this.outcome.ok;
    const outcome = await finish(this.outcome, { said,
      text: this.#reports[FORMS.length + 1] });
    this.value = outcome.value;
    if (this.verdict !== "rejected" || before || !outcome.ok)
      return this;
    this.ok = true;
    this.verdict = "valid";
    this.message = this.hint = "";
    return this;
  }

  // The value of a run that is valid; throws where there is none.
  get parsed() {
    if (!this.ok)
      throw new RunFailed(this);
    return this.value;
  }

  // The report of all of it: "object" (which details is too), or a text.
  report(form = "object") {
    if (form === "object")
      return this.details;
    const report = this.#reports[choice(form, FORMS, "the form of a report")];
    if (this.details.members && !["json", "text", "color"].includes(form))
      wrong(`a consensus has no report of the form ${form}`);
    return written(form, report);
  }
}

// heard.items: how many elements came.
function event({ onEvent, bigint, heard }, kind, parameters) {
  const [attempt, words, member, tool, call] = parameters;
  const it = { kind: EVENTS[kind], attempt, text: words };
  if (it.kind === "value" || it.kind === "item")
    it.value = parse(words, bigint);
  if (it.kind === "item")
    it.item = heard.items++;
  if (member !== undefined)
    it.member = member;
  if (tool)
    Object.assign(it, { tool, call });
  onEvent(it);
}

// Answers the questions of a run. reach.answer(id, text, failed) and
// reach.give(number, what) get there.
class Answers {
  #validators;
  #said;
  #toolbox;
  #models;
  #bigint;

  constructor({ validators, said, toolbox, models, bigint }) {
    this.#validators = validators;
    this.#said = said;
    this.#toolbox = toolbox;
    this.#models = models;
    this.#bigint = bigint;
  }

  async hear(kind, [id, words, member, , call], { answer, give }) {
    if (kind === ASK)
      await this.#models.ask(id, member, words, (what) => give(id, what));
    else if (kind === STOP)
      this.#models.stop(id);
    else if (kind === CANCEL)
      this.#toolbox.cancel(id);
    else if (kind === CALL)
      await this.#toolbox.call(id, member, words, call,
        (text, failed) => answer(id, text, failed));
    else if (member === undefined)
      answer(id, this.#said.add(words, await this.#validators.askAsync(
        parse(words, this.#bigint))), false);
    else
      answer(id, JSON.stringify((await this.#toolbox.validate(member,
        words)).issues), false);
  }
}

// Starts the addon's run; gives its reports when it has ended. What a validator
// throws that is no refusal cancels the run, as what onEvent throws.
function reportsOf(spec, { onEvent, signal }, answers) {
  const to = { onEvent, bigint: spec.bigint, heard: { items: 0 } };
  return new Promise((resolve, reject) => {
    let handle, thrown, abort;
    const fail = (error) => {
      thrown ??= { error };
      if (handle)
        addon.runCancel(handle);
    };
    const reach = {
      answer: (...parameters) => {
        if (handle)
          addon.runAnswer(handle, ...parameters);
      },
      give: (number, what) => handle !== undefined &&
        addon.runGive(handle, number, what),
    };
    const hear = (kind, ...parameters) => {
      if (kind >= VALIDATE) {
        answers.hear(kind, parameters, reach).catch(fail);
        return;
      }
      if (kind >= 0) {
        if (!onEvent || thrown || !EVENTS[kind])
          return;
        try {
          event(to, kind, parameters);
        } catch (error) {
          fail(error);
        }
        return;
      }
      const [error, reports] = parameters;
      signal?.removeEventListener("abort", abort);
      if (thrown)
        reject(thrown.error);
      else if (signal?.aborted)
        reject(signal.reason);
      else if (reports)
        resolve({ reports, error });
      else
        reject(error);
      handle = undefined;
    };
    handle = addon.runStart(spec, hear);
    abort = () => addon.runCancel(handle);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

async function run(options, contractOf, runnableOf) {
  const given = known(options, OPTIONS, "run");
  const bigint = flag(given.bigint, "bigint") === true;
  if (given.onEvent !== undefined && typeof given.onEvent !== "function")
    wrong("onEvent is no function");
  const contract = contractOf(given.contract);
  const judged = Object.fromEntries(JUDGED.filter((it) =>
    given[it] !== undefined).map((it) => [it, given[it]]));
  const runnable = contract && runnableOf(contract, judged);
  const toolbox = new Toolbox(given.tools, given.mcp, (source) => {
    const schema = contractOf(source);
    return { ...runnableOf(schema, {}).how, text: stringify(schema.schema) };
  }, bigint);
  const models = modelsOf(given, contract?.schema);
  const spec = { ...specOf(given), models: models.names,
    aggregator: models.aggregator, functions: models.spec };
  given.signal?.throwIfAborted();
  Object.assign(spec, await toolbox.spec(), await recordingOf(given.replay));
  given.signal?.throwIfAborted();
  if (runnable) {
    spec.contract = runnable.how.contract;
    spec.judging = runnable.how.judging;
  }
  const said = new Said();
  spec.bigint = bigint || runnable?.how.bigint === true;
  const { reports, error } = await reportsOf(spec, given,
    new Answers({ validators: runnable?.how.validators, said, toolbox, models,
      bigint: spec.bigint }));
  const result = new RunResult(reports, runnable, spec.bigint, said);
  result.recordingError = error;
  return runnable ? result.settle(runnable.finish, said) : result;
}

// The elements of an array as a run makes them. They wait here for the loop:
// the run does not wait for it.
class RunItems {
  #start;
  #end = new AbortController();
  #waiting = [];
  #at = 0; // of those that wait
  #wake = () => {};
  #begun = false;
  #closed = false;

  constructor(options, start) {
    if (typeof options?.items !== "string")
      wrong("items is a JSON Pointer, such as /rows");
    this.#start = () => start({ ...options,
      signal: this.#signal(options.signal),
      onEvent: (it) => {
        options.onEvent?.(it);
        if (it.kind === "item")
          this.#give(it.value);
      } });
    // What came of the run; undefined while it goes on.
    this.result = undefined;
  }

  #signal(given) {
    if (given?.aborted)
      this.#end.abort(given.reason);
    given?.addEventListener("abort", () => this.#end.abort(given.reason),
      { once: true, signal: this.#end.signal });
    return this.#end.signal;
  }

  #give(value) {
    this.#waiting.push(value);
    this.#wake();
  }

  #take() {
    const value = this.#waiting[this.#at++];
    if (this.#at === this.#waiting.length) {
      this.#waiting = [];
      this.#at = 0;
    }
    return value;
  }

  async* [Symbol.asyncIterator]() {
    if (this.#begun)
      throw new SuretyError("the elements of a run are given once", "misuse",
        "call runItems again for another run");
    this.#begun = true;
    const close = () => {
      this.#closed = true;
      this.#wake();
    };
    const ended = this.#start();
    ended.then(close, close);
    try {
      while (!this.#closed || this.#waiting.length) {
        if (this.#waiting.length)
          yield this.#take();
        else
          await new Promise((resolve) => (this.#wake = resolve));
      }
      this.result = await ended;
    } finally {
      this.#end.abort();
      await ended.catch(() => {});
    }
    if (!["partial", "fallback"].includes(this.result.verdict))
      this.result.parsed; // throws where there is no value
  }
}

module.exports = { RunItems, RunResult, run };
