# SPDX-License-Identifier: Apache-2.0
"""What came of a run, read from the library at once: a result is a plain thing,
and nothing of the run is open any more."""

import json
from decimal import Decimal
from typing import (Any, Dict, Generic, List, NamedTuple, NoReturn, Optional,
                    Tuple, TypeVar, Union)

from . import _abi
from ._errors import InvalidReply, RunFailed, SuretyError
from ._library import buffer, lib, number_of, str_of
from ._messages import Conversation
from ._outcome import Outcome, instance, sarif
from ._validators import Asked
from ._values import dump, json_of, load

T = TypeVar("T")


class Event(NamedTuple):
    """kind: "attempt" (a call is about to be sent), "text" and "reasoning" (a
    piece of the reply, of the model's reasoning), "decision" (what was decided,
    as a sentence), "tool" (a tool is called; text has its arguments), "result"
    (what the model reads of it), "value" (the value so far) and "item" (an
    element of the array), both in value, and as JSON in text. attempt counts
    from 1. member: of a consensus, whose it is. tool: the tool's name; call:
    what pairs call and result. item: the element's index."""
    kind: str
    attempt: int
    text: str
    member: Optional[int] = None
    tool: str = ""
    call: str = ""
    value: Any = None
    item: Optional[int] = None


class Usage(NamedTuple):
    """Tokens. Where known is False a part is an estimate, or nobody said."""
    known: bool
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int


class Answer(NamedTuple):
    """What a provider answered, refused or broke. failure None: it is whole;
    else "rate_limit", "timeout", "refusal", ... (docs/providers.md)."""
    failure: Optional[str]
    text: str
    native: str
    refusal: str
    finish_reason: str
    model: str
    response_id: str
    request_id: str
    error_code: str
    error_message: str
    usage: Usage
    http_status: Optional[int]
    retry_after_ms: Optional[int]
    should_retry: Optional[bool]
    ambiguous: bool


class Attempt(NamedTuple):
    """One call and what became of it. report is None where the reply was not
    judged; stopped is the state for which the run stopped the call. Times are
    milliseconds of one clock; None: never."""
    id: str
    purpose: str
    model: str
    provider: str
    mode: str
    prompt: str
    answer: Answer
    ok: bool
    stage: Optional[str]
    report: Optional[Dict[str, Any]]
    stopped: Optional[str]
    stopped_bytes: int
    stopped_tokens: int
    saved_tokens: Optional[int]
    started_ms: Optional[int]
    first_byte_ms: Optional[int]
    ended_ms: Optional[int]
    cost: Optional[Decimal]
    decision: str
    reason: str
    #: The value that was refused, as it was read; None: there is none.
    candidate: Any = None


class ToolUse(NamedTuple):
    """One call of a tool by a model. attempt: whose reply has it, from 1; call:
    what pairs call and result in the conversation. arguments: with their
    repairs; the text of the model where that is no JSON. result: what the model
    reads. failure None: there is a result; else "unknown", "arguments",
    "failed", "timeout", ... (docs/tools.md), and message says why. made: the
    tool was called, or may have been."""
    id: str
    attempt: int
    call: str
    name: str
    arguments: Any
    result: str
    failure: Optional[str]
    message: str
    made: bool
    started_ms: Optional[int]
    ended_ms: Optional[int]


class Ballot(NamedTuple):
    """How one field of a vote was decided. given: what each voter gave there, a
    pair of the member and its value; who gave nothing is not in it."""
    pointer: str
    how: str
    votes: int
    voters: int
    value: Any
    given: Tuple[Tuple[int, Any], ...]


