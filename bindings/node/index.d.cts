// SPDX-License-Identifier: Apache-2.0
// The reference of the package: every function, its options and what it gives.

/** The version of this package; the library's has the same major and minor. */
export const version: string;

/** A reply, a chunk or a prompt: bytes are UTF-8; of a string, lone surrogates
 * become U+FFFD. */
export type Text = string | ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

/** How much of a reply may be repaired: nothing, text that is almost JSON, and
 * values that almost fit the schema. */
export type Repair = "none" | "syntax" | "align";
/** Forms of a value other than JSON. */
export type ValueForm = "tool-call" | "yaml" | "table" | "csv" | "key-value" |
  "xml";
/** Where in a reply its JSON was found. */
export type Place = "native" | "whole" | "fence" | "fence-any" | "marker" |
  "embedded";
/** How a prompt shows the schema. */
export type Style = "contract" | "json-schema" | "typescript" | "example";
/** What a prompt reports to a model about a reply that failed. */
export type Feedback = "errors" | "simple" | "patch";
/** The texts of a report. */
export type Form = "json" | "text" | "color" | "plain" | "github" | "sarif";

/** A JSON Schema, with what is Surety's in the member "x-surety". */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A schema of Zod 4, of `zod` and of `zod/mini`. */
export interface ZodLike<Output = unknown, Input = unknown> {
  readonly _zod: { output: Output; input: Input };
}

/** The value that a contract's source stands for. */
export type Infer<Source> = Source extends ZodLike<infer Output> ? Output :
  unknown;

/** A value that is still being written: any of it may be missing. */
export type DeepPartial<T> = T extends readonly (infer Item)[] ?
  DeepPartial<Item>[] : T extends object ?
    { [Key in keyof T]?: DeepPartial<T[Key]> } : T;

// ---- errors -----------------------------------------------------------------

/** The library could not do what was asked for. A wrong argument is a
 * TypeError. */
export class SuretyError extends Error {
  readonly name: string;
  /** "nomem", "limit", "misuse", "syntax", "unsupported", "io", "timeout",
   * "cancelled", "end" (there is nothing of that name); of InvalidReply
   * "invalid", of RunFailed "run". */
  readonly status: string;
  /** What to do; may be empty. */
  readonly hint: string;
  /** JSON Pointer in the text that was read; may be empty. */
  readonly path: string;
  /** The file or URI it is in; may be empty. */
  readonly source: string;
  /** Line and column from 1, columns in code points; undefined: none. */
  readonly line?: number;
  readonly column?: number;
  /** In bytes of UTF-8. */
  readonly offset?: number;
  readonly length?: number;
}

/** A reply that does not satisfy its contract; the message is the report. */
export class InvalidReply<T = unknown> extends SuretyError {
  constructor(outcome: Outcome<T>);
  readonly outcome: Outcome<T>;
  readonly errors: Issue[];
  /** The report (contract surety/report). */
  readonly report: Report;
}

/** A run without a valid value. */
export class RunFailed<T = unknown> extends SuretyError {
  constructor(result: RunResult<T>);
  readonly result: RunResult<T>;
}

// ---- outcomes ---------------------------------------------------------------

export interface Position {
  /** From 1; undefined where there is no position. */
  line?: number;
  /** From 1, in code points. */
  column?: number;
  /** An index of the reply: in UTF-16 units where it is a string, so that
   * `reply.substr(offset, length)` is what is meant, else in bytes. */
  offset?: number;
  length?: number;
}

/** What is wrong, or worth saying. */
export interface Issue extends Position {
  /** A keyword of JSON Schema; "extraction", "json_parse", "rules",
   * "validator" (Zod, or a function); of warnings "duplicate_key",
   * "deprecated", "fallback", "truncated", "ambiguous". */
  keyword: string;
  /** One sentence without a full stop. */
  message: string;
  /** What was likely meant, or what to do. */
  hint?: string;
  /** The tokens of instanceLocation. */
  path: string[];
  /** JSON Pointers. */
  instanceLocation: string;
  keywordLocation: string;
  absoluteKeywordLocation: string;
}

/** What was repaired: a change in reading the text or, with an
 * instanceLocation, a change toward the schema. */
export interface Repaired extends Position {
  kind: string;
  confidence: "certain" | "likely";
  /** The original bytes, and what they were read as. */
  original: string;
  read: string;
  instanceLocation?: string;
  cost?: number;
}

