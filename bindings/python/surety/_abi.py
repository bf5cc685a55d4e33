# SPDX-License-Identifier: Apache-2.0
"""The library's structs and numbers as ctypes sees them: one class a struct,
its members in the order and under the names of include/surety/*.h; one tuple an
enum, its names in the order of its numbers. The tests compare all of it with
what a C compiler makes of the headers.

A text comes in two classes of one layout: Str is given to the library (the
struct keeps the bytes alive), Text is read from it (it may hold NUL)."""

from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint, c_uint16, c_uint32,
                    c_uint64, c_void_p, string_at)

# -- numbers -------------------------------------------------------------------

OK = 0
MORE = 1
END = 2
# Below zero; the index is the number negated.
STATUSES = ("ok", "nomem", "limit", "misuse", "syntax", "unsupported", "io",
            "timeout", "cancelled")
KINDS = ("none", "null", "boolean", "number", "string", "array", "object")
STYLES = ("compact", "pretty", "canonical")
FORMS = ("tool-call", "yaml", "table", "csv", "key-value", "xml")
PLACES = ("none", "native", "whole", "fence", "fence-any", "marker",
          "embedded")
DIALECTS = ("default", "4", "6", "7", "2019-09", "2020-12", "v1")
OUTPUTS = ("flag", "basic", "detailed")
REPAIRS = ("none", "syntax", "align")
FEEDBACKS = ("errors", "simple", "patch")
STOPS = ("weigh", "always", "never")
STAGES = ("done", "extraction", "json_parse", "validation")
REPORTS = ("json", "text", "color", "plain", "github", "sarif")
STREAM_STATES = ("open", "refuted", "no", "runaway")
PROMPT_STYLES = ("contract", "json-schema", "typescript", "example")
SUBSETS = ("openai", "anthropic", "gemini", "grammar")
STRICT_SUPPORT = ("accepted", "rewritten", "impossible")
MODES = ("auto", "native", "tool", "prompt")
FAILURES = ("none", "connect", "tls", "timeout", "reset", "truncated",
            "command", "limit", "protocol", "cancelled", "request", "schema",
            "context", "auth", "model", "quota", "rate_limit", "overloaded",
            "server", "refusal", "filter", "length", "empty", "address")
EVENT_KINDS = ("attempt", "text", "reasoning", "decision", "tool", "result",
               "value", "item", "head", "bytes", "output", "reasoning_item")
TOOL_FAILURES = ("none", "unknown", "arguments", "failed", "unreachable",
                 "broken", "timeout", "limit", "result", "cancelled")
RUN_VERDICTS = ("pending", "valid", "partial", "fallback", "rejected",
                "refused", "provider", "budget", "ledger", "cancelled",
                "validator", "calls")
CONSENSUS_KINDS = ("first", "fastest", "vote", "aggregate")
VOTE_HOWS = ("unanimous", "majority", "plurality", "median", "tie", "left_out")

SURETY_PLACES = 6
SURETY_RUN_NONE = 0xFFFFFFFF
SURETY_REPLAY_MATCH = 1
SIZE_MAX = c_size_t(-1).value

# The enum of a tuple, and the prefix of its names in C.
ENUMS = {
    "surety_kind": ("SURETY_KIND_", KINDS),
    "surety_style": ("SURETY_STYLE_", STYLES),
    "surety_place": ("SURETY_PLACE_", PLACES),
    "surety_dialect": ("SURETY_DIALECT_", DIALECTS),
    "surety_output": ("SURETY_OUTPUT_", OUTPUTS),
    "surety_repair": ("SURETY_REPAIR_", REPAIRS),
    "surety_feedback": ("SURETY_FEEDBACK_", FEEDBACKS),
    "surety_stage": ("SURETY_STAGE_", STAGES),
    "surety_report": ("SURETY_REPORT_", REPORTS),
    "surety_stream_state": ("SURETY_STREAM_", STREAM_STATES),
    "surety_prompt_style": ("SURETY_PROMPT_", PROMPT_STYLES),
    "surety_subset": ("SURETY_SUBSET_", SUBSETS),
    "surety_strict_support": ("SURETY_STRICT_", STRICT_SUPPORT),
    "surety_mode": ("SURETY_MODE_", MODES),
    "surety_failure": ("SURETY_FAILURE_", FAILURES),
    "surety_stop": ("SURETY_STOP_", STOPS),
    "surety_event_kind": ("SURETY_EVENT_", EVENT_KINDS),
    "surety_run_verdict": ("SURETY_RUN_", RUN_VERDICTS),
    "surety_tool_failure": ("SURETY_TOOL_", TOOL_FAILURES),
    "surety_consensus_kind": ("SURETY_CONSENSUS_", CONSENSUS_KINDS),
    "surety_vote_how": ("SURETY_VOTE_", VOTE_HOWS),
}