class RunResult(Generic[T]):
    """What came of a run, or of a consensus."""

    #: "valid", "partial", "fallback", "rejected", "refused", "provider",
    #: "budget", "ledger", "cancelled", "validator" or "calls".
    verdict: str
    #: "", or why there is no valid value, and what to do about it.
    message: str
    hint: str
    #: The value: valid, partial or the fallback, as the verdict says; the reply
    #: where there was no contract. None: there is none.
    value: Any
    #: The same as JSON, every number as it was written; "": there is none.
    value_json: str
    #: Why the recording could not be written, though the run has its verdict;
    #: None: it was, or none was wanted.
    recording_error: Optional[SuretyError] = None
    #: The last exception of a function that is a model; None: none raised.
    cause: Optional[BaseException] = None
    #: The judgement of the last reply that could be judged; None: no such.
    outcome: Optional[Outcome[T]]
    attempts: Tuple[Attempt, ...]
    #: The conversation to go on with, in the form of docs/messages.md: the
    #: messages, the prompt, the calls of tools with their results, the answer.
    #: Of a consensus the winner's.
    messages: List[Dict[str, Any]]
    tool_uses: Tuple[ToolUse, ...]
    usage: Usage
    #: In dollars; None where a model that was asked has no price.
    cost: Optional[Decimal]
    id: str
    reply_first: str
    reply_last: str
    #: The decision log for people.
    log: str
    #: Of a consensus: each member's result, that of the aggregator, the member
    #: whose answer the value is (None: merged, or none), the mean share of
    #: votes, and the ballots.
    members: "Tuple[RunResult[T], ...]" = ()
    aggregator: "Optional[RunResult[T]]" = None
    winner: Optional[int] = None
    agreement: Optional[float] = None
    ballots: Tuple[Ballot, ...] = ()

    def __init__(self, contract: Any) -> None:
        self.contract = contract
        self._texts: Dict[str, str] = {}
        self._typed: Dict[str, Any] = {}

    @property
    def ok(self) -> bool:
        """Whether there is a valid value (without a contract: a reply)."""
        return self.verdict == "valid"

    def __bool__(self) -> bool:
        return self.ok

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "cause": None}

    def __repr__(self) -> str:
        return f"<RunResult: {self.verdict}, {len(self.attempts)} attempts>"

    @property
    def parsed(self) -> T:
        """The value, as an instance of the model where the contract was made
        from one. Raises RunFailed where there is no valid value."""
        if not self.ok:
            self._raise()
        made: T = instance(self.contract, self, self._typed)
        return made

    def _raise(self) -> NoReturn:
        cause = self.cause
        if self.outcome is not None and not self.outcome.ok:
            cause = InvalidReply(self.outcome.report("text").rstrip("\n"),
                                 self.outcome, self.outcome.errors)
        message = self.message or f"the run ended: {self.verdict}"
        raise RunFailed(message, self.hint, self) from cause

    def report(self, form: str = "dict") -> Union[Dict[str, Any], str]:
        """The run's report: "dict" (the contract surety/report with the run's
        members; of a consensus surety/consensus), the same as "json"; "text",
        "color", "plain", "github", "sarif"."""
        if form == "dict":
            report: Dict[str, Any] = json.loads(self._texts["json"])
            return report
        number_of(_abi.REPORTS, form, "the form of a report")
        text = self._texts[form]
        return sarif(text) if form == "sarif" else text


def _dollars(picousd: int) -> Decimal:
    return Decimal(picousd) / 10 ** 12


def _cost(info: Any) -> Optional[Decimal]:
    return _dollars(info.cost_picousd) if info.cost_known else None


def _usage(usage: "_abi.Usage") -> Usage:
    return Usage(*(getattr(usage, name) for name in Usage._fields))


def _answer(answer: "_abi.Answer") -> Answer:
    return Answer(
        _abi.FAILURES[answer.failure] if answer.failure else None,
        str(answer.text), str(answer.native), str(answer.refusal),
        str(answer.finish_reason), str(answer.model), str(answer.response_id),
        str(answer.request_id), str(answer.error_code),
        str(answer.error_message),
        _usage(answer.usage), answer.http_status or None,
        answer.retry_after_ms if answer.retry_after_ms >= 0 else None,
        bool(answer.should_retry) if answer.should_retry >= 0 else None,
        answer.ambiguous)


def _attempt(library: Any, handle: Any, i: int) -> Attempt:
    one = library.surety_run_attempt(handle, i)
    value = bytes(one.candidate)
    model = _abi.Model.from_address(one.model)
    report = json.loads(bytes(one.report)) if one.report.len else None
    stage = _abi.STAGES[one.stage] if one.judged and one.stage else None
    return Attempt(
        str(one.id), str(one.purpose), _given(model.name),
        _given(model.provider), _abi.MODES[one.mode], str(one.prompt),
        _answer(one.answer), one.ok, stage, report,
        _abi.STREAM_STATES[one.stopped] if one.stopped else None,
        one.stopped_bytes,
        one.stopped_tokens, one.saved_tokens if one.saved_known else None,
        one.started_ms or None, one.first_byte_ms or None, one.ended_ms or None,
        _dollars(one.cost_picousd) if one.cost_known else None,
        str(one.decision), str(one.reason),
        json.loads(value) if value else None)


def _tool_use(library: Any, handle: Any, i: int) -> ToolUse:
    one = library.surety_run_tool_use(handle, i)
    text = str(one.arguments)
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = text
    return ToolUse(
        str(one.id), one.attempt, str(one.call), str(one.name), arguments,
        str(one.result),
        _abi.TOOL_FAILURES[one.failure] if one.failure else None,
        str(one.message), one.made, one.started_ms or None,
        one.ended_ms or None)


