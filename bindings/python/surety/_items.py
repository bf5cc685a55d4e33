# SPDX-License-Identifier: Apache-2.0
"""The elements of an array, while a run goes on."""

from typing import (Any, AsyncGenerator, AsyncIterator, Generator, Generic,
                    Iterator, List, Optional, Type, TypeVar, overload)

from ._errors import Misuse
from ._models import model_of
from ._result import Event, RunResult
from ._run import _Settings, going, going_async
from ._validators import Refused

I = TypeVar("I")


class RunItems(Generic[I]):
    """The elements of an array as a run makes them, each when it is whole and
    valid on its own, once and in order, over all attempts:

        rows = run_items(contract, "...", items="/rows", models="openai:...")
        for row in rows:
            use(row)
        rows.result.parsed

    or `async for`. At the end they are the array of the run's value; where
    there is none, the loop ends with RunFailed, and what it gave are whole
    elements of replies that failed. Leaving the loop early, and closing it,
    cancels the run."""

    def __init__(self, contract: Any, prompt: str, item: Any,
                 settings: Any) -> None:
        if settings.get("items") is None:
            raise ValueError("say in items= where the array is, such as "
                             "\"/rows\"; \"\" is the value itself")
        self._contract, self._prompt = contract, prompt
        self._model = None if item is None else model_of(item)
        if item is not None and self._model is None:
            raise TypeError(f"item is a model of Pydantic or a dataclass, not "
                            f"{item!r}")
        self._options = _Settings(**settings)
        self._options.listens = True
        self._ended: "List[RunResult[Any]]" = []
        self._begun = False

    @property
    def result(self) -> "Optional[RunResult[Any]]":
        """What came of the run; None: it has not ended."""
        return self._ended[0] if self._ended else None

    def _begin(self) -> None:
        if self._begun:
            raise Misuse("the elements of a run are given once",
                         hint="call run_items again for another run")
        self._begun = True

    def _settle(self) -> None:
        result = self._ended[0]
        if result.verdict not in ("partial", "fallback"):
            result.parsed

    def _made(self, event: Event) -> Any:
        """The element, as an instance of the model where there is one."""
        if self._model is None:
            return event.value
        try:
            return self._model.make(event.text)
        except Refused as refused:
            raise refused.__cause__ or refused from None

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
                if event.kind == "item":
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
                if event.kind == "item":
                    yield self._made(event)
        finally:
            await events.aclose()
        self._settle()


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
