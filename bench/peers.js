/* SPDX-License-Identifier: Apache-2.0 */
/* The peers that run in Node. NODE_PATH names the folder they are in.
 *
 *     peers.js set SCHEMA|- DOCUMENTS
 *         JSON.parse and ajv: holds a set and works as bench.c does
 *     peers.js texts READER CONTRACT REPLIES
 *         the same with replies; READER is a row of `readers`, and ajv the one
 *         that repairs nothing
 *     peers.js stream READER TEXTS
 *         the same with texts that come in pieces
 *     peers.js reply ajv|jsonrepair CONTRACT FILE
 *         one reply: extraction, JSON, schema; the value to standard output
 *     peers.js replies ajv|jsonrepair CONTRACT FILE
 *         one reply a line, each a JSON string; a report a line
 *
 * Formats are not asserted, as in Surety's defaults, and ajv's checks of how a
 * schema is written are off. A schema is compiled by an ajv that has compiled
 * before, so its own start is not counted. */
'use strict';
const fs = require('fs');

/* ---- schemas ------------------------------------------------------------ */

function ajvOf(schema, extra) {
  const options = {
    strict: false, validateFormats: false, logger: false, ...extra,
  };
  const dialect = String(schema.$schema || '2020-12');
  const name = dialect.includes('draft-04') ? 'ajv-draft-04'
    : /draft-0[67]/.test(dialect) ? 'ajv'
      : dialect.includes('2019-09') ? 'ajv/dist/2019' : 'ajv/dist/2020';
  const Ajv = require(name);
  const ajv = new (Ajv.default || Ajv)(options);
  if (dialect.includes('draft-06')) {
    ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
  }
  return ajv;
}

/* Gives a function that compiles a schema's text. */
function compilerOf(schemaText, extra) {
  const ajv = ajvOf(JSON.parse(schemaText), extra);
  return (text) => {
    const parsed = JSON.parse(text);
    const own = ajv.getSchema(parsed.$id || parsed.id || '');
    if (own) return own; /* a metaschema, which it has */
    const validate = ajv.compile(parsed);
    ajv.removeSchema();
    return validate;
  };
}

/* ---- one data set ------------------------------------------------------- */

function textsOf(path) {
  const all = fs.readFileSync(path);
  const mark = { jsonl: 10, seq: 30 }[path.split('.').pop()];
  if (!mark) return [all];
  const texts = [];
  for (let at = 0; at < all.length;) {
    const found = all.indexOf(mark, at);
    const end = found < 0 ? all.length : found;
    if (end > at) texts.push(all.subarray(at, end));
    at = end + 1;
  }
  return texts;
}

/* Its member `valid` counts, so that nothing can be optimised away. */
function worksOf(schemaPath, texts) {
  const works = {
    valid: 0,
    'JSON.parse parse'() {
      for (const text of texts) works.valid += !!JSON.parse(text.toString());
    },
  };
  if (schemaPath === '-') return works;
  const schemaText = fs.readFileSync(schemaPath, 'utf8');
  const compile = compilerOf(schemaText);
  const validate = compile(schemaText);
  const report = compilerOf(schemaText, { allErrors: true })(schemaText);
  const values = texts.map((text) => JSON.parse(text.toString()));
  works.validate = validate;
  works['ajv check'] = () => {
    for (const value of values) works.valid += validate(value);
  };
  works['ajv errors'] = () => {
    for (const value of values) works.valid += report(value);
  };
  works['ajv written'] = () => {
    for (const value of values) {
      if (!report(value)) works.valid += JSON.stringify(report.errors).length;
    }
  };
  works['ajv bytes'] = () => {
    for (const text of texts) {
      works.valid += validate(JSON.parse(text.toString()));
    }
  };
  if (compile(schemaText) !== validate) {
    works['ajv compile'] = () => { works.valid += !!compile(schemaText); };
  }
  return works;
}

/* As in bench.c, the clock is read less and less often. */
async function serve(works, judge, texts) {
  let verdicts = '';
  for (const text of texts) verdicts += judge(text.toString()) ? '1' : '0';
  const names = Object.keys(works).filter((name) => name.includes(' '));
  console.log(JSON.stringify({ verdicts, works: names }));
  const lines = require('readline').createInterface({ input: process.stdin });
  for await (const line of lines) {
    const blank = line.lastIndexOf(' ');
    const work = works[line.slice(0, blank)];
    const ms = Number(line.slice(blank));
    const used = process.cpuUsage();
    const start = performance.now();
    let passes = 0;
    let together = 1;
    let spent;
    do {
      for (let i = 0; i < together; i++) work();
      passes += together;
      spent = performance.now() - start;
      if (spent < ms / 16) together *= 2;
    } while (spent < ms);
    /* Node's helping threads are not charged. */
    const { user, system } = process.cpuUsage(used);
    const least = Math.min(spent * 1e6, (user + system) * 1e3);
    console.log(String(least / passes));
  }
}

