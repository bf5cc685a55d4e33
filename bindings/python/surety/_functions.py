# SPDX-License-Identifier: Apache-2.0
"""Functions of the program as models. The library calls them as it calls any
model: this is a transport of its own, which hands a request of Chat Completions
to a function and makes a response of what it gives.

Threads: the run's thread calls the transport, and never a function. A function
has a thread for each call, since it may block for as long as it likes; a
coroutine function and an asynchronous generator are a task in the loop of
run_async. Both leave what they have in one queue, in which the run's thread
waits. A call whose time is up is ended there; a function that goes on is left
alone, and what it still gives is dropped."""

import asyncio
import contextvars
import ctypes
import inspect
import json
import queue
import threading
import time
from ctypes import (CFUNCTYPE, POINTER, addressof, byref, c_bool, c_int,
                    c_size_t, c_uint32, c_uint64, c_void_p, cast)
from typing import (Any, Callable, Dict, List, Mapping, NamedTuple, Optional,
                    Tuple, Union)
from urllib.parse import quote, unquote

from . import _abi
from ._abi import Error, Str
from ._answers import Broken, Writer, broken_of, is_answer
from ._config import CLOSE, Config
from ._errors import Misuse, failure
from ._library import encode, number_of, str_of
from ._requests import Request

START = CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(_abi.Request),
                  POINTER(_abi.Receiver), POINTER(Error))
STOP = CFUNCTYPE(None, c_void_p, c_uint64)
WAIT = CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(Error))
HEAD = CFUNCTYPE(None, c_void_p, c_int, c_void_p, c_size_t)
BYTES = CFUNCTYPE(c_bool, c_void_p, Str)
END = CFUNCTYPE(None, c_void_p, POINTER(_abi.Delivery))
FAILED = -_abi.STATUSES.index("io")
STARVED = -_abi.STATUSES.index("nomem")
# A host that no name server has (RFC 6761): nothing is sent to it.
HOME = "http://function.invalid/"
# How many items of a stream may wait for the run: one that never ends is slowed
# down to what the run takes, and is stopped where that is enough.
AHEAD_MAX = 64
TURN_SECONDS = 0.001
# As surety_request and surety_timeouts have them where they say 0.
BYTES_MAX = 64 << 20
TIMES = {"first_byte_ms": 120_000, "idle_ms": 60_000, "total_ms": 600_000}


class ModelCall(NamedTuple):
    """What a function that is a model may know of a call besides its messages.
    schema: the JSON Schema that the answer must have; None: the messages say
    it. tools: those that may be called, and tool_choice, in the form of Chat
    Completions, as messages. stream: an answer in items is wanted, and may be
    stopped early. seconds: how long it may take. cancelled: set when nobody
    waits for the answer any more. body: the whole request, with "model"."""
    messages: List[Dict[str, Any]]
    schema: Optional[Dict[str, Any]]
    tools: List[Dict[str, Any]]
    tool_choice: Any
    temperature: Optional[float]
    output_tokens_max: Optional[int]
    stream: bool
    seconds: float
    cancelled: threading.Event
    body: Dict[str, Any]


class FunctionModel:
    """A function as a model, for models= of run: it gets the messages, in the
    form of Chat Completions, and gives the reply, as a str or a ModelAnswer, or
    as an iterable or generator of these, whose texts are the stream's. It may
    also give what OpenAI's client gives. Coroutine functions and asynchronous
    generators are for run_async; another function is called in a thread of its
    own.

    A function with two parameters also gets a ModelCall, whose schema and tools
    are its own to pass on: mode is then "auto", else "prompt", where the
    messages have all. name: it is called function:NAME in reports, ledgers and
    recordings. price: dollars for a million tokens, of input, cached_input and
    output, as in the configuration; needed for a budget in dollars.

    What it raises is the failure of the call, "command": the next model is
    asked. An exception with a status_code, such as clients raise, is the
    provider's answer, so that calls are repeated as for any model."""

    def __init__(self, function: Callable[..., Any], *, name: str = "",
                 mode: Optional[str] = None,
                 price: Optional[Mapping[str, float]] = None) -> None:
        if not callable(function):
            raise TypeError(f"a model is a name or a function, not "
                            f"{function!r}")
        self.function = function
        #: Whether it gets a ModelCall.
        self.takes_call = _takes_two(function)
        own = str(getattr(function, "__name__", type(function).__name__))
        self.name = name or own.strip("<>")
        self.mode = mode or ("auto" if self.takes_call else "prompt")
        self.number = number_of(_abi.MODES, self.mode, "mode")
        self.price = _price(price)

    def waits(self) -> bool:
        """Whether it can be seen to be asynchronous."""
        called: Any = getattr(self.function, "__call__", None)
        return any(inspect.iscoroutinefunction(one) or
                   inspect.isasyncgenfunction(one)
                   for one in (self.function, called))

    def call(self, call: ModelCall) -> Any:
        """Calls the function."""
        if self.takes_call:
            return self.function(call.messages, call)
        return self.function(call.messages)


