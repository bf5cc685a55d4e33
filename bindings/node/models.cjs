// SPDX-License-Identifier: Apache-2.0
// Models that are functions of the program, or objects of the AI SDK: what the
// engine asks of one, and what comes of it. An answer is a list of steps, each
// the name of a method of Writer (wire.cjs) and its argument.
"use strict";

const { addon, choice, known, wrong } = require("./core.cjs");
const { Writer, requestOf } = require("./wire.cjs");
const { askSdk, isSdk } = require("./sdk.cjs");

const MODES = ["auto", "native", "tool", "prompt"];
const FAILURES = [];
for (let name; (name = addon.failureName(FAILURES.length)) !== undefined;)
  FAILURES.push(name);
const AGGREGATOR = -1;

// ---- failures ---------------------------------------------------------------

// Codes of Node.js and undici, of an error or of its cause.
const CODES = {
  connect: ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH",
    "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"],
  reset: ["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"],
  timeout: ["ETIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
};
// Errors of the AI SDK that have no status.
const STATUSES = { AI_LoadAPIKeyError: 401, AI_LoadSettingError: 401,
  AI_NoSuchModelError: 404, AI_UnsupportedFunctionalityError: 400,
  AI_InvalidPromptError: 400, AI_InvalidArgumentError: 400 };
// What a status means in a stream that has begun.
const MEANINGS = { 401: "invalid_api_key", 402: "insufficient_quota",
  403: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded",
  503: "server_is_overloaded", 529: "server_is_overloaded" };

// An answer that is none.
class WrongAnswer extends Error {}

function nothing(what) {
  throw new WrongAnswer(`the model's function gave ${what}`);
}

// The class of an error that did not come as a response.
function classOf(error) {
  if (error instanceof WrongAnswer)
    return "protocol";
  for (let it = error, i = 0; it && i < 4; it = it.cause, i++)
    for (const [failure, codes] of Object.entries(CODES))
      if (codes.includes(it.code))
        return failure;
  if (error?.name === "TimeoutError")
    return "timeout";
  return error?.name === "AI_APICallError" ? "connect" : "command";
}

function headerOf(error, name) {
  const headers = error.responseHeaders ?? error.headers;
  return typeof headers?.get === "function" ? headers.get(name) :
    headers?.[name];
}

// The provider's own words about an error, where it has them.
function bodyOf(error) {
  try {
    const body = JSON.parse(error.responseBody);
    if (body !== null && typeof body === "object")
      return body;
  } catch {
    // There are none.
  }
  const own = error.error?.error ?? error.error;
  return { error: { message: String(error.message ?? error), code: error.code ??
    own?.code ?? undefined, type: error.type ?? own?.type ?? undefined,
  param: own?.param ?? undefined } };
}

// What the engine gets of an error: a response with its status, or the end of
// one that there is not.
function failureOf(thrown, writer) {
  const error = thrown?.lastError ?? thrown; // of a client's own retries
  const status = error?.statusCode ?? error?.status ?? STATUSES[error?.name];
  const message = String(error?.message || error);
  if (!Number.isInteger(status) || status < 400 || status > 599)
    return { ended: true, failure: FAILURES.indexOf(classOf(error)), message };
  if (writer.begun) {
    writer.fail({ code: MEANINGS[status] ?? (status >= 500 ? "server_error" :
      "invalid_request_error"), message });
    return { ended: true };
  }
  const wait = error.retryAfter ?? headerOf(error, "retry-after") ?? undefined;
  return { status, retryAfter: wait === undefined ? undefined : String(wait),
    text: JSON.stringify(bodyOf(error)), ended: true };
}

// ---- functions --------------------------------------------------------------

const ANSWER = ["text", "reasoning", "toolCalls", "usage", "finish", "refusal",
  "id", "model"];
const FINISHES = ["stop", "tool-calls", "length", "filter"];

function usageOf(usage) {
  const { inputTokens, outputTokens } = usage;
  return Number.isSafeInteger(inputTokens) && Number.isSafeInteger(outputTokens)
    ? usage : undefined;
}

// The steps of an answer, or of a chunk of one; what ends it is left in end.
function* stepsOf(it, end) {
  if (typeof it === "string") {
    yield ["text", it];
    return;
  }
  if (it === null || typeof it !== "object" || Array.isArray(it) ||
      ArrayBuffer.isView(it))
    nothing(`${it === null ? "null" : typeof it}, neither a text nor an ` +
      "object with one");
  const strange = Object.keys(it).find((name) => !ANSWER.includes(name));
  if (strange !== undefined)
    nothing(`the member ${JSON.stringify(strange)}; an answer has ` +
      ANSWER.join(", "));
  for (const name of ["reasoning", "text", "refusal"]) {
    if (it[name] === undefined || it[name] === null)
      continue;
    if (typeof it[name] !== "string")
      nothing(`a ${name} that is no string`);
    yield [name, it[name]];
  }
  for (const call of it.toolCalls ?? []) {
    if (typeof call?.name !== "string")
      nothing("a call of a tool without a name");
    yield ["call", call];
  }
  if (it.finish !== undefined && !FINISHES.includes(it.finish))
    nothing(`the finish ${JSON.stringify(it.finish)}; it can be ` +
      FINISHES.join(", "));
  for (const name of ["finish", "id", "model"])
    end[name] = it[name] ?? end[name];
  end.usage = it.usage ? usageOf(it.usage) : end.usage;
}

