# SPDX-License-Identifier: Apache-2.0
"""What judges a value besides schema and rules: the model that a contract was
made from, and functions of the program. The engine asks through one C callback;
whoever waits for it (check, a stream's end, a run) says how the answer is got:
at once, by awaiting it, or in the thread that called."""

import inspect
import threading
from ctypes import CFUNCTYPE, POINTER, c_int, c_void_p, cast
from typing import (Any, Callable, Dict, List, Mapping, NamedTuple, Optional,
                    Sequence, Tuple, Union)

from . import _abi
from ._errors import Misuse
from ._library import lib, str_of
from ._requests import Request
from ._values import json_of, loads

VALIDATE = CFUNCTYPE(c_int, c_void_p, POINTER(_abi.Validation),
                     POINTER(_abi.Error))
FAILED = -_abi.STATUSES.index("cancelled")
SLICE_SECONDS = 0.05  # how long an engine's thread waits before it looks round


class Problem(NamedTuple):
    """What a validator has against a value. path: a JSON Pointer, or the names
    and indexes that lead there; what to do about it is the hint."""
    message: str
    path: "Union[str, Sequence[Union[str, int]]]" = ""
    hint: str = ""


class Refused(Exception):
    """A model's no, with the error that it raised."""

    def __init__(self, problems: Sequence[Problem],
                 cause: Optional[BaseException] = None) -> None:
        super().__init__()
        self.problems = tuple(problems)
        self.cause = cause


def pointer_of(path: Any) -> str:
    if isinstance(path, str):
        return path
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1")
                   for part in path)


def problems_of(said: Any, name: str) -> List[Problem]:
    """What a function gave back, as problems."""
    if said is None or said is True:
        return []
    if said is False:
        return [Problem(f"{name} says no")]
    made = []
    for one in [said] if isinstance(said, (str, Problem, Mapping)) else said:
        if isinstance(one, str):
            one = Problem(one)
        elif isinstance(one, Mapping):
            one = Problem(**one)
        if not isinstance(one, Problem):
            raise TypeError(f"the validator {name} gives None, texts or "
                            f"Problems, not {one!r}")
        made.append(one)
    return made