/* Whatever a peer meets, the others go on. */
async function attempt(open) {
  try {
    await open();
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.message).slice(0, 200) }));
  }
}

function serveSet(schemaPath, path) {
  attempt(() => {
    const texts = textsOf(path);
    const works = worksOf(schemaPath, texts);
    const validate = works.validate || (() => true);
    return serve(works, (text) => validate(JSON.parse(text)), texts);
  });
}

/* ---- replies ------------------------------------------------------------ */

const FENCE = /```(?:json)?[ \t]*\r?\n([\s\S]*?)\n[ \t]*```/i;
const MARKER = 'Final Answer:';

function extract(reply) {
  const marked = reply.indexOf(MARKER);
  const text = marked < 0 ? reply : reply.slice(marked + MARKER.length);
  const fence = FENCE.exec(text);
  if (fence) return fence[1];
  return marked < 0 ? text.slice(text.search(/[[{]/)) : text;
}

/* From the text of a value, which may be none yet, to the value. */
const readers = {
  ajv: () => JSON.parse,
  coerce: () => JSON.parse,
  jsonrepair() {
    const { jsonrepair } = require('jsonrepair');
    return (text) => JSON.parse(jsonrepair(text));
  },
  'partial-json': () => require('partial-json').parse,
  'best-effort'() {
    const { parse } = require('best-effort-json-parser');
    parse.onExtraToken = () => {}; /* it would write to standard error */
    return parse;
  },
};

function judgeOf(peer, contractPath) {
  const text = fs.readFileSync(contractPath, 'utf8');
  const extra = peer === 'coerce' ? { coerceTypes: true } : {};
  const validate = compilerOf(text, extra)(text);
  const read = readers[peer]();
  return (reply) => {
    try {
      const value = read(extract(reply));
      return validate(value) ? { ok: true, value }
        : { ok: false, stage: 'validation', errors: validate.errors };
    } catch (error) {
      return { ok: false, stage: 'json_parse', error: error.message };
    }
  };
}

function serveTexts(peer, contractPath, path) {
  attempt(() => {
    const texts = textsOf(path);
    const judge = judgeOf(peer, contractPath);
    const works = {
      valid: 0,
      [`${peer} judge`]() {
        for (const text of texts) works.valid += judge(text.toString()).ok;
      },
    };
    return serve(works, (text) => judge(text).ok, texts);
  });
}

/* A text comes in pieces of so many characters, and after each the value so
 * far is wanted: these readers begin anew each time. */
const PIECE = 4;

function serveStream(peer, path) {
  attempt(() => {
    const texts = textsOf(path);
    const read = readers[peer]();
    const works = {
      valid: 0,
      [`${peer} stream`]() {
        for (const bytes of texts) {
          const text = bytes.toString();
          for (let end = PIECE; end < text.length + PIECE; end += PIECE) {
            works.valid += !!read(text.slice(0, end));
          }
        }
      },
    };
    return serve(works, (text) => JSON.stringify(read(text)) ===
      JSON.stringify(JSON.parse(text)), texts);
  });
}

function judgeReply(peer, contractPath, path) {
  const report = judgeOf(peer, contractPath)(fs.readFileSync(path, 'utf8'));
  if (report.ok) process.stdout.write(JSON.stringify(report.value) + '\n');
  else process.stderr.write(JSON.stringify(report) + '\n');
  process.exitCode = report.ok ? 0 : 1;
}

async function judgeReplies(peer, contractPath, path) {
  const judge = judgeOf(peer, contractPath);
  const lines = require('readline').createInterface(
    { input: fs.createReadStream(path, { highWaterMark: 1 << 18 }) });
  let out = [];
  let size = 0;
  for await (const line of lines) {
    const report = JSON.stringify(judge(JSON.parse(line)));
    out.push(report);
    size += report.length;
    if (size > 1 << 18) {
      fs.writeSync(1, out.join('\n') + '\n');
      out = [];
      size = 0;
    }
  }
  if (out.length) fs.writeSync(1, out.join('\n') + '\n');
}

const [command, ...rest] = process.argv.slice(2);
({
  set: serveSet, texts: serveTexts, stream: serveStream,
  reply: judgeReply, replies: judgeReplies,
})[command](...rest);
