// SPDX-License-Identifier: Apache-2.0
// Zod models as programs have them, for zod_test.py.
//
//   zod_models.mjs schemas   one line of JSON a model: its schemas, valid values
//   zod_models.mjs judge     lines {"model", "text"} in, what Zod says of each

import { createInterface } from "node:readline";
import * as z from "zod";

// -- the seeds ----------------------------------------------------------------

const ChangeApplied = z.object({
  category: z.string(),
  description: z.string(),
  location: z.string().optional(),
});
const IterationOutput = z.object({
  enhancedStory: z.string().min(1),
  changesApplied: z.array(ChangeApplied),
  confidence: z.number().min(0).max(1).optional(),
});
const AnalysisResult = z.object({
  crediScore: z.number().min(0).max(10),
  overview: z.object({
    sampledPosts: z.number(),
    focusAreas: z.array(z.string()),
  }),
});
const CrediReport = z.object({
  crediScore: z.number().min(0).max(10).describe("0 is worst, 10 is best"),
  overview: z.object({
    sampledPosts: z.string().describe("How many posts, of which time"),
    focusAreas: z.string(),
  }),
  criteriaEvaluation: z.array(z.object({
    criterion: z.string(),
    score: z.number().min(0).max(10),
    status: z.enum(["exemplary", "strong", "adequate", "weak", "concerning",
      "deceptive"]),
    evaluation: z.string(),
    examples: z.array(z.string()).optional(),
  })).min(1),
  strengths: z.array(z.string()).optional(),
  scoreJustification: z.string(),
});
const Finding = z.object({
  id: z.string(), file: z.string(), line: z.string(), issue: z.string(),
  severity: z.enum(["critical", "major", "minor"]),
  category: z.string(), fix_hint: z.string().nullable().default(null),
});
const GroupedReview = z.object({
  groups: z.array(z.object({
    description: z.string(), findings: z.array(Finding) })),
});
const CensusOutput = z.object({
  census_data: z.object({
    success: z.boolean(),
    data: z.array(z.array(z.any())),
    variables: z.record(z.string(), z.string()).nullish(),
  }),
  answer_text: z.string(),
  charts_needed: z.array(z.record(z.string(), z.string())).default([]),
  footnotes: z.array(z.string()).default([]),
});
const FINDING = { id: "F001", file: "a.c", line: "12-14", issue: "leaks",
  severity: "major", category: "memory", fix_hint: "free it" };

// -- recursive ----------------------------------------------------------------

const Category = z.object({
  name: z.string().min(1),
  get children() { return z.array(Category).optional(); },
});
const Person = z.object({
  email: z.email(),
  get posts() { return z.array(Post); },
});
const Post = z.object({
  title: z.string().max(20),
  get author() { return Person.nullable(); },
});
const Expression = z.lazy(() => z.union([
  z.number(),
  z.object({ op: z.enum(["+", "*"]), args: z.array(Expression).min(2) }),
]));

// -- what else there is -------------------------------------------------------

const Address = z.object({ street: z.string(), zip: z.string().length(5) })
  .meta({ id: "Address", title: "Address", description: "Where it goes" });

