# SPDX-License-Identifier: Apache-2.0
"""Runs: prompt, model, check, ask again, value. The library waits in a thread
of its own, and its events go through a queue to the caller; so Ctrl-C works at
once, and callbacks run in the caller's thread."""

import contextvars
import ctypes
import inspect
import os
import queue
import threading
from ctypes import CFUNCTYPE, POINTER, addressof, byref, c_size_t, c_void_p
from decimal import Decimal
from typing import (TYPE_CHECKING, Any, AsyncGenerator, Callable, Dict,
                    Generator, List, Mapping, NamedTuple, Optional, Sequence,
                    Type, TypeVar, Union, overload)

from . import _abi
from ._abi import SURETY_RUN_NONE, Error
from ._config import Config
from ._contract import (Contract, JudgeOptions, Validators, prompt_options)
from ._errors import Io, failure
from ._functions import FunctionModel, Functions
from ._library import lib, limits_over, number_of, run_library, str_of
from ._messages import Conversation
from ._requests import Request, wait_for
from ._result import Event, RunResult, consensus_result, run_result
from ._tools import Toolset, servers_of
from ._validators import Asked
from ._values import dump_any, loads

if TYPE_CHECKING:
    from asyncio import Future

T = TypeVar("T")
# A model's name, or a function that is one.
AnyModel = Union[str, FunctionModel, Callable[..., Any]]
Models = Union[None, AnyModel, Sequence[AnyModel]]

EVENT = CFUNCTYPE(None, c_void_p, POINTER(_abi.Event))
MEMBER_EVENT = CFUNCTYPE(None, c_void_p, c_size_t, POINTER(_abi.Event))
PICO = 10 ** 12


class Budget(NamedTuple):
    """What a run may spend, in all its attempts together; None: what the
    configuration says, else the default of the library."""
    calls: Optional[int] = None
    tokens: Optional[int] = None
    seconds: Optional[float] = None
    dollars: "Union[None, int, float, str, Decimal]" = None


class Backoff(NamedTuple):
    """How calls that fail below the reply are repeated; None as above. retries
    in a row for one attempt, waits in seconds; broken: how many of the retries
    may repeat a call of whose reply a part had come."""
    retries: Optional[int] = None
    first: Optional[float] = None
    most: Optional[float] = None
    retry_after_max: Optional[float] = None
    broken: Optional[int] = None


class Consensus(NamedTuple):
    """How several models make one answer: kind is "first", "fastest", "vote" or
    "aggregate"; quorum the valid answers that are needed; aggregator the model
    that merges; budget that of all together."""
    kind: str
    quorum: int = 0
    aggregator: "Optional[AnyModel]" = None
    budget: Union[None, Budget, Mapping[str, Any]] = None


def _counted(value: Any, scale: int, most: int, what: str) -> int:
    """A number from above 0, times scale, rounded up."""
    made = Decimal(str(value)) * scale
    if not made.is_finite() or made <= 0 or made > most:
        raise ValueError(f"{what} is a number above 0, not {value!r}")
    return int(made.to_integral_value(rounding="ROUND_CEILING"))


_BUDGET = (("calls", "calls_max", 1, 2 ** 32 - 1),
           ("tokens", "tokens_max", 1, 2 ** 64 - 1),
           ("seconds", "ms_max", 1000, 2 ** 64 - 1),
           ("dollars", "cost_picousd_max", PICO, 2 ** 64 - 1))
_BACKOFF = (("first", "first_ms", 1000, 2 ** 32 - 1),
            ("most", "most_ms", 1000, 2 ** 32 - 1),
            ("retry_after_max", "retry_after_max_ms", 1000, 2 ** 32 - 1))
_TIMEOUTS = tuple((name, name + "_ms", 1000, 2 ** 32 - 1)
                  for name in ("connect", "first_byte", "idle", "total"))


def _fill(made: Any, given: Mapping[str, Any], rows: Any, what: str) -> Any:
    known = {row[0]: row for row in rows}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"there is no {what} {name!r}; there are "
                             + ", ".join(known))
        if value is not None:
            _, member, scale, most = known[name]
            setattr(made, member,
                    _counted(value, scale, most, f"the {what} {name}"))
    return made