// The steps of what a function gave: an answer, or chunks of it.
async function* answered(given) {
  const end = {};
  const chunks = typeof given !== "string" && given !== null &&
    typeof given === "object" && (given[Symbol.asyncIterator] ??
    (Array.isArray(given) ? undefined : given[Symbol.iterator]));
  if (!chunks)
    yield* stepsOf(given, end);
  else
    for await (const chunk of given)
      yield* stepsOf(chunk, end);
  yield ["end", end];
}

// A plain function sees no parts that only their provider knows.
function plain(request) {
  const messages = request.messages.map((it) => typeof it.content === "string" ?
    it : { ...it, content: it.content.filter((part) =>
      part.type !== "provider") }).filter((it) => it.content.length);
  return { ...request, messages };
}

async function* askFunction(generate, request) {
  yield* answered(await generate(plain(request)));
}

// ---- the models of a run ----------------------------------------------------

// Micro-dollars for a million tokens, of dollars.
function priceOf(price) {
  if (price === undefined)
    return undefined;
  const { input, cachedInput = input, output } = known(price, ["input",
    "cachedInput", "output"], "a model's price");
  const micro = (dollars, what) => Number.isFinite(dollars) && dollars >= 0 ?
    Math.round(dollars * 1e6) : wrong(`the price ${what} is ${dollars}, no ` +
      "number of dollars");
  return { input: micro(input, "input"), output: micro(output, "output"),
    cachedInput: micro(cachedInput, "cachedInput") };
}

// As it may stand in a header of a recording.
function line(name) {
  return name.replace(/[^\x20-\x7e]+/g, " ").trim();
}

class Model {
  #generate;
  #sdk;

  constructor(given, at) {
    const { generate, name, price, mode } = typeof given === "function" ||
      isSdk(given) ? { generate: given } : known(given, ["generate", "name",
        "price", "mode"], "a model");
    this.#sdk = isSdk(generate);
    if (!this.#sdk && typeof generate !== "function")
      wrong("a model is a name, a function, a LanguageModel of the AI SDK, " +
        "or { generate, name, price, mode } with one of these as generate");
    if (name !== undefined && (typeof name !== "string" || !line(name)))
      wrong("the name of a model is no string");
    this.#generate = generate;
    const own = line(name ?? (this.#sdk ? generate.modelId :
      generate.name ?? "")) || "function";
    const provider = this.#sdk ? line(generate.provider) : "function";
    this.spec = { at, name: name ? own : `${provider}:${own}`, provider,
      model: own, price: priceOf(price),
      mode: choice(mode, MODES, "a model's mode") ??
        MODES.indexOf(this.#sdk ? "auto" : "prompt") };
  }

  ask(request) {
    return this.#sdk ? askSdk(this.#generate, request) :
      askFunction(this.#generate, request);
  }
}

// A promise of the next step; undefined where the signal is aborted before.
function nextOf(steps, signal) {
  let stop;
  const stopped = new Promise((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([steps.next(), stopped]).finally(() =>
    signal.removeEventListener("abort", stop));
}

class Models {
  #list = [];
  #schema;
  #under = new Map(); // what aborts the requests under way, by their numbers

  // Of models and of the one that merges; undefined: none.
  constructor(models, aggregator, schema) {
    this.#schema = schema;
    this.names = models === undefined ? undefined :
      [models].flat().map((it, at) => this.#take(it, at, "a model"));
    this.aggregator = aggregator === undefined ? undefined :
      this.#take(aggregator, AGGREGATOR, "consensus.aggregator");
  }

  // The name of a model; that of a function is none of the configuration.
  #take(it, at, what) {
    if (typeof it === "string")
      return it.includes("\0") ? wrong(`${what} holds a zero`) : it;
    if (it === null || it === undefined)
      wrong(`${what} is ${it}`);
    this.#list.push(new Model(it, at));
    return "function";
  }

  get spec() {
    return this.#list.length ? this.#list.map((it) => it.spec) : undefined;
  }

  // Asks a model. give(what) reaches the engine, and says whether more is
  // wanted.
  async ask(number, member, text, give) {
    const { signal } = this.#begin(number);
    const model = this.#list[member];
    let status = 200; // of a response that has not begun
    const writer = new Writer((it) => {
      const given = { status, text: it };
      status = undefined;
      return give(given);
    }, model.spec.model);
    let steps;
    try {
      steps = model.ask({ ...requestOf(JSON.parse(text), this.#schema),
        signal });
      for (let it; (it = await nextOf(steps, signal)) && !it.done &&
          writer.wanted;)
        writer[it.value[0]](it.value[1]);
      give({ ended: true });
    } catch (error) {
      give(failureOf(error, writer));
    } finally {
      this.#under.delete(number);
      steps?.return().catch(() => {});
    }
  }

  #begin(number) {
    const controller = new AbortController();
    this.#under.set(number, controller);
    return controller;
  }

  // The answer is not waited for any more.
  stop(number) {
    this.#under.get(number)?.abort();
  }
}

module.exports = { Models };
