// SPDX-License-Identifier: Apache-2.0
// A reply that is still being written.
"use strict";

const { Units, parse, pointerTokens } = require("./json.cjs");
const { Outcome, SuretyError, addon, flag, known, text } =
  require("./core.cjs");

const STATES = ["open", "refuted", "no", "runaway"];
// A part is given for every chunk of a short reply; of a long one when it has
// grown by this share, or reading the parts would be quadratic in the reply.
const SHARE = 128;

// Whether more of the reply is of no use.
function hopeless(state) {
  return state === "no" || state === "runaway";
}

class Stream {
  #handle;
  #how;
  #native;
  #settle;
  #held = ""; // a high surrogate whose other half is in the next chunk
  #bytes = false; // some of the reply came as bytes
  #length = 0;
  #shown = 0;

  constructor(how, native, settle) {
    this.#handle = addon.streamNew(how.contract, how.judging, native);
    this.#how = how;
    this.#native = native;
    this.#settle = settle;
    this.state = "open";
    this.outcome = undefined;
  }

  #open() {
    if (!this.#handle)
      throw new SuretyError("the stream has ended", "misuse",
        "a stream takes one reply; make another");
    return this.#handle;
  }

  #feed(chunk) {
    this.#length += chunk.length;
    this.state = STATES[addon.streamFeed(this.#open(), chunk)];
    return this.state;
  }

  // Takes the next piece of the reply, and gives the state of the reply so far.
  write(chunk) {
    this.#open();
    let piece = text(chunk, "the chunk");
    if (typeof piece !== "string") {
      this.#bytes = true;
      this.#flush();
      return this.#feed(piece);
    }
    piece = this.#held + piece;
    this.#held = "";
    const last = piece.charCodeAt(piece.length - 1);
    if (last >= 0xd800 && last < 0xdc00) {
      this.#held = piece.slice(-1);
      piece = piece.slice(0, -1);
    }
    return piece ? this.#feed(piece) : this.state;
  }

  #flush() {
    const held = this.#held;
    this.#held = "";
    if (held)
      this.#feed(held);
  }

  // The value as far as it has come; undefined where none has begun.
  get value() {
    if (!this.#handle)
      return this.outcome?.value;
    const value = addon.streamValue(this.#handle);
    return value ? parse(value, this.#how.bigint) : undefined;
  }

  // Why the state is not "open".
  get finding() {
    if (this.state === "open" || !this.#handle)
      return undefined;
    const { error, ...it } = JSON.parse(addon.streamFinding(this.#handle));
    if (!this.#bytes && it.line !== undefined) {
      const units = new Units(addon.streamReply(this.#handle).toString());
      const end = units.of(it.offset + it.length);
      it.offset = units.of(it.offset);
      it.length = end - it.offset;
    }
    return { ...it, path: pointerTokens(it.instanceLocation), message: error };
  }

  // What is to be judged, for now and later.
  #ending(options) {
    const { cut: given } = known(options, ["cut"], "end");
    const cut = flag(given, "cut") === true;
    const handle = this.#open();
    this.#flush();
    const reply = addon.streamReply(handle);
    const raw = this.#bytes ? reply : reply.toString();
    const { asks, ...judging } = this.#how.judging;
    const make = (report, answers) => new Outcome(report, raw, { ...this.#how,
      judging: { ...judging, asks, answers, cut: judging.cut || cut,
        native: this.#native ? raw : undefined } });
    return { how: this.#how, make, step: (answers) =>
      addon.streamFinish(handle, cut, { asks, answers }) };
  }

  // The reply is whole (or was cut off by the provider): its outcome.
  end(options) {
    const ending = this.#ending(options);
    this.outcome = this.#settle.now(ending);
    this.#handle = undefined;
    return this.outcome;
  }

  // The same where Zod or a validator is asynchronous.
  async endAsync(options) {
    const ending = this.#ending(options);
    this.outcome = await this.#settle.later(ending);
    this.#handle = undefined;
    return this.outcome;
  }

  // What there is to show; undefined where that is nothing new.
  #part() {
    if (this.#length - this.#shown <= this.#shown / SHARE)
      return undefined;
    const { value, state, finding } = this;
    if (value === undefined && state === "open")
      return undefined;
    this.#shown = this.#length;
    return { value, state, finding, outcome: undefined };
  }

  async #last() {
    const { state, finding } = this;
    const outcome = await this.endAsync();
    return { value: outcome.value, state, finding, outcome };
  }

  // The parts of a reply that comes in chunks; the last has the outcome. Where
  // no continuation can satisfy the contract the rest is not asked for.
  async * read(chunks) {
    for await (const chunk of chunks) {
      const state = this.write(chunk);
      if (hopeless(state))
        break;
      const part = this.#part();
      if (part)
        yield part;
    }
    yield await this.#last();
  }

  // The same as a transform of web streams.
  transform() {
    return new TransformStream({
      transform: async (chunk, controller) => {
        const state = this.write(chunk);
        if (hopeless(state)) {
          controller.enqueue(await this.#last());
          controller.terminate();
          return;
        }
        const part = this.#part();
        if (part)
          controller.enqueue(part);
      },
      flush: async (controller) => {
        if (!this.outcome)
          controller.enqueue(await this.#last());
      },
    });
  }
}

module.exports = { Stream };
