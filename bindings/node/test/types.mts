// SPDX-License-Identifier: Apache-2.0
// What TypeScript must infer, and what it must refuse; compiled, never run.
import * as z from "zod";
import * as mini from "zod/mini";
import surety, { contract, extract, InvalidReply, run, tool, validate,
  type Contract, type DeepPartial, type Infer, type Outcome,
  type Part } from "surety";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : [never]): void {}

const Story = z.object({ title: z.string(), tags: z.array(z.string())
  .default([]), age: z.string().transform(Number) });
type Story = z.infer<typeof Story>;

const story = contract(Story);
same<typeof story, Contract<Story>>();
same<Infer<typeof Story>, Story>();
const value = story.parse("{}");
same<typeof value, { title: string; tags: string[]; age: number }>();
const outcome = story.check(new Uint8Array(3), { repair: "align",
  extract: { from: ["fence"], pick: "last" }, variables: { name: "x" } });
same<typeof outcome, Outcome<Story>>();
same<typeof outcome.value, Story | undefined>();
const line: number | undefined = outcome.errors[0]?.line;
const text: string = outcome.report("text", { source: "reply.md" });
const stage: unknown = outcome.report().stage;

const small = contract(mini.object({ n: mini.number() }));
same<typeof small, Contract<{ n: number }>>();
const named = contract("maverick/fixer-result");
same<typeof named, Contract<unknown>>();
const typed = contract<{ message: string }>("simple/message");
const message: string = typed.parse("{}").message;
contract({ type: "object" }, { bigint: true, limits: { depthMax: 9 } });

async function parts(chunks: AsyncIterable<string>): Promise<void> {
  for await (const part of story.stream().read(chunks)) {
    same<typeof part, Part<Story>>();
    const title: string | undefined = part.value?.title;
    const tags: string[] | undefined = part.value?.tags;
    void [title, tags, part.outcome?.ok];
  }
  const result = await run({ contract: Story, prompt: "x", models: ["a"],
    budget: { dollars: "0.05", calls: 2 }, consensus: "vote",
    signal: AbortSignal.timeout(5), onEvent: ({ kind, text }) => {
      if (kind === "text")
        process.stderr.write(text);
    } });
  same<typeof result.value, Story | undefined>();
  const plain = await run({ prompt: "x" });
  same<typeof plain.value, string | undefined>();
  await run({ contract: story, prompt: "x", values: true, onEvent: (it) => {
    if (it.kind === "value") {
      const title: string | undefined = it.value.title;
      const tag: string | undefined = it.value.tags?.[0];
      same<typeof it.value, DeepPartial<Story>>();
      void [title, tag];
    }
    if (it.kind === "item")
      it.item satisfies number;
  } });
  const rows = story.runItems<{ id: number }>({ prompt: "x", items: "/rows" });
  for await (const row of rows)
    row.id satisfies number;
  rows.result?.parsed;
  const own = await story.run({ prompt: "x", config: { default: "a" } });
  same<typeof own.parsed, Story>();
  const add = tool({ name: "add", parameters: z.object({ a: z.number(),
    b: z.string().default("1").transform(Number) }),
  execute: async (given, { signal }) => {
    same<typeof given, { a: number; b: number }>();
    signal.throwIfAborted();
    return given.a + given.b;
  } });
  const talk = await run({ contract: Story, tools: { add, now: {
    execute: () => Date.now() } }, stepsMax: 3, messages: [{ role: "user",
    content: "x" }] });
  const again = await story.run({ messages: talk.messages, prompt: "And?",
    onEvent: ({ kind, tool, call }) => void [kind === "result", tool, call] });
  const failure: string | undefined = again.toolUses[0]?.failure;
  const asked = await run({ contract: Story, prompt: "x",
    model: async ({ messages, tools, schema, signal }) => {
      signal.throwIfAborted();
      void [messages[0].role, tools[0]?.parameters, schema];
      return { text: "{}", usage: { inputTokens: 1, outputTokens: 2 } };
    } });
  same<typeof asked.value, Story | undefined>();
  await run({ prompt: "x", models: [async function* () {
    yield "a";
  }, { generate: () => "b", name: "b", price: { input: 1, output: 2 } }, "c"],
  consensus: { kind: "aggregate", aggregator: () => "d" } });
  void failure;
}

try {
  surety.validate(Story, { a: 1 }, { dialect: "7" });
} catch (error) {
  if (error instanceof InvalidReply)
    console.error(error.report.stage, error.outcome.errors[0].hint);
}

async function more() {
  await run({ contract: Story, prompt: "x", tools: "tools.json",
    mcp: [["node", "server.js"], "server --stdio"], instructions: "none",
    reask: "${errors}", systemTemplate: "${schema}",
    examples: [{ input: "a", output: { title: "b" } }] });
  await run({ contract: Story, prompt: "x", tools: ["a.json",
    new URL("file:///b.json"), { servers: [{ mcp: ["a"] }] },
    { name: "get", parameters: z.object({ a: z.string() }),
      http: { method: "GET", url: "https://example.com/{a}" } },
    { name: "now", execute: () => Date.now() }] });
  // @ts-expect-error a tool that does nothing
  await run({ contract: Story, prompt: "x", tools: [{ name: "get" }] });
  // @ts-expect-error a command is a list of words
  await run({ contract: Story, prompt: "x", tools: [{ name: "a", command: 7 }] });
  // @ts-expect-error an example has an output
  await run({ contract: Story, prompt: "x", examples: [{ input: "a" }] });
  // @ts-expect-error a server is a command
  await run({ contract: Story, prompt: "x", mcp: [7] });
  const checked = story.check("x");
  // @ts-expect-error a value may be missing
  checked.value.title;
  const asked = await run({ contract: Story, prompt: "x" });
  // @ts-expect-error no such member
  asked.parsed.titel;
  // @ts-expect-error a text is no number
  asked.parsed.title satisfies number;
}

// @ts-expect-error a word that is none
story.check("", { repair: "all" });
// @ts-expect-error an option that is none
story.check("", { reapir: "align" });
// @ts-expect-error no prompt
void run({ contract: Story });
// @ts-expect-error a number is no answer of a model
void run({ prompt: "x", model: () => 7 });
// @ts-expect-error a number is no reply
extract(3);
// @ts-expect-error no such member
validate({}, 1).value;
void [more, message, line, text, stage, parts, named];