def _mapping(given: Any) -> Mapping[str, Any]:
    if given is None:
        return {}
    return given if isinstance(given, Mapping) else dict(given._asdict())


def _backoff(made: Any, given: Any) -> Any:
    given = dict(_mapping(given))
    given.pop("broken", None)
    retries = given.pop("retries", None)
    if retries is not None:
        made.retries_max = retries or SURETY_RUN_NONE
    return _fill(made, given, _BACKOFF, "backoff")


def _spending(options: Any, settings: Any) -> None:
    """What the settings say of budget, back-off and stops, over what the
    configuration said."""
    _fill(options.budget, _mapping(settings.budget), _BUDGET, "budget")
    _backoff(options.backoff, settings.backoff)
    broken = _mapping(settings.backoff).get("broken")
    if broken is not None:
        options.broken_retries_max = broken or SURETY_RUN_NONE
    if settings.stop is not None:
        options.stop = number_of(_abi.STOPS, settings.stop, "stop")


def _examples(given: Any) -> bytes:
    """Pairs of input and output as JSON."""
    made = []
    for one in given:
        if isinstance(one, Mapping):
            one = tuple(one[name] for name in ("input", "output"))
        text, output = one
        if not isinstance(text, str):
            raise TypeError(f"the input of an example is a str, not {text!r}")
        made.append({"input": text, "output": output})
    return dump_any(made)


