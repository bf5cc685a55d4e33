// SPDX-License-Identifier: Apache-2.0
// Reads cases, one JSON a line, and answers as each peer does: a line of JSON
// with a member per peer, {"value": ...} or {"error": true}; null: the peer could
// not be loaded. Started in the folder with the peers' node_modules.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.cwd()}/`);

function load(name, pick) {
  try {
    return pick(require(name));
  } catch {
    return null;
  }
}

// The contract as types of BAML: this is how it is meant to be used.
function types(schema, name, out) {
  if (schema.type === "object" && schema.properties) {
    const lines = Object.entries(schema.properties).map(
      ([key, of], i) => `  ${key} ${types(of, `${name}_${i}`, out)}`);
    out.push(`class ${name} {\n${lines.join("\n")}\n}`);
    return name;
  }
  if (schema.type === "array")
    return `${schema.items ? types(schema.items, `${name}_i`, out) : "Any"}[]`;
  const scalars = { string: "string", number: "float", integer: "int",
    boolean: "bool", null: "null" };
  return scalars[schema.type] ?? "Any";
}

function baml({ BamlRuntime }) {
  const head = "type Any = int | float | bool | string | null | Any[] | " +
    "map<string, Any>\nclient<llm> C {\n  provider openai\n  options {\n" +
    '    model "x"\n    api_key "x"\n  }\n}\n';
  return (text, schema) => {
    const out = [];
    const root = types(schema === true ? {} : schema, "T", out);
    const source = `${head}${out.join("\n")}\n` +
      `function F() -> ${root} {\n  client C\n  prompt #"x"#\n}\n`;
    const runtime = BamlRuntime.fromFiles("/", { "/main.baml": source }, {});
    return runtime.parseLlmResponse("F", text, false,
      runtime.createContextManager(), null, null, {});
  };
}

const peers = {
  "JSON.parse": (text) => JSON.parse(text),
  jsonrepair: load("jsonrepair", ({ jsonrepair }) =>
    (text) => JSON.parse(jsonrepair(text))),
  "partial-json": load("partial-json", ({ parse }) => (text) => parse(text)),
  "best-effort-json-parser": load("best-effort-json-parser", (module) => {
    module.disableErrorLogging?.();
    return (text) => module.parse(text);
  }),
  BAML: load("@boundaryml/baml", baml),
};

for (const line of readFileSync(0, "utf8").split("\n")) {
  if (!line) continue;
  const { reply, contract } = JSON.parse(line);
  const answers = {};
  for (const [name, read] of Object.entries(peers)) {
    if (!read) {
      answers[name] = null;
      continue;
    }
    try {
      const value = read(reply, contract);
      answers[name] = value === undefined ? { error: true } : { value };
    } catch {
      answers[name] = { error: true };
    }
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