# -- structs -------------------------------------------------------------------


class Str(Structure):
    _fields_ = [
        ("ptr", c_char_p),
        ("len", c_size_t),
    ]


class Text(Structure):
    _fields_ = [
        ("ptr", c_void_p),
        ("len", c_size_t),
    ]

    def __bytes__(self) -> bytes:
        return string_at(self.ptr, self.len) if self.len else b""

    def __str__(self) -> str:
        if not self.len:
            return ""
        return string_at(self.ptr, self.len).decode("utf-8", "replace")


class Position(Structure):
    _fields_ = [
        ("offset", c_size_t),
        ("length", c_size_t),
        ("line", c_uint32),
        ("column", c_uint32),
    ]


class Error(Structure):
    _fields_ = [
        ("status", c_int),
        ("position", Position),
        ("source", c_char * 256),
        ("path", c_char * 256),
        ("message", c_char * 320),
        ("hint", c_char * 256),
    ]


class Alloc(Structure):
    _fields_ = [
        ("resize", c_void_p),
        ("ctx", c_void_p),
    ]


class Buf(Structure):
    _fields_ = [
        ("ptr", c_void_p),
        ("len", c_size_t),
        ("cap", c_size_t),
        ("max", c_size_t),
        ("status", c_int),
        ("alloc", c_void_p),
    ]


class Limits(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("text_bytes_max", c_size_t),
        ("depth_max", c_uint32),
        ("number_len_max", c_uint32),
        ("string_len_max", c_uint32),
        ("key_len_max", c_uint32),
        ("values_max", c_uint32),
        ("schema_bytes_max", c_size_t),
        ("schema_nodes_max", c_uint32),
        ("schema_depth_max", c_uint32),
        ("schema_documents_max", c_uint32),
        ("inplace_depth_max", c_uint32),
        ("pattern_len_max", c_uint32),
        ("pattern_match_max", c_uint32),
        ("pattern_heap_kib_max", c_uint32),
        ("work_per_value", c_uint32),
        ("work_base", c_uint32),
        ("findings_max", c_uint32),
        ("candidates_max", c_uint32),
        ("rule_time_ms_max", c_uint32),
        ("rule_memory_mib_max", c_uint32),
        ("repairs_max", c_uint32),
        ("blank_run_max", c_uint32),
        ("repeat_run_max", c_uint32),
        ("repeat_data_max", c_uint32),
        ("attempt_raw_max", c_uint32),
        ("memo_max", c_uint32),
        ("media_bytes_max", c_size_t),
        ("messages_max", c_uint32),
        ("server_tools_max", c_size_t),
    ]


class Val(Structure):
    _fields_ = [
        ("doc", c_void_p),
        ("index", c_uint32),
    ]


class ReadOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("limits", c_void_p),
    ]


class SchemaOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("dialect", c_int),
        ("base_uri", Str),
        ("assert_format", c_bool),
        ("resolve", c_void_p),
        ("resolve_ctx", c_void_p),
        ("limits", c_void_p),
        ("alloc", c_void_p),
    ]


class Finding(Structure):
    _fields_ = [
        ("keyword", Text),
        ("instance_location", Text),
        ("keyword_location", Text),
        ("absolute_keyword_location", Text),
        ("message", Text),
        ("hint", Text),
        ("instance", Val),
        ("schema", Val),
    ]