const models = {
  IterationOutput: [IterationOutput, { enhancedStory: "As a user ...",
    changesApplied: [{ category: "validation", description: "email" },
      { category: "accessibility", description: "labels", location: "form" }],
    confidence: 0.85 }, { enhancedStory: "x", changesApplied: [] }],
  AnalysisResult: [AnalysisResult, { crediScore: 7.5, overview: {
    sampledPosts: 12, focusAreas: ["health", "sleep"] } }],
  Message: [z.object({ message: z.string() }), { message: "hello" }],
  Analysis: [z.object({ score: z.number(), summary: z.string() }),
    { score: 3, summary: "fine" }],
  CrediReport: [CrediReport, { crediScore: 7, overview: {
    sampledPosts: "40, of May", focusAreas: "health" }, criteriaEvaluation: [{
    criterion: "Evidence", score: 8, status: "strong", evaluation: "cites",
    examples: ["post 3"] }], strengths: ["sources"],
  scoreJustification: "mean" }],
  GroupedReview: [GroupedReview, { groups: [{ description: "memory",
    findings: [FINDING, { ...FINDING, fix_hint: null }] }] }],
  CensusOutput: [CensusOutput, { census_data: { success: true, data: [
    ["NAME", "state"], ["California", "06"], ["Ada", 8, null]],
  variables: { B01003_001E: "Total Population" } }, answer_text: "39,538,223",
  charts_needed: [{ type: "bar", title: "Population" }],
  footnotes: ["Source.", "Margins."] },
  { census_data: { success: false, data: [], variables: null },
    answer_text: "" }],
  Absent: [z.object({ optional: z.string().optional(),
    nullable: z.string().nullable(), nullish: z.int().nullish(),
    exact: z.exactOptional(z.string()), null: z.null() }),
  { optional: "a", nullable: "b", nullish: 3, exact: "d", null: null },
  { nullable: null, nullish: null, null: null }],
  Defaults: [z.object({ n: z.number().default(5), s: z.string().prefault("p"),
    tags: z.array(z.string()).default(() => []), at: z.object({
      x: z.int().default(0), y: z.int().default(0) }).prefault({}) }),
  { n: 1, s: "a", tags: ["b"], at: { x: 1, y: 2 } }, {}],
  Catch: [z.object({ level: z.enum(["low", "high"]).catch("low"),
    id: z.string() }), { level: "high", id: "a" }],
  Shapes: [z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number().positive() }),
    z.object({ kind: z.literal("square"), side: z.number().positive() }),
    z.object({ kind: z.literal(["point", "dot"]), at: z.tuple(
      [z.number(), z.number()]) })]),
  { kind: "circle", radius: 1.5 }, { kind: "square", side: 2 },
  { kind: "dot", at: [0, 1] }],
  Status: [z.object({ result: z.discriminatedUnion("status", [
    z.object({ status: z.literal("ok"), data: z.array(z.int()) }),
    z.object({ status: z.literal("failed"), error: z.string().min(1) })]) }),
  { result: { status: "ok", data: [1, 2] } },
  { result: { status: "failed", error: "why" } }],
  Records: [z.object({ counts: z.record(z.string(), z.int().nonnegative()),
    flags: z.partialRecord(z.enum(["a", "b"]), z.boolean()),
    all: z.record(z.enum(["x", "y"]), z.number()),
    codes: z.record(z.string().regex(/^[A-Z]{2}$/), z.string()) }),
  { counts: { one: 1, "": 0, "é/~": 2 }, flags: { a: true },
    all: { x: 1, y: 2 }, codes: { DE: "Germany" } }],
  Tuples: [z.object({ pair: z.tuple([z.string(), z.int()]),
    row: z.tuple([z.string()], z.number()) }),
  { pair: ["a", 1], row: ["b", 1.5, 2] }, { pair: ["", 0], row: ["b"] }],
  Category: [Category, { name: "root", children: [{ name: "leaf" },
    { name: "inner", children: [{ name: "deep", children: [] }] }] }],
  Person: [Person, { email: "ada@example.org", posts: [
    { title: "One", author: null }, { title: "Two", author: {
      email: "bob@example.org", posts: [] } }] }],
  Expression: [Expression, 7,
    { op: "+", args: [1, { op: "*", args: [2, 3.5] }] }],
  Formats: [z.object({ email: z.email(), uuid: z.uuid(), url: z.url(),
    at: z.iso.datetime(), day: z.iso.date() }),
  { email: "ada.l+x@example.org", uuid: "7f3b1c9e-2a54-4d38-9b6f-0c1d2e3f4a5b",
    url: "https://example.org/a?b=c#d", at: "2024-05-01T12:30:00Z",
    day: "2024-02-29" },
  { email: "o'neil@sub.example.co", uuid:
      "00000000-0000-0000-0000-000000000000", url: "mailto:a@b.c",
  at: "2024-05-01T12:30:00.123Z", day: "0001-01-01" }],
  MoreFormats: [z.object({ time: z.iso.time(), span: z.iso.duration(),
    v4: z.ipv4(), v6: z.ipv6(), block: z.cidrv4(), data: z.base64(),
    data_url: z.base64url(), local: z.iso.datetime({ offset: true }),
    v7: z.uuidv7().optional(), phone: z.e164(), id: z.nanoid(),
    key: z.ulid() }),
  { time: "12:30:00", span: "P1DT2H", v4: "192.168.0.1", v6: "2001:db8::1",
    block: "10.0.0.0/8", data: "aGVsbG8=", data_url: "aGVsbG8_",
    local: "2024-05-01T12:30:00+02:00", phone: "+4930123456",
    id: "V1StGXR8_Z5jdHi6B-myT", key: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }],
  Numbers: [z.object({ int: z.int(), int32: z.int32(), uint32: z.uint32(),
    between: z.number().gt(0).lt(1), step: z.number().multipleOf(0.01),
    even: z.int().multipleOf(2), low: z.number().nonpositive(),
    float: z.float64(), float32: z.float32(), any: z.number() }),
  { int: 3, int32: -5, uint32: 4294967295, between: 0.5, step: 19.99, even: 4,
    low: 0, float: 1.5e100, float32: 0.1, any: -0.25 }],
  Texts: [z.object({ code: z.string().regex(/^T\d{3,}$/u),
    search: z.string().regex(/[A-Z]\w+/), len: z.string().length(3),
    range: z.string().min(2).max(5), start: z.string().startsWith("a.b"),
    end: z.string().endsWith("$"), has: z.string().includes("(x)"),
    lower: z.string().lowercase(), some: z.string().nonempty(),
    two: z.string().regex(/a/).regex(/b/) }),
  { code: "T001", search: "see Ada", len: "abc", range: "abc", start: "a.bc",
    end: "5 $", has: "f(x)", lower: "abc", some: "x", two: "ab" }],
  Trimmed: [z.object({ name: z.string().trim().min(2),
    lower: z.string().toLowerCase() }), { name: "Ada", lower: "abc" }],
  Template: [z.object({ size: z.templateLiteral([z.number(),
    z.enum(["px", "em"])]) }), { size: "12px" }],
  Strict: [z.strictObject({ a: z.string(), in: z.strictObject({
    b: z.int().optional() }) }), { a: "x", in: { b: 1 } }, { a: "", in: {} }],
  Loose: [z.looseObject({ a: z.string(), in: z.looseObject({}) }),
    { a: "x", more: [1], in: { z: null } }],
  Catchall: [z.object({ id: z.string() }).catchall(z.number()),
    { id: "a", n: 1, m: 2.5 }],
  Unions: [z.object({ id: z.union([z.string().min(3), z.int()]),
    list: z.union([z.string(), z.array(z.string())]),
    none: z.union([z.boolean(), z.null(), z.literal("unknown")]) }),
  { id: "abc", list: ["a"], none: null }, { id: 7, list: "a", none: true },
  { id: 0, list: [], none: "unknown" }],
  Intersection: [z.intersection(z.object({ a: z.string() }),
    z.object({ b: z.int() })), { a: "x", b: 1 }],
  And: [z.object({ v: z.looseObject({ a: z.string() }).and(
    z.looseObject({ b: z.int() })) }), { v: { a: "x", b: 1 } }],
  Extended: [ChangeApplied.extend({ weight: z.number() })
    .omit({ location: true }).partial({ weight: true }),
  { category: "a", description: "b", weight: 1 }],
  Enums: [z.object({ e: z.enum(["a", "B", "c d"]), n: z.enum({ One: 1,
    Two: 2 }), l: z.literal(42), t: z.literal(true), m: z.literal(
    ["x", 1, null]), s: z.literal("") }),
  { e: "a", n: 2, l: 42, t: true, m: "x", s: "" },
  { e: "c d", n: 1, l: 42, t: true, m: null, s: "" }],
  Lists: [z.object({ some: z.array(z.int()).nonempty(), three: z.array(
    z.string()).length(3), few: z.array(z.boolean()).min(1).max(2),
  deep: z.array(z.array(z.array(z.number()))) }),
  { some: [1], three: ["a", "b", "c"], few: [true, false],
    deep: [[[1, 2], []], []] }],
  Anything: [z.object({ any: z.any(), unknown: z.unknown(), json: z.json(),
    ro: z.array(z.string()).readonly(), id: z.string().brand("Id") }),
  { any: 1, unknown: { a: [] }, json: { a: [null, true, "x"] }, ro: ["a"],
    id: "i" }],
  Reused: [z.object({ billing: Address, shipping: Address.optional(),
    others: z.array(Address) }), { billing: { street: "Elm", zip: "12345" },
    others: [{ street: "Oak", zip: "54321" }] }],
  Root: [z.array(z.object({ id: z.int() })).min(1), [{ id: 1 }, { id: 2 }]],
  RootUnion: [z.union([z.object({ ok: z.literal(true), value: z.string() }),
    z.object({ ok: z.literal(false), error: z.string() })]),
  { ok: true, value: "x" }, { ok: false, error: "y" }],
  // What JSON Schema cannot say, or says of one side only.
  Refined: [z.object({ success: z.boolean(), summary: z.string(),
    files_mentioned: z.array(z.string()).default([]),
    error_details: z.string().nullable().default(null) })
    .refine((it) => it.success || it.error_details, {
      path: ["error_details"], message: "must say what went wrong" })
    .meta({ "x-surety": { name: "maverick/fixer", unknown: "strip", rules: [{
      id: "error-details", at: "/error_details",
      expr: ".success or ((.error_details // \"\") != \"\")",
      message: "must say what went wrong" }] } }),
  { success: true, summary: "done", files_mentioned: ["a.c"],
    error_details: null },
  { success: false, summary: "no", error_details: "it broke" }],
  Coerced: [z.object({ n: z.coerce.number().int(), s: z.coerce.string(),
    b: z.coerce.boolean() }), { n: 3, s: "x", b: true }],
  StringBool: [z.object({ on: z.stringbool() }), { on: "yes" }],
  Transformed: [z.object({ csv: z.string().transform((it) => it.split(",")) }),
    { csv: "a,b" }],
  Piped: [z.object({ n: z.string().regex(/^\d+$/).transform(Number).pipe(
    z.number().max(100)) }), { n: "42" }],
  Preprocessed: [z.object({ n: z.preprocess((it) => typeof it === "string" ?
    Number(it) : it, z.number()) }), { n: 3 }],
  Codec: [z.object({ at: z.codec(z.iso.datetime(), z.date(), {
    decode: (it) => new Date(it), encode: (it) => it.toISOString() }) }),
  { at: "2024-05-01T12:30:00.000Z" }],
  Dates: [z.object({ at: z.date() })],
  Big: [z.object({ n: z.bigint() })],
  Sets: [z.object({ s: z.set(z.string()) })],
};