/** The JSON report, the contract surety/report. */
export interface Report {
  ok: boolean;
  stage: string | null;
  contract: string;
  value: unknown;
  fallback: boolean;
  place: Place | null;
  [member: string]: unknown;
}

/** What a judgement of one reply found. */
export class Outcome<T = unknown> {
  private constructor();
  /** Whether there is a value that satisfies the contract. */
  readonly ok: boolean;
  /** How far the reply got; null: it is valid. */
  readonly stage: "extraction" | "json_parse" | "validation" | null;
  /** The contract's name and version. */
  readonly contract: string;
  /** The valid value, or the contract's fallback, or with `partial` what there
   * is; undefined where there is none. */
  readonly value: T | undefined;
  /** The value; throws InvalidReply unless ok. */
  readonly parsed: T;
  /** The value that the errors point into, valid or not, as it was read;
   * undefined where nothing parsed. */
  readonly candidate: unknown;
  readonly errors: Issue[];
  readonly warnings: Issue[];
  readonly repairs: Repaired[];
  /** There were more errors than are listed. */
  readonly truncated: boolean;
  /** The value is the contract's fallback. */
  readonly fallback: boolean;
  /** The value is what there is of one that was cut off; and the JSON Pointer
   * of the innermost part that is open. */
  readonly partial: boolean;
  readonly open: string | undefined;
  /** The contract's derived members, where asked for. */
  readonly derived: { [name: string]: unknown } | undefined;
  readonly place: Place | null;
  /** Where in the reply it was found, counted as offsets are. */
  readonly span: { start: number; end: number } | null;
  /** The reply. */
  readonly raw: string | Uint8Array;
  report(form?: "object"): Report;
  report(form: Form, options?: { source?: string }): string;
  /** What to send after this reply. */
  retryPrompt(prompt: Text, options?: { feedback?: Feedback; style?: Style }):
    string;
  /** The JSON that an answer to a retry prompt with feedback "patch" makes of
   * this reply's value; to be checked. */
  patch(answer: Text): string;
}

// ---- contracts --------------------------------------------------------------

export interface ExtractOptions {
  /** The places, in this order; all. */
  from?: Place[];
  /** Within a place, which is tried first; "first". */
  pick?: "first" | "last";
  /** The text before the JSON, for the place "marker". */
  marker?: string;
  /** Forms other than JSON that are read where repair is "align"; all. */
  forms?: ValueForm[];
  /** Pass over <think> and its kin; true. */
  skipReasoning?: boolean;
}

/** What a validator has against a value: a text, or with the place (a JSON
 * Pointer, or names and indexes) and what to do. */
export type Problem = string | { message: string;
  path?: string | readonly PropertyKey[]; hint?: string };

/** Judges a value that satisfies the schema (and Zod, whose value it gets).
 * Gives nothing or true where it has nothing against it. What it throws comes
 * out as it is, but for Zod's errors, which are problems. */
export type Validator<T = unknown> = (value: T) => void | undefined | null |
  boolean | Problem | readonly Problem[] | PromiseLike<void | undefined | null |
  boolean | Problem | readonly Problem[]>;

export interface CheckOptions {
  /** Instead of the contract's. */
  repair?: Repair;
  /** No repair that is a guess. */
  certain?: boolean;
  /** A reply that is cut off gives what is there. */
  partial?: boolean;
  /** Compute the derived members. */
  derive?: boolean;
  /** false: not the contract's fallback. */
  fallback?: boolean;
  /** Where to look, instead of where the contract says. */
  extract?: ExtractOptions;
  /** For ${name} in the fallback. */
  variables?: { [name: string]: string };
  /** What the provider's API delivered as structured output. */
  native?: Text;
  /** The provider says that it cut the reply off. */
  cut?: boolean;
  /** Besides those of the contract. */
  validators?: Validator<any> | Validator<any>[];
  /** Integers beyond 2^53 as BigInt; false: as JSON.parse reads them. */
  bigint?: boolean;
}

