# SPDX-License-Identifier: Apache-2.0
"""What a function that is a model gives, in the form of Chat Completions, which
the library reads: a text, a ModelAnswer, or what OpenAI's client gives, at once
or as the items of a stream."""

import json
from typing import (Any, Dict, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple, Union)

from ._result import Usage
from ._values import dump_any

Json = Dict[str, Any]


class ToolCall(NamedTuple):
    """A call of a tool by a model. arguments: a mapping, or their JSON. id:
    what pairs call and result; one is made where it is empty."""
    name: str
    arguments: "Union[str, Mapping[str, Any]]"
    id: str = ""


class ModelAnswer(NamedTuple):
    """What a function that is a model gives where it has more than a text. As
    an item of a stream: what comes next of each. tool_calls: ToolCalls, or
    mappings with their members; usage: a Usage, or what a client has for it;
    finish_reason: such as "length"; without it the answer is whole."""
    text: str = ""
    tool_calls: "Sequence[Union[ToolCall, Mapping[str, Any]]]" = ()
    usage: Any = None
    reasoning: str = ""
    refusal: str = ""
    finish_reason: str = ""


# Where clients have the counts of Chat Completions.
_COUNTS = (("prompt_tokens", "input_tokens"),
           ("completion_tokens", "output_tokens"))
_DETAILS = (("prompt_tokens_details", "cached_tokens", "cached_input_tokens"),
            ("completion_tokens_details", "reasoning_tokens",
             "reasoning_tokens"))


def _member(thing: Any, name: str) -> Any:
    if isinstance(thing, Mapping):
        return thing.get(name)
    return getattr(thing, name, None)


def _usage(given: Any) -> Optional[Json]:
    """Counts of tokens under the names of Chat Completions; None: there are
    none."""
    if given is None or (isinstance(given, Usage) and not given.known):
        return None
    made: Json = {}
    for ours, other in _COUNTS:
        count = _member(given, ours)
        made[ours] = _member(given, other) if count is None else count
        if made[ours] is None:
            raise TypeError(f"the usage has no {other}: {given!r}")
    for home, ours, other in _DETAILS:
        count = _member(_member(given, home), ours)
        count = _member(given, other) if count is None else count
        if count is not None:
            made[home] = {ours: count}
    return made


def is_answer(given: object) -> bool:
    """Whether it is an answer, and not a stream of such."""
    return isinstance(given, (str, ModelAnswer, Mapping)) or \
        _member(given, "choices") is not None or \
        isinstance(_member(given, "text"), str)


def _answer_of(given: Any, name: str) -> ModelAnswer:
    if isinstance(given, str):
        return ModelAnswer(given)
    if isinstance(given, ModelAnswer):
        return given
    if not is_answer(given):
        raise TypeError(f"the model {name} gave {given!r}: a text, a "
                        "ModelAnswer or an iterable of these is expected")
    members = {one: _member(given, one) for one in ModelAnswer._fields}
    if isinstance(given, Mapping) and set(given) - set(members):
        raise TypeError(f"the model {name} gave a mapping with the members "
                        f"{', '.join(map(str, given))}; known are "
                        f"{', '.join(members)}, or those of Chat Completions")
    return ModelAnswer(**{one: value for one, value in members.items()
                          if value is not None})


class Writer:
    """Writes the answer of one call. prefix: of the ids of calls of tools."""

    def __init__(self, name: str, prefix: str) -> None:
        self.name = name
        self.prefix = prefix
        self._calls = 0
        self._passed = False  # chunks of Chat Completions came as they are
        self._finish = ""

    def _tool_call(self, given: Any) -> Json:
        one = ToolCall(**given) if isinstance(given, Mapping) else given
        arguments = one.arguments
        self._calls += 1
        return {"index": self._calls - 1,
                "id": one.id or f"{self.prefix}{self._calls}",
                "type": "function",
                "function": {"name": one.name,
                             "arguments": arguments
                             if isinstance(arguments, str)
                             else dump_any(arguments).decode()}}

    def _message(self, answer: ModelAnswer) -> Json:
        message: Json = {"content": answer.text}
        if answer.reasoning:
            message["reasoning_content"] = answer.reasoning
        if answer.refusal:
            message["refusal"] = answer.refusal
        if answer.tool_calls:
            message["tool_calls"] = [self._tool_call(one)
                                     for one in answer.tool_calls]
        self._finish = answer.finish_reason or self._finish
        return message

    def _framed(self, choice: Json, usage: Optional[Json]) -> bytes:
        body: Json = {"model": self.name, "choices": [{"index": 0, **choice}]}
        if usage is not None:
            body["usage"] = usage
        return dump_any(body)

    @property
    def _reason(self) -> str:
        return self._finish or ("tool_calls" if self._calls else "stop")

    def whole(self, given: Any) -> bytes:
        """The body of an answer that is given at once."""
        if _member(given, "choices") is not None:
            return dump_any(given)
        answer = _answer_of(given, self.name)
        message = {"role": "assistant", **self._message(answer)}
        return self._framed({"message": message,
                             "finish_reason": self._reason},
                            _usage(answer.usage))

    def chunk(self, given: Any) -> bytes:
        """One item of a stream; empty: it says nothing."""
        if given is None:
            return b""
        if _member(given, "choices") is not None:
            self._passed = True
            return b"data: " + dump_any(given) + b"\n\n"
        answer = _answer_of(given, self.name)
        return b"data: " + self._framed({"delta": self._message(answer)},
                                        _usage(answer.usage)) + b"\n\n"

    def end(self) -> bytes:
        """The end of a stream."""
        last = b"" if self._passed else b"data: " + self._framed(
            {"delta": {}, "finish_reason": self._reason}, None) + b"\n\n"
        return last + b"data: [DONE]\n\n"


class Broken(NamedTuple):
    """What the exception of a function comes to: the failure of the transport,
    or a provider's answer with status, headers and body."""
    failure: str
    message: str
    status: int = 0
    headers: "Sequence[Tuple[str, str]]" = ()
    body: bytes = b""


_HEADERS = ("retry-after", "retry-after-ms", "x-should-retry", "x-request-id",
            "request-id")


def broken_of(error: BaseException) -> Broken:
    """A client's exception with the status of its provider counts as that
    answer, so that what follows it is the same as without the client."""
    said = f"{type(error).__name__}: {error}"
    response = getattr(error, "response", None)
    status = getattr(error, "status_code",
                     getattr(response, "status_code", None))
    if isinstance(status, int) and 400 <= status <= 599:
        body = getattr(error, "body", None)
        if not isinstance(body, Mapping):
            body = {"type": type(error).__name__, "message": str(error)}
        elif isinstance(body.get("error"), Mapping):
            body = body["error"]
        given = getattr(response, "headers", None) or {}
        headers: List[Any] = [(name, str(given[name])) for name in _HEADERS
                              if name in given]
        return Broken("", said, status, headers,
                       json.dumps({"error": body}, default=str).encode())
    if isinstance(error, TimeoutError) or \
            type(error).__name__ == "TimeoutError":
        return Broken("timeout", said)
    if isinstance(error, ConnectionRefusedError):
        return Broken("connect", said)
    if isinstance(error, ConnectionError):
        return Broken("reset", said)
    return Broken("command", said)
