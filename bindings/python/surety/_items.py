# SPDX-License-Identifier: Apache-2.0
"""Loops over a run while it goes on: the elements of an array, or its value so
far."""

from typing import (Any, AsyncGenerator, AsyncIterator, Generator, Generic,
                    Iterator, List, Optional, Tuple, Type, TypeVar, overload)

from ._contract import Contract
from ._errors import Misuse
from ._models import model_of
from ._partial import SoFar
from ._result import Event, RunResult
from ._run import _Settings, contract_of, going, going_async
from ._validators import Refused

I = TypeVar("I")
T = TypeVar("T")


class _Loop(Generic[I, T]):
    """A run as a loop over its events of one kind."""

    _kind = ""

    def __init__(self, contract: Any, prompt: str, settings: Any) -> None:
        self._contract, self._prompt = contract_of(contract), prompt
        self._options = _Settings(**settings)
        self._options.listens = True
        self._ended: "List[RunResult[Any]]" = []
        self._begun = False

    def _made(self, event: Event) -> I:
        raise NotImplementedError

    @property
    def result(self) -> "Optional[RunResult[T]]":
        """What came of the run; None: it has not ended."""
        return self._ended[0] if self._ended else None

    def _begin(self) -> None:
        if self._begun:
            raise Misuse(f"each {self._kind} of a run is given once",
                         hint="begin another run")
        self._begun = True

    def _settle(self) -> None:
        result = self._ended[0]
        if result.verdict not in ("partial", "fallback"):
            result.parsed

    def __iter__(self) -> "Iterator[I]":
        self._begin()
        return self._each()

    def _each(self) -> "Generator[I, None, None]":
        options = self._options
        events = going(self._contract, self._prompt, options, self._ended)
        try:
            for event in events:
                if options.on_event is not None:
                    options.on_event(event)
                if event.kind == self._kind:
                    yield self._made(event)
        finally:
            events.close()
        self._settle()

    def __aiter__(self) -> "AsyncIterator[I]":
        self._begin()
        return self._each_async()

    async def _each_async(self) -> "AsyncGenerator[I, None]":
        import inspect

        options = self._options
        events = going_async(self._contract, self._prompt, options,
                             self._ended)
        try:
            async for event in events:
                said = None if options.on_event is None \
                    else options.on_event(event)
                if inspect.isawaitable(said):
                    await said
                if event.kind == self._kind:
                    yield self._made(event)
        finally:
            await events.aclose()
        self._settle()


class RunItems(_Loop[I, Any]):
    """The elements of an array as a run makes them, each when it is whole and
    valid on its own, once and in order, over all attempts:

        rows = run_items(contract, "...", items="/rows", models="openai:...")
        for row in rows:
            use(row)
        rows.result.parsed

    or `async for`. At the end they are the array of the run's value; where
    there is none, the loop ends with RunFailed; the elements that it gave are
    whole, and of replies that failed. Leaving the loop early, and closing it,
    cancels the run."""

    _kind = "item"

    def __init__(self, contract: Any, prompt: str, item: Any,
                 settings: Any) -> None:
        if settings.get("items") is None:
            raise ValueError("say in items= where the array is, such as "
                             "\"/rows\"; \"\" is the value itself")
        self._model = None if item is None else model_of(item)
        if item is not None and self._model is None:
            raise TypeError(f"item is a model of Pydantic or a dataclass, not "
                            f"{item!r}")
        super().__init__(contract, prompt, settings)

    def _made(self, event: Event) -> Any:
        """The element, as an instance of the model where there is one."""
        if self._model is None:
            return event.value
        try:
            return self._model.make(event.text)
        except Refused as refused:
            raise refused.__cause__ or refused from None

class RunValue(SoFar[T]):
    """The value so far of one attempt of a run; text has it as JSON. attempt
    counts from 1: the next begins its value anew. The last may be of an earlier
    one, where a part of its reply or the fallback is taken."""

    __slots__ = ("attempt", "text", "_contract", "_value")

    def __init__(self, contract: "Optional[Contract[T]]",
                 event: Event) -> None:
        self.attempt, self.text = event.attempt, event.text
        self._contract, self._value = contract, event.value

    def __repr__(self) -> str:
        return f"<RunValue of attempt {self.attempt}: {self.text:.60}>"

    @property
    def value(self) -> Any:
        return self._value

    def _source(self) -> Tuple[Any, str]:
        return self._contract, self.text


class RunValues(_Loop["RunValue[T]", T]):
    """The value of a run while it comes, each time that it has grown:

        for part in run_values(Story, "...", models="openai:..."):
            show(part.get(lambda story: story.title))

    or `async for`. The last one is the run's value; where there is none, the
    loop ends with RunFailed. Leaving the loop early, and closing it, cancels
    the run."""

    _kind = "value"

    def __init__(self, contract: Any, prompt: str, settings: Any) -> None:
        super().__init__(contract, prompt, {**settings, "values": True})
        if self._contract is None:
            raise ValueError("values need a contract")
        if self._options.consensus is not None:
            raise ValueError("values are of one run, and not of a consensus")

    def _made(self, event: Event) -> "RunValue[T]":
        return RunValue(self._contract, event)


@overload
def run_items(contract: Any, prompt: str = ..., *, item: "Type[I]",
              **settings: Any) -> "RunItems[I]": ...


@overload
def run_items(contract: Any, prompt: str = ..., *, item: None = ...,
              **settings: Any) -> "RunItems[Any]": ...


def run_items(contract: Any, prompt: str = "", *, item: Any = None,
              **settings: Any) -> "RunItems[Any]":
    """The elements of the array at items (a JSON Pointer) while a run makes
    them: iterate over it, or `async for`. item: what each is to be, a model of
    Pydantic or a dataclass; None: what JSON has. The other settings are those
    of run."""
    return RunItems(contract, prompt, item, settings)


@overload
def run_values(contract: "Contract[T]", prompt: str = ...,
               **settings: Any) -> "RunValues[T]": ...


@overload
def run_values(contract: "Type[T]", prompt: str = ...,
               **settings: Any) -> "RunValues[T]": ...


@overload
def run_values(contract: Any, prompt: str = ...,
               **settings: Any) -> "RunValues[Any]": ...


def run_values(contract: Any, prompt: str = "",
               **settings: Any) -> "RunValues[Any]":
    """The value of a run while it comes: iterate over it, or `async for`. The
    settings are those of run."""
    return RunValues(contract, prompt, settings)