class SchemaWarning(Structure):
    _fields_ = [
        ("key", Val),
        ("message", Text),
        ("hint", Text),
    ]


class SchemaInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("dialect", c_int),
        ("warnings", POINTER(SchemaWarning)),
        ("warning_count", c_size_t),
        ("warnings_left", c_size_t),
    ]


class ContractOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", Str),
        ("schema", c_void_p),
        ("limits", c_void_p),
        ("alloc", c_void_p),
    ]


class ContractInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", Text),
        ("version", Text),
        ("id", Text),
        ("deprecated", Text),
        ("root", Val),
        ("schema", c_void_p),
        ("extract", c_void_p),
        ("repair", c_int),
        ("partial", c_bool),
        ("strips_unknown", c_bool),
        ("fills_defaults", c_bool),
        ("fallback", c_int),
        ("fallback_value", Val),
        ("fallback_field", Text),
        ("retry_max", c_uint32),
        ("feedback", c_int),
        ("rules", c_void_p),
        ("rule_count", c_size_t),
        ("derive", Val),
        ("has_system", c_bool),
    ]


class RegistryEntry(Structure):
    _fields_ = [
        ("name", Text),
        ("version", Text),
        ("title", Text),
        ("source", Text),
        ("deprecated", Text),
        ("alias_of", Text),
        ("error", Text),
    ]


class Extract(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("from_", c_int * SURETY_PLACES),
        ("from_count", c_size_t),
        ("pick_last", c_bool),
        ("keep_reasoning", c_bool),
        ("marker", Str),
        ("forms_off", c_uint),
    ]


class Candidate(Structure):
    _fields_ = [
        ("place", c_int),
        ("start", c_size_t),
        ("end", c_size_t),
        ("text", Text),
        ("stripped", c_bool),
    ]


class Variable(Structure):
    _fields_ = [
        ("name", Str),
        ("value", Str),
    ]


class JudgeOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("native", Str),
        ("extract", c_void_p),
        ("no_fallback", c_bool),
        ("derive", c_bool),
        ("variables", c_void_p),
        ("variables_count", c_size_t),
        ("repair", c_void_p),
        ("certain_only", c_bool),
        ("partial", c_bool),
        ("cut", c_bool),
        ("validators", c_void_p),
        ("validator_count", c_size_t),
        ("native_fault", c_void_p),
        ("limits", c_void_p),
    ]


class Validation(Structure):
    _fields_ = [
        ("value", Val),
        ("given", Val),
        ("ctx", c_void_p),
        ("add", c_void_p),
    ]


class Validator(Structure):
    _fields_ = [
        ("name", Str),
        ("validate", c_void_p),
        ("ctx", c_void_p),
    ]


class OutcomeInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("ok", c_bool),
        ("fallback", c_bool),
        ("partial", c_bool),
        ("patchable", c_bool),
        ("stage", c_int),
        ("value", Val),
        ("candidate", Val),
        ("derived", Val),
        ("place", c_int),
        ("start", c_size_t),
        ("end", c_size_t),
        ("open", Text),
        ("error_count", c_size_t),
        ("warning_count", c_size_t),
        ("repaired_count", c_size_t),
    ]


class Issue(Structure):
    _fields_ = [
        ("keyword", Text),
        ("instance_location", Text),
        ("keyword_location", Text),
        ("absolute_keyword_location", Text),
        ("message", Text),
        ("hint", Text),
        ("position", Position),
    ]


class IssueForm(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("source", Str),
        ("text", Str),
        ("subject", Str),
        ("warning", c_bool),
    ]


class Repaired(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("likely", c_bool),
        ("instance_location", Text),
        ("original", Text),
        ("read", Text),
        ("cost", c_uint32),
        ("position", Position),
    ]


class PromptOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("style", c_int),
        ("native", c_bool),
        ("schema", Val),
        ("shown", c_bool),
        ("example", Val),
        ("findings", c_void_p),
        ("finding_count", c_size_t),
        ("part", c_void_p),
        ("instructions", Str),
        ("reask", Str),
        ("system", Str),
        ("instruct_system", c_bool),
        ("examples", Str),
        ("as_turns", c_bool),
    ]


class StreamInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("state", c_int),
        ("finding", Issue),
        ("value", Val),
        ("reply", Text),
    ]


class Item(Structure):
    _fields_ = [
        ("index", c_size_t),
        ("text", Str),
    ]


class StrictNote(Structure):
    _fields_ = [
        ("support", c_int),
        ("keyword", Text),
        ("location", Text),
        ("position", Position),
        ("message", Text),
        ("hint", Text),
    ]


class StrictInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("support", c_int),
        ("schema", Val),
        ("name", Text),
        ("description", Text),
        ("notes", POINTER(StrictNote)),
        ("note_count", c_size_t),
        ("changes_values", c_bool),
        ("text", Text),
    ]


class Header(Structure):
    _fields_ = [
        ("name", Str),
        ("value", Str),
        ("secret", c_bool),
    ]


class Timeouts(Structure):
    _fields_ = [
        ("connect_ms", c_uint32),
        ("first_byte_ms", c_uint32),
        ("idle_ms", c_uint32),
        ("total_ms", c_uint32),
    ]


class Price(Structure):
    _fields_ = [
        ("known", c_bool),
        ("input_microusd", c_uint64),
        ("cached_input_microusd", c_uint64),
        ("output_microusd", c_uint64),
    ]


class Model(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", Str),
        ("provider", Str),
        ("model", Str),
        ("protocol", c_int),
        ("base_url", Str),
        ("key", Str),
        ("headers", c_void_p),
        ("header_count", c_size_t),
        ("mode", c_int),
        ("whole", c_bool),
        ("has_temperature", c_bool),
        ("temperature", c_double),
        ("output_tokens_max", c_uint32),
        ("extra", Val),
        ("price", Price),
        ("timeouts", Timeouts),
        ("response_bytes_max", c_size_t),
        ("retry_ambiguous", c_bool),
        ("transport", c_void_p),
    ]


class Usage(Structure):
    _fields_ = [
        ("known", c_bool),
        ("input_tokens", c_uint64),
        ("cached_input_tokens", c_uint64),
        ("output_tokens", c_uint64),
        ("reasoning_tokens", c_uint64),
    ]


class Message(Structure):
    _fields_ = [
        ("role", c_int),
        ("parts", c_void_p),
        ("part_count", c_size_t),
    ]


class ConversationNote(Structure):
    _fields_ = [
        ("rule", c_char_p),
        ("message", c_size_t),
        ("location", Text),
        ("text", Text),
    ]


class Request(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("method", Text),
        ("url", Text),
        ("headers", c_void_p),
        ("header_count", c_size_t),
        ("body", Text),
        ("timeouts", Timeouts),
        ("response_bytes_max", c_size_t),
        ("body_stays", c_bool),
        ("parts", c_void_p),
        ("part_count", c_size_t),
    ]


class Delivery(Structure):
    _fields_ = [
        ("failure", c_int),
        ("sent", c_bool),
        ("message", c_char * 256),
    ]


class Receiver(Structure):
    _fields_ = [
        ("ctx", c_void_p),
        ("head", c_void_p),
        ("bytes", c_void_p),
        ("end", c_void_p),
    ]


class Transport(Structure):
    _fields_ = [
        ("version", c_uint32),
        ("ctx", c_void_p),
        ("start", c_void_p),
        ("cancel", c_void_p),
        ("wait", c_void_p),
        ("close", c_void_p),
        ("descriptor", c_void_p),
    ]


class ToolsOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("limits", c_void_p),
        ("alloc", c_void_p),
        ("environment", c_void_p),
        ("environment_ctx", c_void_p),
        ("wrap", c_void_p),
        ("wrap_ctx", c_void_p),
        ("cancelled", c_void_p),
        ("has_repair", c_bool),
        ("repair", c_int),
        ("certain_only", c_bool),
    ]


class ToolServer(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("command", Str),
        ("prefix", Str),
        ("only", c_void_p),
        ("only_count", c_size_t),
        ("time_ms_max", c_uint32),
        ("result_bytes_max", c_size_t),
        ("environment", c_void_p),
        ("environment_count", c_size_t),
    ]