/** The library's limits; 0 is none. See surety/base.h. */
export type Limits = { [name in "textBytesMax" | "depthMax" | "numberLenMax" |
  "stringLenMax" | "keyLenMax" | "valuesMax" | "schemaBytesMax" |
  "schemaNodesMax" | "schemaDepthMax" | "schemaDocumentsMax" |
  "inplaceDepthMax" | "patternLenMax" | "patternMatchMax" |
  "patternHeapKibMax" | "workPerValue" | "workBase" | "findingsMax" |
  "candidatesMax" | "ruleTimeMsMax" | "ruleMemoryMibMax" | "repairsMax" |
  "blankRunMax" | "repeatRunMax" | "repeatDataMax" | "attemptRawMax" |
  "memoMax" | "mediaBytesMax" | "messagesMax" |
  "serverToolsMax"]?: number };

export interface ContractOptions {
  /** The name where the contract gives none. */
  name?: string;
  /** Searched before SURETY_CONTRACTS and the built-in contracts. */
  folders?: string | string[];
  limits?: Limits;
  /** The Zod to write the schema with; the schema's own is found. */
  zod?: { toJSONSchema(schema: never, options?: never): unknown };
  /** More options for z.toJSONSchema; io is "input". */
  jsonSchema?: { [option: string]: unknown };
  /** The default of every check. */
  bigint?: boolean;
  /** Functions that judge a value besides its schema. */
  validators?: Validator<any> | Validator<any>[];
}

export interface PromptOptions {
  style?: Style;
  /** The provider's API delivers the value: do not say where it stands. */
  native?: boolean;
}

/** A member of a contract that says nothing: a keyword that is misspelt, or
 * that its draft does not know. */
export interface SchemaWarning {
  /** Its JSON Pointer in the contract. */
  location: string;
  message: string;
  /** What was likely meant. */
  hint?: string;
  /** In the contract's text, where it was a file, a name or bytes: line and
   * column from 1, columns in code points. */
  line?: number;
  column?: number;
  /** In bytes of UTF-8. */
  offset?: number;
  length?: number;
}

export class Contract<T = unknown> {
  constructor(source: string | URL | Uint8Array | JsonSchema | ZodLike<T>,
    options?: ContractOptions);
  readonly name: string;
  readonly version: string;
  /** NAME@VERSION. */
  readonly id: string;
  /** What to use instead; empty: it is not deprecated. */
  readonly deprecated: string;
  /** Its members that say nothing. */
  readonly warnings: SchemaWarning[];
  /** The contract's document, a copy. */
  readonly schema: unknown;
  /** Judges one reply; a bad one is no error. */
  check(reply: Text, options?: CheckOptions): Outcome<T>;
  check(reply: undefined, options: CheckOptions & { native: Text }): Outcome<T>;
  /** For a Zod schema with promises, and asynchronous validators. */
  checkAsync(reply: Text, options?: CheckOptions): Promise<Outcome<T>>;
  /** The value of a valid reply; throws InvalidReply. */
  parse(reply: Text, options?: CheckOptions): T;
  parseAsync(reply: Text, options?: CheckOptions): Promise<T>;
  /** A reply that is still being written; native: it is structured output. */
  stream(options?: Omit<CheckOptions, "native"> & { native?: boolean }):
    Stream<T>;
  /** The prompt with the format instructions; without one, these alone. */
  prompt(prompt?: Text, options?: PromptOptions): string;
  /** The instructions behind the system part. */
  prompt(prompt: string, options: PromptOptions & { system: Text }):
    { system: string; prompt: string };
  /** A value that satisfies the contract. */
  example(): T;
  run(options: Omit<RunSettings<T>, "contract"> & Asked):
    Promise<RunResult<T>>;
  runItems<Item = any>(options: Omit<RunSettings<T>, "contract"> & Asked &
    { items: string }): RunItems<T, Item>;
}

/** A contract by name ("maverick/fixer-result@1"), from a file, from a JSON
 * Schema, or from a Zod schema, whose values are what Zod gives. */
export function contract<T>(source: Contract<T>): Contract<T>;
export function contract<Output>(source: ZodLike<Output>,
  options?: ContractOptions): Contract<Output>;
export function contract<T = unknown>(
  source: string | URL | Uint8Array | JsonSchema,
  options?: ContractOptions): Contract<T>;

export interface ContractEntry {
  name: string;
  version: string;
  title: string;
  /** The file, or "built-in". */
  source: string;
  deprecated: string;
  aliasOf: string;
  /** Not empty: the file is there but no contract. */
  error: string;
}
/** Everything that a name leads to. */
export function contracts(options?: { folders?: string | string[] }):
  ContractEntry[];

