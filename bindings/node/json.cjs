// SPDX-License-Identifier: Apache-2.0
// JSON in and out, and what counts positions: the engine counts bytes of
// UTF-8, a JavaScript string has units of UTF-16.
"use strict";

const { randomUUID } = require("node:crypto");

const QUOTE = 34;
const BACKSLASH = 92;

function stringEnd(text, start) {
  for (let i = start + 1; ; i++) {
    i = text.indexOf('"', i);
    if (i < 0)
      return text.length;
    let slashes = 0;
    while (text.charCodeAt(i - 1 - slashes) === BACKSLASH)
      slashes++;
    if (slashes % 2 === 0)
      return i + 1;
  }
}

// The text with every integer that no double holds exactly as a string that
// begins with mark.
function markIntegers(text, mark) {
  const number = /-?[0-9][-+.0-9eE]*/y;
  let out = "", copied = 0;
  for (let i = 0; i < text.length;) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = stringEnd(text, i);
      continue;
    }
    number.lastIndex = i;
    const found = code === 45 || code >= 48 && code <= 57 ?
      number.exec(text)?.[0] : undefined;
    if (!found) {
      i++;
      continue;
    }
    if (/^-?[0-9]{16,}$/.test(found) && !Number.isSafeInteger(Number(found))) {
      out += `${text.slice(copied, i)}"${mark}${found}"`;
      copied = i + found.length;
    }
    i += found.length;
  }
  return out + text.slice(copied);
}

// JSON.parse; with bigint, integers beyond 2^53 are BigInt.
function parse(text, bigint) {
  if (!bigint || !/[0-9]{16}/.test(text))
    return JSON.parse(text);
  const mark = `${randomUUID()}:`;
  return JSON.parse(markIntegers(text, mark), (key, value) =>
    typeof value === "string" && value.startsWith(mark) ?
      BigInt(value.slice(mark.length)) : value);
}

// JSON.stringify; a BigInt is written as the integer that it is.
function stringify(value) {
  const mark = `${randomUUID()}:`;
  let found = false;
  const text = JSON.stringify(value, function (key, it) {
    if (typeof it !== "bigint")
      return it;
    found = true;
    return mark + it;
  });
  return found ? text.replace(new RegExp(`"${mark}(-?[0-9]+)"`, "g"), "$1") :
    text;
}

const STEP = 4096;

// Turns byte offsets of the UTF-8 form of text into indices of text.
class Units {
  #text;
  #bytes;
  #marks;

  constructor(text) {
    this.#text = text;
    this.#bytes = Buffer.byteLength(text);
  }

  #width(i) {
    const code = this.#text.charCodeAt(i);
    if (code < 0x80)
      return 1;
    if (code < 0x800)
      return 2;
    const next = this.#text.charCodeAt(i + 1);
    return code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000 ?
      4 : 3;
  }

  // The unit that starts at the byte, from the unit i at the byte at.
  #walk(byte, i, at) {
    while (at < byte && i < this.#text.length) {
      const width = this.#width(i);
      at += width;
      i += width === 4 ? 2 : 1;
    }
    return [i, at];
  }

  of(byte) {
    if (this.#bytes === this.#text.length)
      return byte;
    if (!this.#marks) {
      this.#marks = [[0, 0]];
      for (let last = this.#marks[0]; last[1] + STEP < this.#bytes;) {
        last = this.#walk(last[1] + STEP, ...last);
        this.#marks.push(last);
      }
    }
    let low = Math.min(Math.floor(byte / STEP), this.#marks.length - 1);
    while (low > 0 && this.#marks[low][1] > byte)
      low--;
    return this.#walk(byte, ...this.#marks[low])[0];
  }
}

// The reference tokens of a JSON Pointer.
function pointerTokens(pointer) {
  return pointer.split("/").slice(1).map((it) =>
    it.replace(/~1/g, "/").replace(/~0/g, "~"));
}

function pointerOf(path) {
  return path.map((it) =>
    `/${String(it).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");
}

module.exports = { Units, parse, pointerOf, pointerTokens, stringify };