class _Machine:
    """A run or a consensus and everything that it points at."""

    def __init__(self, contract: Any, prompt: Any, settings: "_Settings",
                 post: Callable[[Any], None], cancelled: Any) -> None:
        self.engine = run_library()
        self.kept: List[Any] = []
        self.asked: Optional[Asked] = None
        self.tools: Optional[Toolset] = None
        self.functions: Optional[Functions] = None
        self.handle: Any = None
        self.items: Any = None
        self.ledger: Any = None
        self.post = post
        self.cancelled = cancelled
        self.status, self.error = 0, Error()
        self.settings = settings
        self.contract = contract
        self.is_consensus = settings.consensus is not None
        self.own_config = not isinstance(settings.config, Config)
        self.config: Config = settings.config if not self.own_config else \
            Config(settings.config, replay=settings.replay,
                   record=settings.record)
        self.config.lock.acquire()
        try:
            self._ledger()
            self._open(prompt)
        except BaseException:
            self.close()
            raise

    def keep(self, thing: Any) -> int:
        self.kept.append(thing)
        return addressof(thing)

    def _named(self, given: Any) -> "_abi.Model":
        """A model by its name, or a function."""
        if isinstance(given, str):
            return self.config.model(given)
        if self.functions is None:
            self.functions = Functions(self.config, self.settings.context,
                                       self.post)
        return self.functions.model(given)

    def _model(self, given: Any) -> "_abi.Model":
        settings, model = self.settings, self._named(given)
        if settings.mode is not None:
            model.mode = number_of(_abi.MODES, settings.mode, "mode")
        if settings.temperature is not None:
            model.has_temperature = True
            model.temperature = settings.temperature
        if settings.output_tokens_max is not None:
            model.output_tokens_max = settings.output_tokens_max
        if settings.whole:
            model.whole = True
        _fill(model.timeouts, settings.timeouts or {}, _TIMEOUTS, "timeout")
        return model

    def _ledger(self) -> None:
        settings, library = self.settings, self.engine
        given, info = settings.ledger, self.config.info
        url = str(info.ledger) if given is None \
            else os.fspath(given) if given else ""
        if url in ("", "none"):
            return
        options = _abi.LedgerOptions(
            size=ctypes.sizeof(_abi.LedgerOptions), raw=settings.ledger_raw
            or info.ledger_raw)
        made, error = c_void_p(), Error()
        status = library.surety_ledger_open(str_of(url), byref(options),
                                            byref(made), byref(error))
        if status == 0:
            self.ledger = made.value
        elif not self._ledger_optional():
            raise failure(status, error)

    def _ledger_optional(self) -> bool:
        return bool(self.settings.ledger_optional
                    or self.config.info.ledger_optional)

    def _event(self, kind: Any) -> Any:
        """The C function that hears of events."""
        post = self.post
        decimals = self.contract is not None and self.contract.decimals

        def forward(member: Optional[int], event: Any) -> None:
            one = event.contents
            name, text = _abi.EVENT_KINDS[one.kind], str(one.text)
            post(Event(name, one.attempt, text, member, str(one.tool),
                       str(one.call), loads(text, decimals)
                       if name in ("value", "item") else None,
                       one.item if name == "item" else None))

        made = MEMBER_EVENT(lambda _, member, event: forward(member, event)) \
            if kind is MEMBER_EVENT else \
            EVENT(lambda _, event: forward(None, event))
        self.kept.append(made)
        return ctypes.cast(made, c_void_p).value

    def _open(self, prompt: Any) -> None:
        settings, library = self.settings, self.engine
        names = settings.models or self.config.default
        if isinstance(names, (str, FunctionModel)) or callable(names):
            names = [names]
        if not names:
            raise ValueError("name a model in models=, or a \"default\" in the "
                             "configuration")
        models = (_abi.Model * len(names))(*map(self._model, names))
        handle = self.config.handle
        options = _abi.RunOptions(
            size=ctypes.sizeof(_abi.RunOptions), system=str_of(settings.system),
            prompt=str_of(prompt), instruct_system=settings.instruct_system,
            models=self.keep(models), model_count=len(names),
            commit=settings.commit, ledger=self.ledger,
            ledger_optional=self._ledger_optional(), seed=settings.seed)
        library.surety_config_run(handle, byref(options))
        if self.contract is not None and self.contract.limits is not None:
            options.limits = self.keep(limits_over(
                self.contract.limits,
                _abi.Limits.from_address(options.limits)))
        _spending(options, settings)
        written = prompt_options(settings.style, False)
        written.instructions = str_of(settings.instructions)
        written.reask = str_of(settings.reask)
        written.system = str_of(settings.system_template)
        if settings.examples is not None:
            written.examples = str_of(_examples(settings.examples))
        options.prompt_options = self.keep(written)
        if settings.retries is not None:
            options.retry_max = settings.retries or SURETY_RUN_NONE
        if settings.feedback is not None:
            options.has_feedback = True
            options.feedback = number_of(_abi.FEEDBACKS, settings.feedback,
                                         "feedback")
        if self.contract is not None:
            options.contract = self.contract.handle
            judge: JudgeOptions = self.contract.options(
                post=self.post, validators=settings.validators,
                **settings.judge)
            self.asked = judge.asked
            options.judge = self.keep(judge.raw)
            self.kept.append(judge)
        self._converse(options)
        self._shows(options)
        self.kept.append(options)
        made, error = c_void_p(), Error()
        if self.is_consensus:
            status = self._open_consensus(options, made, error)
        else:
            if settings.listens:
                options.event = self._event(EVENT)
            status = library.surety_run_new(byref(options), byref(made),
                                            byref(error))
        if status:
            raise failure(status, error)
        self.handle = made.value

    def _converse(self, options: "_abi.RunOptions") -> None:
        """The messages and the tools."""
        settings = self.settings
        options.keep_reasks = settings.keep_reasks
        options.steps_max = settings.steps_max
        options.tool_calls_max = settings.tool_calls_max
        if settings.messages is not None:
            conversation = Conversation()
            conversation.read(settings.messages)
            conversation.give(options)
            self.kept.append(conversation)
        servers = servers_of(settings.mcp)
        if self.is_consensus:
            if settings.tools is not None or servers:
                raise ValueError("a consensus has no tools")
        elif servers or (len(bytes(self.config.info.tools))
                         if settings.tools is None else settings.tools):
            self.tools = Toolset(settings.tools, servers, self.config,
                                 options.limits, self.post, self.cancelled)
            options.tools = self.tools.handle

    def _shows(self, options: "_abi.RunOptions") -> None:
        """Values and elements as they come."""
        settings = self.settings
        options.values = settings.values
        if settings.items is None:
            return
        if self.contract is None:
            raise ValueError("items needs a contract")
        if self.is_consensus:
            raise ValueError("items is of one run, and not of a consensus")
        made, error = c_void_p(), Error()
        status = lib.surety_items_new(self.contract.handle,
                                      str_of(settings.items), None,
                                      byref(made), byref(error))
        if status:
            raise failure(status, error)
        options.items = self.items = made.value

    def _open_consensus(self, run: Any, made: Any, error: Any) -> int:
        given = self.settings.consensus
        if isinstance(given, str):
            given = Consensus(given)
        elif isinstance(given, Mapping):
            given = Consensus(**given)
        options = _abi.ConsensusOptions(
            size=ctypes.sizeof(_abi.ConsensusOptions),
            kind=number_of(_abi.CONSENSUS_KINDS, given.kind, "consensus"),
            run=addressof(run), quorum=given.quorum,
            budget=_fill(_abi.Budget(), _mapping(given.budget), _BUDGET,
                         "budget"))
        if given.aggregator is not None:
            options.aggregator = self.keep(self._model(given.aggregator))
        if self.settings.listens:
            options.event = self._event(MEMBER_EVENT)
        self.kept.append(options)
        status: int = self.engine.surety_consensus_new(
            byref(options), byref(made), byref(error))
        return status

    def start(self) -> threading.Thread:
        wait = self.engine.surety_consensus_wait if self.is_consensus \
            else self.engine.surety_run_wait

        def work() -> None:
            try:
                self.status = wait(self.handle, byref(self.cancelled),
                                   byref(self.error))
            finally:
                self.post(None)

        thread = threading.Thread(target=work, name="surety-run", daemon=True)
        thread.start()
        return thread

    def result(self) -> "RunResult[Any]":
        tools = self.tools.asked if self.tools is not None else []
        for asked in tools if self.asked is None else [self.asked, *tools]:
            asked.raise_kept()
        failed = failure(self.status, self.error) if self.status else None
        if failed is not None and not isinstance(failed, Io):
            raise failed
        make = consensus_result if self.is_consensus else run_result
        result = make(self.engine, self.handle, self.contract, self.asked)
        if failed is not None and result.verdict in ("pending", "cancelled"):
            raise failed
        result.recording_error = failed
        if self.functions is not None:
            result.cause = self.functions.error
        return result

    def close(self) -> None:
        """Frees the run before what it stands on. No thread may be in it."""
        library = self.engine
        handle, self.handle = self.handle, None
        if handle and self.is_consensus:
            library.surety_consensus_free(handle)
        elif handle:
            library.surety_run_free(handle)
        items, self.items = self.items, None
        if items:
            lib.surety_items_free(items)
        if self.tools is not None:
            self.tools.close()
        if self.functions is not None:
            self.functions.close()
        ledger, self.ledger = self.ledger, None
        if ledger:
            library.surety_ledger_close(ledger)
        self.config.lock.release()
        if self.own_config:
            self.config.close()