// ---- streams ----------------------------------------------------------------

/** "refuted": the current value cannot satisfy the contract, but another may
 * follow; "no": no continuation can; "runaway": it repeats itself. */
export type StreamState = "open" | "refuted" | "no" | "runaway";

export interface Part<T = unknown> {
  /** As far as it has come; undefined where it has not begun. */
  value: DeepPartial<T> | undefined;
  state: StreamState;
  /** Why the state is not "open". */
  finding: Issue | undefined;
  /** Of the last part, the outcome; its value is then the outcome's. */
  outcome: Outcome<T> | undefined;
}

/** One reply in chunks, of any size. */
export class Stream<T = unknown> {
  private constructor();
  readonly state: StreamState;
  readonly value: DeepPartial<T> | undefined;
  readonly finding: Issue | undefined;
  readonly outcome: Outcome<T> | undefined;
  /** Takes a chunk, and gives the state of the reply so far. */
  write(chunk: Text): StreamState;
  /** Judges what has come. */
  end(options?: { cut?: boolean }): Outcome<T>;
  /** The same for a Zod schema with promises, and asynchronous validators. */
  endAsync(options?: { cut?: boolean }): Promise<Outcome<T>>;
  /** Reads chunks until the reply is whole, or until it cannot become valid;
   * then it stops the source. */
  read(chunks: AsyncIterable<Text> | Iterable<Text>):
    AsyncGenerator<Part<T>, void, void>;
  /** The same for `stream.pipeThrough`. */
  transform(): TransformStream<Text, Part<T>>;
}

// ---- without a contract -----------------------------------------------------

/** The JSON that is in a text. */
export function extract<T = unknown>(text: Text, options?: ExtractOptions &
  Pick<CheckOptions, "repair" | "certain" | "partial" | "cut" | "bigint">):
  Outcome<T>;

export interface Validation {
  valid: boolean;
  /** Positions are those in the JSON text of the instance, in bytes. */
  errors: Issue[];
  truncated: boolean;
}
/** Whether a value (or, as bytes, a JSON text) satisfies a JSON Schema. */
export function validate(schema: JsonSchema | Uint8Array | ZodLike,
  instance: unknown, options?: {
    /** "format" fails; true. */
    format?: boolean;
    /** Where $schema does not say; 2020-12. */
    dialect?: "default" | "4" | "6" | "7" | "2019-09" | "2020-12" | "v1";
  }): Validation;

// ---- runs -------------------------------------------------------------------

export type RunEvent<T = any> = RunSaid | RunValue<T> | RunItem;
/** The value so far, with the option values. The last one of a run is its
 * value. */
export interface RunValue<T> extends RunHeard {
  kind: "value";
  value: DeepPartial<T>;
}
/** An element of the array at the option items, whole, valid and with its
 * defaults. */
export interface RunItem extends RunHeard {
  kind: "item";
  value: any;
  /** Its index. */
  item: number;
}
export interface RunSaid extends RunHeard {
  kind: "attempt" | "text" | "reasoning" | "decision" | "tool" | "result";
}
export interface RunHeard {
  /** From 1. */
  attempt: number;
  text: string;
  /** Of a consensus: whose it is, from 0. */
  member?: number;
  /** Of a tool (text has its arguments) and of its result: the tool's name,
   * and what pairs the two. */
  tool?: string;
  call?: string;
}

/** A part of a message in Surety's own form: the contract surety/messages. */
export interface MessagePart {
  readonly type: string;
  readonly [member: string]: unknown;
}
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly MessagePart[];
}
/** A list of messages, or a request that has one, in the form of OpenAI,
 * Anthropic, Gemini, the AI SDK or Surety; a string is its JSON. */
export type Messages = readonly object[] | object | string;

/** What a tool's function gets besides the arguments. */
export interface ToolContext {
  /** The model's id of the call. */
  readonly id: string;
  /** Aborted when the result is not waited for any more: the run was cancelled,
   * or the time of the call is over. */
  readonly signal: AbortSignal;
}