// -- what the test asks -------------------------------------------------------

const variants = { input: { io: "input" }, output: {},
  draft7: { io: "input", target: "draft-7" },
  any: { io: "input", unrepresentable: "any" } };
// Texts for the models that are about texts.
const texts = { Formats: `a@b.co A@B.CO a.b+c@d-e.org .a@b.co a..b@c.de a@b
a@b.c @b.co a@b@c.de "a b"@c.de a@[127.0.0.1] ü@example.org a@exämple.org
https://example.org http://localhost:8080/x ftp://a.b/c http:// https://
https://a/b?q=%zz https://a/é https://[::1]/ http://a.b:99999/ example.org
/a/b //a/b javascript:alert(1) data:text/plain,x urn:isbn:1 https://a\\b
http:a https:/a/b HTTPS://A.B/ http://user:pw@host/ http://a/{x} tel:1
2024-02-29 2023-02-29 2024-13-01 2024-1-1 2024-05-01Z 0000-01-01 24-05-01
12024-05-01 2024/05/01 2024-05-01T24:00:00Z 2024-05-01T23:59:60Z
2024-05-01t12:30:00z 2024-05-01T12:30:00 2024-05-01T12:30Z
2024-05-01T12:30:00+02:00 2024-05-01T12:30:00,5Z 2024-05-01T12:30:00.Z
2024-05-01T12:30:00.123456789Z 2024-05-01T12:30:00-00:00
7F3B1C9E-2A54-4D38-9B6F-0C1D2E3F4A5B 7f3b1c9e2a544d389b6f0c1d2e3f4a5b
{7f3b1c9e-2a54-4d38-9b6f-0c1d2e3f4a5b} 7f3b1c9e-2a54-9d38-9b6f-0c1d2e3f4a5b
7f3b1c9e-2a54-4d38-cb6f-0c1d2e3f4a5b ffffffff-ffff-ffff-ffff-ffffffffffff
7f3b1c9e-2a54-4d38-9b6f-0c1d2e3f4a5g`, MoreFormats: `12:30 12:30:00.5
24:00:00 12:30:00Z 23:59:60 12:30:00+02:00 P1Y P P1W P1WT1H PT P1.5D PT1.5S
PT1,5S -P1D P1DT P1Y2M3DT4H5M6S 1.2.3.4 1.2.3.256 1.2.3 01.2.3.4 1.2.3.4.5
0x7f.1 ::1 :: 1::2::3 2001:DB8::1 fe80::1%eth0 ::ffff:1.2.3.4 12345::
1:2:3:4:5:6:7:8 1:2:3:4:5:6:7:8:9 [::1] 10.0.0.0/33 10.0.0.0/0 10.0.0.0
10.0.0.0/08 aGVsbG8 aGVsbG8= aGVsbG8== a=== aGVs_bG8 aGVs+bG8= +4930 +0123
4930123456 +49301234567890123 2024-05-01T12:30:00Z
2024-05-01T12:30:00+0200 2024-05-01T12:30:00+02 2024-05-01T12:30:00+24:00
017f22e2-79b0-7cc3-98c4-dc0c0c07398f 01arz3ndektsv4rrffq69g5fav
81ARZ3NDEKTSV4RRFFQ69G5FAV 01ARZ3NDEKTSV4RRFFQ69G5FAI`,
Texts: `T123 T12 xT123 T1234x T١٢٣ ada Ada éA A_ 🎉🎉🎉 🎉🎉🎉🎉 e\u0301a ab ba
a.b a.bc axbc a.b\n 5$ 5$x (x) ((x)) x abcABC ÄÖ ß ab\u2028`,
Template: `12px -1.5em 12 px px 1e3px 012px +1px 1.px .5em 12PX ١px` };

function schemas() {
  for (const [name, [schema, ...valid]] of Object.entries(models)) {
    const line = { model: name, valid, schemas: {},
      texts: texts[name]?.split(/\s+/) };
    for (const [variant, options] of Object.entries(variants)) {
      try {
        line.schemas[variant] = z.toJSONSchema(schema, options);
      } catch (error) {
        line.schemas[variant] = { throws: String(error.message) };
      }
    }
    console.log(JSON.stringify(line));
  }
}

// Issues without their texts; those of a union's branches hang below it.
function brief(issues) {
  return issues.map((it) => ({ code: it.code, path: it.path, format: it.format,
    origin: it.origin, expected: it.expected, keys: it.keys,
    errors: it.errors?.map(brief), issues: it.issues && brief(it.issues) }));
}

function judge(line) {
  const { model, text } = JSON.parse(line);
  const result = models[model][0].safeParse(JSON.parse(text));
  console.log(JSON.stringify(result.success ?
    { ok: true, value: result.data } :
    { ok: false, issues: brief(result.error.issues) }));
}

if (process.argv[2] === "schemas")
  schemas();
else
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on("line", judge);