class _Settings:
    """The keywords of run."""

    def __init__(self, *, models: "Models" = None,
                 config: Any = None, system: str = "",
                 instruct_system: bool = False, style: Optional[str] = None,
                 instructions: str = "", reask: str = "",
                 system_template: str = "",
                 examples: Optional[Sequence[Any]] = None,
                 mode: Optional[str] = None,
                 temperature: Optional[float] = None,
                 output_tokens_max: Optional[int] = None, whole: bool = False,
                 timeouts: Optional[Mapping[str, float]] = None,
                 retries: Optional[int] = None, feedback: Optional[str] = None,
                 commit: bool = False, stop: Optional[str] = None,
                 budget: Union[None, Budget, Mapping[str, Any]] = None,
                 backoff: Union[None, Backoff, Mapping[str, Any]] = None,
                 ledger: Any = None, ledger_raw: bool = False,
                 ledger_optional: bool = False, replay: Any = None,
                 record: Any = None,
                 on_event: Optional[Callable[[Event], Any]] = None,
                 consensus: Union[None, str, Consensus, Mapping[str, Any]]
                 = None, seed: int = 0, validators: Validators = None,
                 messages: Any = None, keep_reasks: bool = False,
                 tools: Any = None, mcp: Union[None, str, Sequence[
                     Union[str, Sequence[str]]]] = None, steps_max: int = 0,
                 tool_calls_max: int = 0, values: bool = False,
                 items: Optional[str] = None,
                 **judge: Any) -> None:
        if isinstance(config, Config) and not (replay is record is None):
            raise ValueError("replay and record are the Config's own")
        if "native" in judge:
            raise TypeError("native is the run's business")
        JudgeOptions(0, **judge)  # names and values, without a contract too
        self.__dict__.update({name: value for name, value in locals().items()
                              if name != "self"})
        self.listens = on_event is not None
        self.context = contextvars.copy_context()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def contract_of(given: Any) -> Optional[Contract[Any]]:
    if given is None or isinstance(given, Contract):
        return given
    return Contract(given)