/** A tool that the model may call. */
export interface Tool<Arguments = any> {
  /** A letter or "_", then letters, digits, "_" and "-"; at most 64. */
  name?: string;
  /** What it does and when to call it, for the model. */
  description?: string;
  /** What its arguments must satisfy, of the type object; none: it has no
   * arguments. */
  parameters?: ZodLike<Arguments> | JsonSchema | Contract<Arguments>;
  /** What its result must satisfy; none: any text. */
  result?: ZodLike | JsonSchema | Contract;
  /** Gives the result: a string as it is, everything else as JSON. The model
   * reads the message of what it throws. */
  execute(given: Arguments, context: ToolContext): unknown;
  /** Of one call; 60. */
  seconds?: number;
  /** Equal calls are no mistake of the model: the result may differ. */
  polls?: boolean;
  /** The provider is asked to enforce the parameters, where it takes their
   * schema. */
  strict?: boolean;
}
/** Gives the tool itself: with a Zod schema, the arguments of execute have its
 * type. */
export function tool<Output>(it: Tool<Output> &
  { parameters: ZodLike<Output> | Contract<Output> }): Tool<Output>;
export function tool(it: Tool): Tool;

/** A tool that a command or an HTTP call does, as a tools file has it
 * (docs/tools.md). */
export type FileTool = { name?: string; description?: string;
  parameters?: ZodLike | JsonSchema | Contract;
  result?: ZodLike | JsonSchema | Contract; execute?: undefined;
  readonly [member: string]: unknown } & ({ command: readonly string[] } |
    { shell: string } | { http: { readonly [member: string]: unknown } });
/** The path of a tools file, or what is in one. */
export type ToolsFile = string | URL | { readonly tools: readonly object[] } |
  { readonly servers: readonly object[] };

/** A call of a tool in a run. */
export interface ToolUse {
  /** Which attempt's reply has it, from 1. */
  readonly attempt: number;
  /** What pairs call and result in the messages. */
  readonly id: string;
  readonly name: string;
  /** As they were repaired; a string where the model wrote no JSON. */
  readonly arguments: unknown;
  /** What the model got. */
  readonly result: string;
  /** The tool was called, or may have been. */
  readonly made: boolean;
  /** Why there is no result; undefined: there is one. */
  readonly failure: string | undefined;
  readonly message: string;
}

/** What a model that is a function is asked. */
export interface ModelRequest {
  /** Its name. */
  readonly model: string;
  /** In Surety's own form; one that is a text alone has it as content. */
  readonly messages: readonly Message[];
  /** That the model may call; none in mode "prompt", where they stand in the
   * messages. */
  readonly tools: readonly { readonly name: string;
    readonly description?: string; readonly parameters: JsonSchema }[];
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
  /** Of the value; in mode "native" in the form that providers take. */
  readonly schema: JsonSchema | undefined;
  readonly schemaName: string | undefined;
  /** How the schema is bound: as the reply's format, as the tool that
   * toolChoice names, or by what the messages say. */
  readonly mode: "native" | "tool" | "prompt";
  /** Chunks are wanted. */
  readonly stream: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  /** Aborted when the answer is not waited for any more. */
  readonly signal: AbortSignal;
}
/** What such a model gives, whole or in chunks. */
export interface ModelAnswer {
  text?: string | null;
  reasoning?: string | null;
  /** Each one whole; arguments are a value, or its JSON. */
  toolCalls?: readonly { id?: string; name: string; arguments?: unknown }[];
  /** Cached tokens are among those of the input, reasoning is of the
   * output's. */
  usage?: { inputTokens: number | undefined; outputTokens: number | undefined;
    cachedInputTokens?: number; reasoningTokens?: number };
  /** Why it ended, if not because it is whole: "stop". */
  finish?: "stop" | "tool-calls" | "length" | "filter";
  /** What it says where it declines. */
  refusal?: string | null;
  /** The response's, and the name of the model that answered. */
  id?: string;
  model?: string;
}
export type ModelChunks = AsyncIterable<string | ModelAnswer> |
  Iterable<string | ModelAnswer>;
/** A function as a model. What it throws is the call's failure: with `status`
 * or `statusCode` that of a provider's response, else of the class command; of
 * a connection by its code. */
export type ModelFunction = (request: ModelRequest) => string | ModelAnswer |
  ModelChunks | PromiseLike<string | ModelAnswer | ModelChunks>;