def _takes_two(function: Any) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # one of C
        return False
    places = [one for one in parameters if one.kind in (
        one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return len(places) > 1 and places[1].default is inspect.Parameter.empty


def _price(given: Optional[Mapping[str, float]]) -> "_abi.Price":
    made = _abi.Price()
    if given is None:
        return made
    known = ("input", "cached_input", "output")
    for name, dollars in {"cached_input": given.get("input", 0),
                          **given}.items():
        if name not in known or not 0 <= dollars < 1e9:
            raise ValueError(f"a price has {', '.join(known)}, in dollars for "
                             f"a million tokens, not {name!r}: {dollars!r}")
        setattr(made, name + "_microusd", round(dollars * 10 ** 6))
    made.known = True
    return made


class _Work(Request):
    """One call of a function: it runs it, wherever that is, and puts what comes
    of it as (what, data)."""

    def __init__(self, model: FunctionModel, call: ModelCall,
                 put: Callable[[str, Any], None],
                 post: Callable[[Any], None]) -> None:
        self.model, self.call = model, call
        self.put, self.post = put, post
        self.writer = Writer(model.name, f"call_{len(call.messages)}_")
        #: What the function gave, where it must be awaited.
        self.awaited: Any = None
        self.error: Optional[BaseException] = None
        #: The items that were put, and those that the run has taken.
        self.given = self.taken = 0

    def begin(self, context: contextvars.Context) -> None:
        if self.model.waits():
            self.post(self)
            return
        threading.Thread(target=context.run, args=(self._run,), daemon=True,
                         name=f"surety-{self.model.name}").start()

    def drop(self) -> None:
        """Nobody waits for it any more."""
        if not self.dropped:
            self.dropped = True
            self.call.cancelled.set()
            self.post(self)

    # -- in a thread of its own ------------------------------------------------

    def _run(self) -> None:
        try:
            made = self.model.call(self.call)
            if inspect.isawaitable(made) or hasattr(made, "__aiter__"):
                self.awaited = made
                self.post(self)
            else:
                self._give(made)
        except BaseException as error:  # pylint: disable=broad-except
            self._fail(error)

    def _give(self, made: Any) -> None:
        walk = getattr(made, "__iter__", None)
        if is_answer(made) or walk is None:
            self.put("bytes", self.writer.whole(made))
            self.put("end", None)
            return
        try:
            for item in walk():
                if self.dropped:
                    return
                self._item(item)
                while self._is_ahead():
                    time.sleep(TURN_SECONDS)
            self._end()
        finally:
            close = getattr(made, "close", None)
            if callable(close):
                close()

    # -- in the loop of run_async ----------------------------------------------

    def answer_now(self) -> None:
        if inspect.iscoroutine(self.awaited):
            self.awaited.close()
        if not self.dropped:
            raise Misuse(f"the model {self.model.name} is asynchronous",
                         hint="use run_async")

    async def answer_async(self) -> None:
        try:
            made = self.awaited if self.awaited is not None \
                else self.model.call(self.call)
            if inspect.isawaitable(made):
                made = await made
            if hasattr(made, "__aiter__"):
                await self._follow(made)
            else:
                self._give(made)
        except (Exception, asyncio.CancelledError) as error:
            self._fail(error)

    async def _follow(self, made: Any) -> None:
        try:
            async for item in made:
                self._item(item)
                while self._is_ahead():
                    await asyncio.sleep(TURN_SECONDS)
            self._end()
        finally:
            close = getattr(made, "aclose", None)
            if callable(close):
                await close()

    # -- what comes of it ------------------------------------------------------

    def _item(self, item: Any) -> None:
        data = self.writer.chunk(item)
        if data:
            self.given += 1
            self.put("bytes", data)

    def _is_ahead(self) -> bool:
        return self.given - self.taken > AHEAD_MAX and not self.dropped

    def _end(self) -> None:
        self.put("bytes", self.writer.end())
        self.put("end", None)

    def _fail(self, error: BaseException) -> None:
        frame = error.__traceback__
        while frame is not None and frame.tb_frame.f_code.co_filename == \
                __file__:
            frame = frame.tb_next
        self.error = error.with_traceback(frame)
        self.put("end", broken_of(error))


class _Exchange:
    """An exchange under way, in the run's thread."""

    def __init__(self, request: "_abi.Request", receiver: "_abi.Receiver",
                 id: int) -> None:
        self.id = id
        self.ctx = receiver.ctx
        self.head, self.bytes, self.end = (
            HEAD(receiver.head), BYTES(receiver.bytes), END(receiver.end))
        self.left = request.response_bytes_max or BYTES_MAX
        self.most = self.left
        times = {name: getattr(request.timeouts, name) or default
                 for name, default in TIMES.items()}
        self.times = times
        self.begun = time.monotonic()
        self.last: Optional[float] = None  # when something last came
        self.work: Any = None

    @property
    def seconds(self) -> float:
        return float(self.times["total_ms"]) / 1000

    def deadline(self) -> Tuple[float, str]:
        """When its time is up, and what is then to be said."""
        times, begun = self.times, self.begun
        since, name, said = (begun, "first_byte_ms", "gave nothing within") \
            if self.last is None else \
            (self.last, "idle_ms", "gave nothing more within")
        total = begun + times["total_ms"] / 1000
        next_ = since + times[name] / 1000
        if total <= next_:
            return total, f"did not end within {times['total_ms']} ms"
        return next_, f"{said} {times[name]} ms"


class Functions:
    """The transport of all models of a run that are functions. post: who takes
    what is asynchronous; context: that of the program, for threads."""

    def __init__(self, config: Config, context: contextvars.Context,
                 post: Callable[[Any], None]) -> None:
        self._post, self._context = post, context
        self._models: Dict[str, FunctionModel] = {}
        self._under_way: Dict[int, _Exchange] = {}
        self._news: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        #: The last exception of a function.
        self.error: Optional[BaseException] = None
        self._functions: List[Any] = [
            START(self._start), STOP(self._cancel), WAIT(self._wait),
            CLOSE(self._closed)]
        self._own = _abi.Transport(1, None, *[
            cast(one, c_void_p).value for one in self._functions])
        #: The address of what a model has as its transport.
        self.transport = addressof(self._own)
        if config.wraps:
            made, error = c_void_p(), Error()
            status = config.wrap(self.transport, byref(made), byref(error))
            if status:
                raise failure(status, error)
            self.transport = made.value or 0

    def close(self) -> None:
        """No run may be there any more."""
        transport = _abi.Transport.from_address(self.transport)
        CLOSE(transport.close)(transport.ctx)
        self._functions.clear()  # they hold this, and are held by it

    def model(self, given: Union[FunctionModel, Callable[..., Any]]
              ) -> "_abi.Model":
        """A function as the library's model."""
        one = given if isinstance(given, FunctionModel) \
            else FunctionModel(given)
        name, count = one.name, 1
        while self._models.get(name, one) is not one:
            count += 1
            name = f"{one.name}-{count}"
        self._models[name] = one
        return _abi.Model(
            size=ctypes.sizeof(_abi.Model), name=str_of("function:" + name),
            provider=str_of("function"), model=str_of(name),
            base_url=str_of(HOME + quote(name, safe="")), mode=one.number,
            price=one.price, transport=self.transport)

    # -- what the library calls, in the thread of the run ----------------------

    def _start(self, _: Any, id: int, request: Any, receiver: Any,
               error: Any) -> int:
        try:
            asked = request.contents
            url = bytes(asked.url).decode()
            name = unquote(url[len(HOME):].split("/")[0])
            exchange = _Exchange(asked, receiver.contents, id)
            body = json.loads(bytes(asked.body))
            exchange.work = work = _Work(
                self._models[name], _call_of(body, exchange.seconds),
                lambda what, data: self._news.put((exchange, what, data)),
                self._post)
            self._under_way[id] = exchange
            work.begin(self._context.copy())
            return _abi.OK
        except BaseException as raised:  # nothing goes up through C
            self._under_way.pop(id, None)
            error.contents.message = encode(
                f"{type(raised).__name__}: {raised}")[:200]
            return STARVED if isinstance(raised, MemoryError) else FAILED

    def _cancel(self, _: Any, id: int) -> None:
        exchange = self._under_way.get(id)
        if exchange is not None:
            self._end(exchange, "cancelled", "the call was cancelled")

    def _closed(self, _: Any) -> None:
        for id in list(self._under_way):
            self._cancel(None, id)

    def _wait(self, _: Any, timeout_ms: int, error: Any) -> int:
        try:
            most = time.monotonic() + timeout_ms / 1000
            until = min([most, *(one.deadline()[0]
                                 for one in self._under_way.values())])
            try:
                self._take(*self._news.get(
                    timeout=max(0.0, until - time.monotonic())))
                for _i in range(self._news.qsize()):
                    self._take(*self._news.get_nowait())
            except queue.Empty:
                pass
            self._end_late()
            return _abi.OK
        except BaseException as raised:  # nothing goes up through C
            error.contents.message = encode(
                f"{type(raised).__name__}: {raised}")[:200]
            return STARVED if isinstance(raised, MemoryError) else FAILED

    # -- what comes of calls ---------------------------------------------------

    def _take(self, exchange: _Exchange, what: str, data: Any) -> None:
        if self._under_way.get(exchange.id) is not exchange:
            return
        if what == "bytes":
            exchange.work.taken += 1
            self._bytes(exchange, data)
        elif data is None:
            self._end(exchange, "none", "")
        else:
            self.error = exchange.work.error
            self._break(exchange, data)

    def _head(self, exchange: _Exchange, status: int,
              headers: Any = ()) -> None:
        if exchange.last is None:
            array = (_abi.Header * len(headers))(*[
                _abi.Header(str_of(name), str_of(value))
                for name, value in headers])
            exchange.head(exchange.ctx, status, array, len(headers))
        exchange.last = time.monotonic()

    def _bytes(self, exchange: _Exchange, data: bytes) -> None:
        self._head(exchange, 200)
        if len(data) > exchange.left:
            self._end(exchange, "limit", "the response is longer than "
                      f"{exchange.most} bytes")
            return
        exchange.left -= len(data)
        if not exchange.bytes(exchange.ctx, str_of(data)):
            self._end(exchange, "cancelled",
                      "the receiver refused the rest of the response")

    def _break(self, exchange: _Exchange, broken: Broken) -> None:
        if broken.status and exchange.last is None:
            self._head(exchange, broken.status, broken.headers)
            if exchange.bytes(exchange.ctx, str_of(broken.body)):
                self._end(exchange, "none", "")
                return
        self._end(exchange, broken.failure or "command", broken.message)

    def _end_late(self) -> None:
        now = time.monotonic()
        for exchange in list(self._under_way.values()):
            deadline, said = exchange.deadline()
            if now >= deadline:
                self._end(exchange, "timeout", "the function " + said)

    def _end(self, exchange: _Exchange, how: str, message: str) -> None:
        del self._under_way[exchange.id]
        if how not in ("none", "command"):
            exchange.work.drop()
        delivery = _abi.Delivery(
            failure=_abi.FAILURES.index(how), sent=how != "connect",
            message=_cut(message))
        exchange.end(exchange.ctx, byref(delivery))


def _cut(text: str) -> bytes:
    """A message as a delivery has it: on one line, with an end, and whole
    characters."""
    most = _abi.Delivery.message.size - 1
    data = " ".join(text.replace("\0", " ").split()).encode("utf-8", "replace")
    if len(data) > most:
        data = data[:most - 3].decode("utf-8", "ignore").encode() + b"..."
    return data


def _call_of(body: Dict[str, Any], seconds: float) -> ModelCall:
    form = body.get("response_format") or {}
    return ModelCall(
        body["messages"], form.get("json_schema", {}).get("schema"),
        body.get("tools", []), body.get("tool_choice"),
        body.get("temperature"),
        body.get("max_tokens", body.get("max_completion_tokens")),
        body["stream"], seconds, threading.Event(), body)
