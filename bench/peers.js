/* SPDX-License-Identifier: Apache-2.0 */
/* The peers that run in Node. NODE_PATH names the folder they are in.
 *
 *     peers.js set json|ajv|standalone|schemasafe SCHEMA|- INSTANCES
 *         holds a data set and does as bench.c does (its works, its words)
 *     peers.js texts READER CONTRACT REPLIES
 *         the same with replies; READER is a row of `readers`, and ajv the one
 *         that repairs nothing
 *     peers.js stream READER - TEXTS
 *         the same with texts that come in pieces
 *     peers.js build CONTRACT FILE
 *         ajv's standalone code of a contract, to FILE
 *     peers.js reply ajv|jsonrepair CONTRACT FILE
 *     peers.js reply standalone CODE FILE
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

function ajvOf(schema, { code, coerceTypes } = {}) {
  const options = {
    strict: false, validateFormats: false, logger: false, code, coerceTypes,
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

function ajvCompiler(schema, coerceTypes) {
  const ajv = ajvOf(schema, { coerceTypes });
  return (text) => {
    const parsed = JSON.parse(text);
    const own = ajv.getSchema(parsed.$id || parsed.id || '');
    if (own) return own; /* a metaschema, which it has */
    const validate = ajv.compile(parsed);
    ajv.removeSchema();
    return validate;
  };
}

/* The code that ajv writes for later use. */
function standaloneCode(text) {
  const parsed = JSON.parse(text);
  const ajv = ajvOf(parsed, { code: { source: true } });
  const own = ajv.getSchema(parsed.$id || parsed.id || '');
  return require('ajv/dist/standalone').default(
    ajv, own || ajv.compile(parsed));
}

function standaloneCompiler() {
  const Module = require('module');
  return (text) => {
    const module = new Module('standalone');
    module._compile(standaloneCode(text), 'standalone.js');
    return module.exports;
  };
}

function schemasafeCompiler(schemaText) {
  const { validator } = require('@exodus/schemasafe');
  const formats = {};
  for (const [, name] of schemaText.matchAll(/"format"\s*:\s*"([^"]+)"/g)) {
    formats[name] = () => true; /* it refuses those that it does not know */
  }
  return (text) => validator(JSON.parse(text), {
    mode: 'lax', formatAssertion: false, contentValidation: false, formats,
    includeErrors: false,
    $schemaDefault: 'https://json-schema.org/draft/2020-12/schema',
  });
}