/** A LanguageModel of the AI SDK. */
export interface LanguageModelLike {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: any): PromiseLike<any>;
  doStream(options: any): PromiseLike<any>;
}
/** A name of the configuration, "PROVIDER:MODEL", "exec:COMMAND" or
 * "replay:FILE"; or what answers in this program. */
export type Model = string | ModelFunction | LanguageModelLike | {
  generate: ModelFunction | LanguageModelLike;
  /** The function's own, or the model's. */
  name?: string;
  /** Dollars for a million tokens; cachedInput as input. */
  price?: { input: number; cachedInput?: number; output: number };
  /** Of a function "prompt": the messages say all. Of the AI SDK "auto". */
  mode?: "auto" | "native" | "tool" | "prompt";
};

export interface Budget {
  calls?: number;
  tokens?: number;
  seconds?: number;
  dollars?: number | string;
}

/** A prompt, or the conversation before it, or both. */
export type Asked = { prompt: Text; messages?: Messages } |
  { prompt?: undefined; messages: Messages };
export type RunOptions<T = any> = RunSettings<T> & Asked;

export interface RunSettings<T = any> extends
  Omit<CheckOptions, "native" | "cut"> {
  /** Without one the reply is the value. */
  contract?: string | URL | Uint8Array | JsonSchema | ZodLike | Contract;
  system?: Text;
  /** The result's messages have the replies that failed too, each with its
   * re-ask. */
  keepReasks?: boolean;
  /** An array, or an object with the tools by their names; tools of a file
   * among them, and the paths of tools files. Not for a consensus. Default:
   * those of the configuration; [] is none. */
  tools?: readonly ((Tool | FileTool) & { name: string } | ToolsFile)[] |
    ToolsFile | { readonly [name: string]: Tool | FileTool };
  /** Servers of the Model Context Protocol: the command of one, or several. A
   * text is read by /bin/sh; an array is the program and its arguments. */
  mcp?: string | readonly (string | readonly string[])[];
  /** Templates in place of the contract's, with ${prompt}, ${schema},
   * ${example} and, in reask, ${errors} and ${reply}; $${ stands for ${. The
   * instructions "none": the prompt alone. */
  instructions?: Text;
  reask?: Text;
  systemTemplate?: Text;
  /** Inputs, each with the output that is wanted for it, in place of the
   * contract's; [] is none. Each output must satisfy the contract. */
  examples?: readonly { readonly input: string; readonly output: unknown }[];
  /** Replies that may call tools; 16. */
  stepsMax?: number;
  /** Calls of tools in the whole run; 64. */
  toolCallsMax?: number;
  /** Put the format instructions into the system part. */
  instructSystem?: boolean;
  /** The model, or several, of which the first is asked first. Default: the
   * configuration's. */
  model?: Model;
  models?: Model | readonly Model[];
  /** A file, or what would be in it; default: surety.json of the working
   * folder or of the user's configuration folder. */
  config?: string | URL | { readonly [member: string]: unknown };
  /** Where keys are looked up; default process.env. */
  env?: { readonly [name: string]: string | undefined };
  /** A recording to play instead of reaching any provider: a file, or bytes. */
  replay?: string | URL | Uint8Array;
  /** A file that every exchange is appended to. */
  record?: string;
  /** The URL or path of a ledger, "none"; default: the configuration's, and
   * where it names none, none. */
  ledger?: string | false;
  /** Keep prompts and replies in it. */
  ledgerRaw?: boolean;
  /** Go on where it cannot be written. */
  ledgerOptional?: boolean;
  /** Re-asks of each model; default: as the contract says. */
  retries?: number;
  feedback?: Feedback;
  style?: Style;
  mode?: "auto" | "native" | "tool" | "prompt";
  temperature?: number;
  outputTokensMax?: number;
  /** Ask for the response in one piece. */
  whole?: boolean;
  /** Seconds. */
  timeouts?: { connect?: number; firstByte?: number; idle?: number;
    total?: number };
  /** How calls that fail below the reply are repeated, in seconds. broken: how
   * many of the retries may repeat a call of whose reply a part had come. */
  backoff?: { retries?: number; first?: number; most?: number;
    retryAfterMax?: number; broken?: number };
  /** What the run may spend; of a consensus, each member. */
  budget?: Budget;
  /** When a call is stopped whose reply cannot become valid any more: once what
   * is to come is likely to cost more than another round (unless given), at the
   * first error that is certain, or only where it runs away. */
  stop?: "weigh" | "always" | "never";
  /** Stop a call also when the first value that it begins cannot satisfy the
   * contract. */
  commit?: boolean;
  /** Ask all models at once. */
  consensus?: ConsensusKind | { kind: ConsensusKind; quorum?: number;
    /** The model that merges. */
    aggregator?: Model;
    /** What all may spend together. */
    budget?: Budget };
  /** onEvent hears of values. */
  values?: boolean;
  /** A JSON Pointer to an array ("/rows"): onEvent hears of its elements, each
   * when it is whole and valid on its own, once and in order over all attempts;
   * no value that does not begin with them is taken. runItems is a loop over
   * them. Not for a consensus. */
  items?: string;
  /** What it throws ends the run, which rejects with it. */
  onEvent?: (event: RunEvent<T>) => void;
  /** Cancels the run, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Names the reply in reports. */
  source?: string;
}
export type ConsensusKind = "first" | "fastest" | "vote" | "aggregate";