def _given(text: "_abi.Str") -> str:
    """A text in a struct of the kind that is given."""
    return str(_abi.Text.from_buffer_copy(text))


def _texts(write: Any) -> Dict[str, str]:
    """All forms of a report."""
    made: Dict[str, str] = {}
    for number, form in enumerate(_abi.REPORTS):
        with buffer() as out:
            if write(number, out.ref) == 0:
                made[form] = str(out)
    return made


def run_result(library: Any, handle: Any, contract: Any,
               asked: "Optional[Asked]") -> RunResult[Any]:
    """What came of a surety_run, which may then be freed. asked: its
    validators; None: there are none."""
    result: RunResult[Any] = RunResult(contract)
    result._typed = asked.kept if asked is not None else {}
    info = library.surety_run_info_of(handle).contents
    result.verdict = _abi.RUN_VERDICTS[info.verdict]
    result.message, result.hint = str(info.message), str(info.hint)
    result.reply_first = str(info.reply_first)
    result.reply_last = str(info.reply_last)
    result.id = str(info.id)
    result.usage, result.cost = _usage(info.usage), _cost(info)
    result.attempts = tuple(
        _attempt(library, handle, i)
        for i in range(info.attempt_count))
    result.messages = Conversation().take(handle)
    result.tool_uses = tuple(
        _tool_use(library, handle, i)
        for i in range(info.tool_use_count))
    result._texts = _texts(lambda form, out: library.surety_run_write(
        handle, form, str_of(""), out))
    with buffer() as out:
        library.surety_run_write_log(handle, False, out.ref)
        result.log = str(out)
    pointer = info.outcome
    result.outcome = result.value = None
    result.value_json = ""
    if pointer and contract is not None:
        outcome: Outcome[Any] = Outcome(contract, result.reply_last, pointer,
                                        handle, None)
        if asked is not None:
            outcome.take(asked)
        result.outcome = outcome.detach()
        if result.verdict in ("valid", "partial", "fallback"):
            result.value = result.outcome.value
            result.value_json = result.outcome.value_json
    elif contract is None and result.ok:
        result.value = result.reply_last
        result.value_json = dump(result.value).decode("utf-8", "replace")
    return result


def _ballots(vote: Any, voters: Any, decimals: bool) -> List[Ballot]:
    made = []
    for one in vote.ballots[:vote.ballot_count]:
        given = [(voters[voter], load(one.given[voter], decimals))
                 for voter in range(one.voters) if one.given[voter].doc]
        made.append(Ballot(str(one.pointer), _abi.VOTE_HOWS[one.how],
                           one.votes, one.voters, load(one.value, decimals),
                           tuple(given)))
    return made


def consensus_result(library: Any, handle: Any, contract: Any,
                     asked: "Optional[Asked]") -> RunResult[Any]:
    """What came of a surety_consensus, which may then be freed."""
    decimals = contract is not None and contract.decimals
    result: RunResult[Any] = RunResult(contract)
    result._typed = asked.kept if asked is not None else {}
    info = library.surety_consensus_info_of(handle).contents
    result.verdict = _abi.RUN_VERDICTS[info.verdict]
    result.message = str(info.message)
    result.hint = result.id = result.log = ""
    result.value = load(info.value, decimals)
    result.value_json = json_of(info.value)
    result.usage, result.cost = _usage(info.usage), _cost(info)
    result._texts = _texts(lambda form, out: library.surety_consensus_write(
        handle, form, out))
    result.members = tuple(
        run_result(library, library.surety_consensus_member(handle, i),
                   contract, asked)
        for i in range(info.member_count))
    if info.aggregator:
        result.aggregator = run_result(library, info.aggregator, contract,
                                       asked)
    if info.winner != _abi.SIZE_MAX:
        result.winner = info.winner
    if info.vote:
        vote = lib.surety_vote_info_of(info.vote).contents
        result.agreement = vote.agreement
        result.ballots = tuple(_ballots(vote, info.voters, decimals))
    taken = result.members[info.winner] if result.winner is not None else None
    result.outcome = taken.outcome if taken is not None else None
    result.reply_first = taken.reply_first if taken is not None else ""
    result.reply_last = taken.reply_last if taken is not None else ""
    result.messages = taken.messages if taken is not None else []
    runs = result.members
    if result.aggregator is not None:
        runs += (result.aggregator,)
    result.attempts = tuple(one for run in runs for one in run.attempts)
    result.tool_uses = tuple(one for run in runs for one in run.tool_uses)
    return result