@overload
def run(contract: "Contract[T]", prompt: str = ...,
        **settings: Any) -> "RunResult[T]": ...


@overload
def run(contract: "Type[T]", prompt: str = ...,
        **settings: Any) -> "RunResult[T]": ...


@overload
def run(contract: Any, prompt: str = ...,
        **settings: Any) -> "RunResult[Any]": ...


def run(contract: Any, prompt: str = "", **settings: Any) -> "RunResult[Any]":
    """Asks models until a reply satisfies the contract.

    contract: a Contract, or what makes one; None: the reply is the result.
    models: names ("openai:gpt-5-mini", "ollama:llama3.2", "exec:COMMAND",
    "replay:FILE", those of the configuration), asked in turn; without them, the
    configuration's default; a function in place of a name is a model itself
    (FunctionModel). config: a Config, or what makes one. system,
    instruct_system: the system prompt, and whether the format instructions
    are there. style: of the schema in the prompt. instructions ("none": the
    prompt alone), reask, system_template: templates in place of the contract's,
    with ${prompt}, ${schema}, ${example} and, in reask, ${errors} and ${reply};
    $${ stands for ${. examples: pairs of an input (str) and the output that is
    wanted for it, in place of the contract's; [] is none. mode ("auto",
    "native", "tool", "prompt"), temperature, output_tokens_max, whole (no
    stream),
    timeouts (seconds for connect, first_byte, idle, total): of every model.
    retries: re-asks after the first call; without it as the contract says.
    feedback: "errors", "simple", "patch". stop: when a call is stopped whose
    reply cannot become valid: "weigh", "always", "never". commit: stop a call
    also when the first value that it begins cannot be valid. budget, backoff:
    what may be spent (Budget), how broken calls are repeated (Backoff). ledger:
    a path or URL; False: none; without it what the configuration names. replay:
    a recording that is played; record: a file that exchanges are added to.
    on_event: called with each Event, in this thread; what it raises cancels the
    run and comes out here. validators: functions that judge a value besides the
    contract's own, called in this thread. consensus: a Consensus or its kind,
    for several models at once. repair, certain, partial, derive, fallback,
    extract, variables: as for Contract.check.

    messages: the conversation before the prompt, which may then be empty: the
    messages of the result of a run, or a list or request of OpenAI, Anthropic,
    Gemini or the AI SDK, as dicts or JSON. keep_reasks: the result's messages
    have replies that failed, too. tools: functions, Tools, paths of tools
    files, and dicts as these have them (with command or http); without it those
    of the configuration; [] is none. Functions are called in this thread. mcp:
    servers of the Model Context Protocol: the command of one, or several; a str
    is read by /bin/sh, a list is the program and its arguments. steps_max:
    replies that may call tools (16); tool_calls_max: calls in the run (64).

    values: events of the kind "value" have the value so far. items: a JSON
    Pointer to an array; events of the kind "item" have its elements, each when
    it is whole and valid on its own, once and in order over all attempts; a
    value that does not begin with them is not taken. run_items iterates over
    them.

    A model that fails, or replies that are all invalid, are no exceptions: the
    result says so, and its `parsed` raises RunFailed. Ctrl-C cancels the run;
    what was spent until then is in the ledger."""
    options = _Settings(**settings)
    ended: "List[RunResult[Any]]" = []
    events = going(contract, prompt, options, ended)
    try:
        for event in events:
            options.on_event(event)
    finally:
        events.close()
    return ended[0]