def name_of(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


class Answer(NamedTuple):
    """What came of one question."""
    problems: Tuple[Problem, ...]
    cause: Optional[BaseException] = None


class Question:
    """A value that is to be judged, as JSON: as it would be given out, and
    before defaults were filled in and unknown members left out."""

    def __init__(self, value: str, given: str) -> None:
        self.value, self.given = value, given
        self.done = threading.Event()
        self.answer: Optional[Answer] = None


class Judges:
    """Who judges the values of one contract: its model, then functions."""

    def __init__(self, contract: Any, functions: Sequence[Any]) -> None:
        self.make = contract.make
        self.strips = bool(contract.info.strips_unknown)
        self.decimals = contract.decimals
        self.functions = tuple(functions)
        for one in self.functions:
            if not callable(one):
                raise TypeError(f"a validator is a function, not {one!r}")

    def typed(self, question: Question) -> Any:
        """The value as the model has it. Its defaults are its own, which it
        does not check, so it gets the value without them."""
        if self.make is None:
            return loads(question.value, self.decimals)
        return self.make(question.value if self.strips else question.given)

    async def answer(self, question: Question, waits: bool,
                     kept: Dict[str, Any]) -> Answer:
        """Asks all. waits: awaitables may be awaited. What is accepted is kept
        by its JSON."""
        problems: List[Problem] = []
        cause: Optional[BaseException] = None
        try:
            typed = self.typed(question)
        except Refused as refused:
            return Answer(refused.problems, refused.cause)
        for function in self.functions:
            try:
                said = function(typed)
                if inspect.isawaitable(said):
                    if not waits:
                        if inspect.iscoroutine(said):
                            said.close()
                        raise Misuse(
                            f"the validator {name_of(function)} is "
                            "asynchronous", hint="use check_async, "
                            "parse_async, finish_async or run_async")
                    said = await said
                problems += problems_of(said, name_of(function))
            except Misuse:
                raise
            except Refused as refused:
                problems += refused.problems
                cause = refused.cause
            except (ValueError, AssertionError) as error:
                problems += refusal_of(error, question.given).problems
                cause = error
        if not problems:
            kept[question.value] = typed
        return Answer(tuple(problems), cause)

    def answer_now(self, question: Question, kept: Dict[str, Any]) -> Answer:
        """The same without waiting for anything."""
        asking = self.answer(question, False, kept)
        try:
            asking.send(None)
        except StopIteration as stop:
            answer: Answer = stop.value
            return answer
        raise AssertionError("it waits")  # nothing in it can


def refusal_of(error: BaseException, text: str,
               aliases: Optional[Mapping[str, str]] = None) -> Refused:
    """What a ValidationError of Pydantic says of JSON text, or any other
    ValueError of a value."""
    errors = getattr(error, "errors", None)
    if not callable(errors):
        return Refused([Problem(str(error) or type(error).__name__)], error)
    value = loads(text)
    return Refused([
        Problem(str(one.get("msg", "")) or str(one.get("type", "refused")),
                _located(value, one, aliases or {}))
        for one in errors()], error)


def _located(value: Any, error: Mapping[str, Any],
             aliases: Mapping[str, str]) -> Tuple[str, ...]:
    """Where in the value an error of Pydantic is. Its location has names of
    fields, or their aliases, and between them words that are no members: which
    type of a union was tried, which function."""
    path: List[str] = []
    parts = list(error.get("loc", ()))
    for i, part in enumerate(parts):
        names = [str(part), aliases.get(str(part), str(part))]
        if isinstance(value, dict):
            found = [name for name in names if name in value]
            if found:
                path.append(found[0])
                value = value[found[0]]
            elif i + 1 == len(parts) and "missing" in str(error.get("type")):
                path.append(names[1])
        elif isinstance(value, list) and isinstance(part, int) and \
                0 <= part < len(value):
            path.append(str(part))
            value = value[part]
    return tuple(path)


class Asked:
    """The questions of one judgement. answers are kept until it is made, for
    it may be made again; kept has what was accepted, by its JSON. post: who
    takes questions, where another thread answers them; each is asked anew, for
    a run keeps what was said of a reply itself."""

    def __init__(self, judges: Judges, waits: bool = False,
                 post: Optional[Callable[[Any], None]] = None) -> None:
        self.judges = judges
        self.waits = waits
        self.post = post
        self.answers: Dict[Tuple[str, str], Answer] = {}
        self.waiting: Dict[Tuple[str, str], Question] = {}
        self.kept: Dict[str, Any] = {}
        self.cause: Optional[BaseException] = None
        self.error: Optional[BaseException] = None

    def _posted(self, question: Question) -> Optional[Answer]:
        key = question.value, question.given
        asked = self.waiting.setdefault(key, question)
        if asked is question and self.post is not None:
            self.post(Judgement(self, question))
        if not asked.done.wait(SLICE_SECONDS):
            return None
        del self.waiting[key]
        return asked.answer

    def _answer(self, question: Question) -> Optional[Answer]:
        """What was said of it; None: nothing yet."""
        key = question.value, question.given
        if self.post is not None:
            return self._posted(question)
        if key not in self.answers and self.waits:
            self.waiting[key] = question
        elif key not in self.answers:
            self.answers[key] = self.judges.answer_now(question, self.kept)
        return self.answers.get(key)

    async def settle(self) -> None:
        """Answers what the engine waits for."""
        waiting, self.waiting = self.waiting, {}
        for key, question in waiting.items():
            self.answers[key] = await self.judges.answer(question, True,
                                                         self.kept)

    def ask(self, validation: Any) -> int:
        """The engine's call."""
        try:
            one = validation.contents
            answer = self._answer(Question(json_of(one.value),
                                           json_of(one.given)))
            if answer is None:
                return _abi.MORE
            for problem in answer.problems:
                status: int = lib.surety_validation_add(
                    validation, str_of(pointer_of(problem.path)),
                    str_of(problem.message), str_of(problem.hint))
                if status:
                    raise ValueError(
                        f"a validator gave {problem!r}, which has no message, "
                        "or a path that is no JSON Pointer")
            if answer.problems:
                self.cause = answer.cause
            return _abi.OK
        except BaseException as error:  # nothing goes up through C
            self.error = error
            return FAILED

    def raise_kept(self) -> None:
        """What a validator raised that is no refusal: an error of the
        program's."""
        error, self.error = self.error, None
        if error is not None:
            raise error


class Judgement(Request):
    """A question that another thread answers."""

    def __init__(self, asked: Asked, question: Question) -> None:
        self.asked, self.question = asked, question

    def answer_now(self) -> None:
        asked = self.asked
        self._end(asked.judges.answer_now(self.question, asked.kept))

    async def answer_async(self) -> None:
        asked = self.asked
        self._end(await asked.judges.answer(self.question, True, asked.kept))

    def _end(self, answer: Answer) -> None:
        self.question.answer = answer
        self.question.done.set()


class Callback:
    """What the engine calls, for as long as this lives."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.function = VALIDATE(lambda _, validation, error:
                                 asked.ask(validation))
        self.raw = _abi.Validator(
            name=str_of("of the model" if asked.judges.make else
                        "of the program"),
            validate=cast(self.function, c_void_p))