class ToolCall(Structure):
    _fields_ = [
        ("tool", Text),
        ("id", Text),
        ("arguments", Val),
        ("text", Text),
    ]


class Tool(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", Str),
        ("description", Str),
        ("parameters", Str),
        ("result", Str),
        ("validators", c_void_p),
        ("validator_count", c_size_t),
        ("call", c_void_p),
        ("cancel", c_void_p),
        ("ctx", c_void_p),
        ("time_ms_max", c_uint32),
        ("result_bytes_max", c_size_t),
        ("polls", c_bool),
        ("contract", c_void_p),
        ("strict", c_bool),
        ("raw", Text),
        ("raw_protocol", c_int),
    ]


class ToolUse(Structure):
    _fields_ = [
        ("id", Text),
        ("attempt", c_uint32),
        ("call", Text),
        ("name", Text),
        ("arguments", Text),
        ("result", Text),
        ("failure", c_int),
        ("message", Text),
        ("made", c_bool),
        ("started_ms", c_uint64),
        ("ended_ms", c_uint64),
    ]


class Answer(Structure):
    _fields_ = [
        ("failure", c_int),
        ("text", Text),
        ("native", Text),
        ("refusal", Text),
        ("finish_reason", Text),
        ("model", Text),
        ("response_id", Text),
        ("request_id", Text),
        ("error_code", Text),
        ("error_message", Text),
        ("usage", Usage),
        ("http_status", c_int),
        ("retry_after_ms", c_int64),
        ("should_retry", c_int),
        ("ambiguous", c_bool),
        ("message", Message),
    ]


class Budget(Structure):
    _fields_ = [
        ("calls_max", c_uint32),
        ("tokens_max", c_uint64),
        ("ms_max", c_uint64),
        ("cost_picousd_max", c_uint64),
    ]


class Backoff(Structure):
    _fields_ = [
        ("retries_max", c_uint32),
        ("first_ms", c_uint32),
        ("most_ms", c_uint32),
        ("retry_after_max_ms", c_uint32),
    ]


class Event(Structure):
    _fields_ = [
        ("kind", c_int),
        ("attempt", c_uint32),
        ("text", Text),
        ("tool", Text),
        ("call", Text),
        ("item", c_size_t),
    ]


class RunOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("contract", c_void_p),
        ("system", Str),
        ("prompt", Str),
        ("instruct_system", c_bool),
        ("prompt_options", c_void_p),
        ("judge", c_void_p),
        ("models", c_void_p),
        ("model_count", c_size_t),
        ("budget", Budget),
        ("backoff", Backoff),
        ("retry_max", c_uint32),
        ("has_feedback", c_bool),
        ("feedback", c_int),
        ("commit", c_bool),
        ("ledger", c_void_p),
        ("ledger_optional", c_bool),
        ("event", c_void_p),
        ("event_ctx", c_void_p),
        ("seed", c_uint64),
        ("limits", c_void_p),
        ("alloc", c_void_p),
        ("broken_retries_max", c_uint32),
        ("stop", c_int),
        ("messages", c_void_p),
        ("message_count", c_size_t),
        ("keep_reasks", c_bool),
        ("tools", c_void_p),
        ("steps_max", c_uint32),
        ("tool_calls_max", c_uint32),
        ("values", c_bool),
        ("items", c_void_p),
        ("tool_choice", c_int),
        ("tool_choice_name", Str),
        ("single_call", c_bool),
        ("ready", c_void_p),
        ("ready_ctx", c_void_p),
        ("request", Str),
        ("request_headers", c_void_p),
        ("request_header_count", c_size_t),
        ("request_path", Str),
        ("request_method", Str),
        ("output", c_int),
        ("allow", c_void_p),
        ("allow_ctx", c_void_p),
        ("key", Str),
        ("tag", Str),
        ("request_as_is", c_bool),
        ("request_type", Str),
    ]