def going(contract: Any, prompt: str, options: _Settings,
          ended: "List[RunResult[Any]]") -> "Generator[Event, None, None]":
    """The events of a run, whose result is in ended then. Closing it before
    its end cancels the run."""
    events: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
    machine = _Machine(contract_of(contract), prompt, options, events.put,
                       ctypes.c_int(0))
    thread: Optional[threading.Thread] = None
    try:
        thread = machine.start()
        while True:
            event = events.get()
            if event is None:
                break
            if isinstance(event, Request):
                event.answer_now()
            else:
                yield event
    except BaseException:
        machine.cancelled.value = 1
        raise
    finally:
        result = _end(machine, thread)
    assert result is not None
    ended.append(result)


def _end(machine: _Machine,
         thread: Optional[threading.Thread]) -> "Optional[RunResult[Any]]":
    """Waits for the end of a run, which is near, whatever is pressed, closes
    it, and gives its result; None: it was cancelled."""
    if thread is not None:
        wait_for(thread)
    try:
        return machine.result() if not machine.cancelled.value else None
    finally:
        machine.close()


def _drop(opening: "Future[_Machine]") -> None:
    """Closes what was opened for a run that is not wanted any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


@overload
async def run_async(contract: "Contract[T]", prompt: str = ...,
                    **settings: Any) -> "RunResult[T]": ...


@overload
async def run_async(contract: "Type[T]", prompt: str = ...,
                    **settings: Any) -> "RunResult[T]": ...


@overload
async def run_async(contract: Any, prompt: str = ...,
                    **settings: Any) -> "RunResult[Any]": ...


async def run_async(contract: Any, prompt: str = "",
                    **settings: Any) -> "RunResult[Any]":
    """The same for asyncio. Cancelling the task cancels the run. on_event may
    be a coroutine function, and so may tools and validators; the calls of a
    reply are made side by side."""
    options = _Settings(**settings)
    ended: "List[RunResult[Any]]" = []
    events = going_async(contract, prompt, options, ended)
    try:
        async for event in events:
            said = options.on_event(event)
            if inspect.isawaitable(said):
                await said
    finally:
        await events.aclose()
    return ended[0]


async def going_async(contract: Any, prompt: str, options: _Settings,
                      ended: "List[RunResult[Any]]"
                      ) -> "AsyncGenerator[Event, None]":
    """The same for asyncio."""
    import asyncio

    loop = asyncio.get_running_loop()
    events: "asyncio.Queue[Any]" = asyncio.Queue()
    tasks: "Dict[Request, asyncio.Task[None]]" = {}

    def post(event: Any) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    def answer(request: Request) -> None:
        if request.dropped:
            if request in tasks:
                tasks[request].cancel()
            return
        task = tasks[request] = loop.create_task(request.answer_async())
        task.add_done_callback(
            lambda task: None if request.dropped else events.put_nowait(task))

    cancelled = ctypes.c_int(0)
    opening = loop.run_in_executor(None, lambda: _Machine(
        contract_of(contract), prompt, options, post, cancelled))
    try:
        machine = await asyncio.shield(opening)
    except asyncio.CancelledError:
        cancelled.value = 1  # servers are not waited for any more
        opening.add_done_callback(_drop)
        raise
    thread: Optional[threading.Thread] = None
    try:
        thread = machine.start()
        while True:
            event = await events.get()
            if event is None:
                break
            if isinstance(event, Request):
                answer(event)
            elif isinstance(event, asyncio.Task):
                event.result()
            else:
                yield event
    except BaseException:
        machine.cancelled.value = 1
        raise
    finally:
        for task in tasks.values():
            task.cancel()
        result = _end(machine, thread)
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert result is not None
    ended.append(result)