export interface Usage {
  /** false: a part is an estimate. */
  known: boolean;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
}

export class RunResult<T = unknown> {
  private constructor();
  /** There is a value that satisfies the contract. */
  readonly ok: boolean;
  readonly verdict: "valid" | "partial" | "fallback" | "rejected" | "refused" |
    "provider" | "budget" | "ledger" | "cancelled" | "validator" | "calls";
  /** The value, or the contract's fallback; without a contract the reply. */
  readonly value: T | undefined;
  /** The value; throws RunFailed unless ok. */
  readonly parsed: T;
  /** Why there is no valid value, and what to do. */
  readonly message: string;
  readonly hint: string;
  /** The judgement of the last reply that could be judged. */
  readonly outcome: Outcome<T> | undefined;
  /** The conversation to go on with; of a consensus, none. */
  readonly messages: Message[];
  /** The calls of tools, in the order of the replies. */
  readonly toolUses: ToolUse[];
  readonly replyFirst: string | undefined;
  readonly replyLast: string | undefined;
  /** Why the recording could not be written, though there is a verdict. */
  readonly recordingError: SuretyError | undefined;
  /** The decisions, for people. */
  readonly log: string;
  readonly usage: Usage;
  /** US dollars; undefined where a price or a usage is not known. */
  readonly cost: number | undefined;
  readonly id: string;
  /** Each call, and what was decided after it (surety/report). */
  readonly attempts: { [member: string]: unknown }[];
  /** The whole report: the contract surety/report, of a consensus
   * surety/consensus. */
  readonly details: { [member: string]: unknown };
  report(form?: "object"): { [member: string]: unknown };
  report(form: Form): string;
}

/** Prompt, model, check, ask again. Rejects where it could not begin; a run
 * that ends without a valid value resolves, and its verdict says so. */
export function run<T>(options: RunOptions<T> & { contract: Contract<T> }):
  Promise<RunResult<T>>;
export function run<Output>(options: RunOptions<Output> &
  { contract: ZodLike<Output> }): Promise<RunResult<Output>>;
export function run<T = unknown>(options: RunOptions<T> &
  { contract: string | URL | Uint8Array | JsonSchema }):
  Promise<RunResult<T>>;
export function run(options: RunOptions & { contract?: undefined }):
  Promise<RunResult<string>>;

/** The elements of an array as a run makes them, each when it is whole and
 * valid on its own, once and in order, over all attempts. At the end they are
 * the array of the run's value; where there is none, the loop throws RunFailed,
 * and what it gave are whole elements of replies that failed. Leaving the loop
 * cancels the run. */
export class RunItems<T = unknown, Item = any> implements AsyncIterable<Item> {
  private constructor();
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
  /** What came of the run; undefined while it goes on. */
  readonly result: RunResult<T> | undefined;
}
export function runItems<T, Item = any>(options: RunOptions<T> &
  { contract: Contract<T>; items: string }): RunItems<T, Item>;
export function runItems<Output, Item = any>(options: RunOptions<Output> &
  { contract: ZodLike<Output>; items: string }): RunItems<Output, Item>;
export function runItems<T = unknown, Item = any>(options: RunOptions<T> &
  { contract: string | URL | Uint8Array | JsonSchema; items: string }):
  RunItems<T, Item>;