function compilerOf(peer, schemaText) {
  return peer === 'ajv' ? ajvCompiler(JSON.parse(schemaText))
    : peer === 'standalone' ? standaloneCompiler()
      : schemasafeCompiler(schemaText);
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
function worksOf(peer, schemaPath, texts) {
  const works = {
    valid: 0,
    validate: () => true,
    parse() {
      for (const text of texts) works.valid += !!JSON.parse(text.toString());
    },
  };
  if (schemaPath === '-') return works;
  const schemaText = fs.readFileSync(schemaPath, 'utf8');
  const compile = compilerOf(peer, schemaText);
  const values = texts.map((text) => JSON.parse(text.toString()));
  const validate = compile(schemaText);
  works.validate = validate;
  works.check = () => {
    for (const value of values) works.valid += validate(value);
  };
  works.bytes = () => {
    for (const text of texts) {
      works.valid += validate(JSON.parse(text.toString()));
    }
  };
  if (peer !== 'standalone' && compile(schemaText) !== validate) {
    works.compile = () => { works.valid += !!compile(schemaText); };
  }
  return works;
}

/* The works and the judge of a peer that only promises are awaited. */
async function serve(works, judge, texts) {
  let verdicts = '';
  for (const text of texts) {
    const verdict = judge(text.toString());
    verdicts += (verdict instanceof Promise ? await verdict : verdict)
      ? '1' : '0';
  }
  console.log(JSON.stringify({ verdicts }));
  const lines = require('readline').createInterface({ input: process.stdin });
  for await (const line of lines) {
    const [name, ms] = line.split(' ');
    const work = works[name];
    if (typeof work !== 'function') {
      console.log('-1');
      continue;
    }
    const used = process.cpuUsage();
    const start = performance.now();
    let passes = 0;
    let spent;
    do {
      const pending = work();
      if (pending instanceof Promise) await pending;
      passes++;
      spent = performance.now() - start;
    } while (spent < Number(ms));
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

function serveSet(peer, schemaPath, instancesPath) {
  attempt(() => {
    const texts = textsOf(instancesPath);
    const works = worksOf(peer, schemaPath, texts);
    return serve(works, (text) => works.validate(JSON.parse(text)), texts);
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
  standalone: () => JSON.parse,
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
  ai() {
    const { parsePartialJson } = require('ai');
    return async (text) => {
      const { value, state } = await parsePartialJson(text);
      if (value === undefined) throw new Error(state);
      return value;
    };
  },
};

function validatorOf(peer, path) {
  if (peer === 'standalone') return require(path);
  const text = fs.readFileSync(path, 'utf8');
  return ajvCompiler(JSON.parse(text), peer === 'coerce')(text);
}

function judgeOf(peer, contractPath) {
  const validate = validatorOf(peer, contractPath);
  const read = readers[peer]();
  const report = (value) => (validate(value) ? { ok: true, value }
    : { ok: false, stage: 'validation', errors: validate.errors });
  const refuse = (error) => (
    { ok: false, stage: 'json_parse', error: error.message });
  return (reply) => {
    try {
      const value = read(extract(reply));
      return value instanceof Promise ? value.then(report, refuse)
        : report(value);
    } catch (error) {
      return refuse(error);
    }
  };
}

function serveTexts(peer, contractPath, path) {
  attempt(() => {
    const texts = textsOf(path);
    const judge = judgeOf(peer, contractPath);
    const read = readers[peer]();
    const works = {
      valid: 0,
      extract() {
        for (const text of texts) {
          works.valid += !!read(extract(text.toString()));
        }
      },
      judge() {
        for (const text of texts) works.valid += judge(text.toString()).ok;
      },
    };
    if (peer === 'ai') { /* it promises */
      works.judge = async () => {
        for (const text of texts) {
          works.valid += (await judge(text.toString())).ok;
        }
      };
    }
    return serve(works, async (text) => (await judge(text)).ok, texts);
  });
}

/* A text comes in pieces of so many characters, and after each the value so
 * far is wanted: these readers begin anew each time. */
const PIECE = 4;

function serveStream(peer, schemaPath, path) {
  attempt(() => {
    const texts = textsOf(path);
    const read = readers[peer]();
    const works = {
      valid: 0,
      async stream() {
        for (const bytes of texts) {
          const text = bytes.toString();
          for (let end = PIECE; end < text.length + PIECE; end += PIECE) {
            const value = read(text.slice(0, end));
            works.valid += !!(value instanceof Promise ? await value : value);
          }
        }
      },
    };
    return serve(works, async (text) => JSON.stringify(await read(text)) ===
      JSON.stringify(JSON.parse(text)), texts);
  });
}

function judgeReply(peer, contractPath, path) {
  const report = judgeOf(peer, contractPath)(fs.readFileSync(path, 'utf8'));
  if (report.ok) process.stdout.write(JSON.stringify(report.value) + '\n');
  else process.stderr.write(JSON.stringify(report) + '\n');
  process.exitCode = report.ok ? 0 : 1;
}

function build(contractPath, path) {
  fs.writeFileSync(path, standaloneCode(fs.readFileSync(contractPath, 'utf8')));
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
  set: serveSet, texts: serveTexts, stream: serveStream, build,
  reply: judgeReply, replies: judgeReplies,
})[command](...rest);