class Attempt(Structure):
    _fields_ = [
        ("id", Text),
        ("purpose", Text),
        ("model", c_void_p),
        ("mode", c_int),
        ("prompt", Text),
        ("answer", Answer),
        ("judged", c_bool),
        ("ok", c_bool),
        ("stage", c_int),
        ("report", Text),
        ("stopped", c_int),
        ("stopped_bytes", c_uint64),
        ("stopped_tokens", c_uint64),
        ("saved_known", c_bool),
        ("saved_tokens", c_uint64),
        ("started_ms", c_uint64),
        ("first_byte_ms", c_uint64),
        ("ended_ms", c_uint64),
        ("cost_known", c_bool),
        ("cost_picousd", c_uint64),
        ("decision", Text),
        ("reason", Text),
        ("candidate", Text),
        ("candidate_len", c_size_t),
    ]


class ConfigOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("folder", Str),
        ("environment", c_void_p),
        ("environment_ctx", c_void_p),
        ("keyless", c_bool),
        ("warn", c_void_p),
        ("warn_ctx", c_void_p),
        ("replay", c_void_p),
        ("record", c_void_p),
        ("record_ctx", c_void_p),
        ("alloc", c_void_p),
        ("exec_environment", c_void_p),
        ("exec_environment_count", c_size_t),
        ("connections_max", c_uint32),
    ]


class LedgerOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("raw", c_bool),
        ("read_only", c_bool),
        ("timeout_ms", c_uint32),
        ("alloc", c_void_p),
    ]


class ConsensusOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("run", c_void_p),
        ("budget", Budget),
        ("quorum", c_uint32),
        ("aggregator", c_void_p),
        ("event", c_void_p),
        ("event_ctx", c_void_p),
    ]


class Ballot(Structure):
    _fields_ = [
        ("pointer", Text),
        ("how", c_int),
        ("votes", c_uint32),
        ("voters", c_uint32),
        ("value", Val),
        ("given", POINTER(Val)),
    ]


class VoteInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("agreement", c_double),
        ("ballots", POINTER(Ballot)),
        ("ballot_count", c_size_t),
    ]


class ConfigInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("defaults", POINTER(Text)),
        ("default_count", c_size_t),
        ("models", POINTER(Text)),
        ("model_count", c_size_t),
        ("budget", c_void_p),
        ("backoff", c_void_p),
        ("limits", c_void_p),
        ("ledger", Text),
        ("ledger_raw", c_bool),
        ("ledger_optional", c_bool),
        ("tools", Text),
        ("folder", Text),
        ("file", Text),
        ("routes", c_void_p),
        ("route_count", c_size_t),
        ("at_once", c_void_p),
        ("passed", c_void_p),
        ("passed_count", c_size_t),
        ("ignored", c_void_p),
        ("ignored_count", c_size_t),
    ]


class RunInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("verdict", c_int),
        ("message", Text),
        ("hint", Text),
        ("outcome", c_void_p),
        ("reply_first", Text),
        ("reply_last", Text),
        ("usage", Usage),
        ("cost_known", c_bool),
        ("cost_picousd", c_uint64),
        ("id", Text),
        ("attempt_count", c_size_t),
        ("tool_use_count", c_size_t),
    ]


class ConsensusInfo(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("verdict", c_int),
        ("value", Val),
        ("message", Text),
        ("winner", c_size_t),
        ("member_count", c_size_t),
        ("aggregator", c_void_p),
        ("vote", c_void_p),
        ("voters", POINTER(c_size_t)),
        ("voter_count", c_size_t),
        ("usage", Usage),
        ("cost_known", c_bool),
        ("cost_picousd", c_uint64),
    ]


class MockOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("address", Str),
        ("port", c_uint16),
        ("folder", Str),
        ("log", c_void_p),
        ("log_ctx", c_void_p),
        ("alloc", c_void_p),
    ]


# The structs by their names in C.
def _c_name(name: str) -> str:
    return "surety" + "".join("_" + letter.lower() if letter.isupper()
                              else letter for letter in name)


STRUCTS = {_c_name(name): value for name, value in list(globals().items())
           if isinstance(value, type) and issubclass(value, Structure)
           and value not in (Structure, Text)}
