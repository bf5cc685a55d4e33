# SPDX-License-Identifier: Apache-2.0
"""Tools that a model may call: functions of the program, and tools files. The
run's thread posts each call to the thread that called run, and looks now and
then whether it is done; meanwhile other calls begin."""

import ctypes
import importlib
import inspect
import os
import threading
from ctypes import (CFUNCTYPE, POINTER, addressof, byref, c_int, c_void_p,
                    cast)
from typing import (Any, Callable, Dict, List, Mapping, Optional, Sequence,
                    get_type_hints)

from . import _abi
from ._abi import Error
from ._config import Config
from ._contract import Contract
from ._errors import Io, Misuse, failure
from ._library import encode, lib, run_library, str_of
from ._requests import Request, wait_for
from ._validators import Asked, Callback
from ._values import dump, dump_any, json_of, loads

CALL = CFUNCTYPE(c_int, c_void_p, POINTER(_abi.ToolCall), c_void_p,
                 POINTER(Error))
CANCEL = CFUNCTYPE(None, c_void_p, POINTER(_abi.ToolCall))
WRAP = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)
FAILED = -_abi.STATUSES.index("io")
STARVED = -_abi.STATUSES.index("nomem")
# How long the run's thread waits for a call: at first, so that quick functions
# take no other wait and many calls begin side by side; and later, for all calls
# together.
FIRST_SECONDS = 0.001
SLICE_SECONDS = 0.05


class Tool:
    """A function that a model may call. The model reads its name, its docstring
    and the types of its signature, which Pydantic 2 checks.

    parameters: the contract for the arguments in place of the signature, or
    what makes one. Of a Pydantic model the function gets the instance, else the
    members as keywords. result: a contract for the result; a str is then JSON.
    name, description: in place of the function's. polls: equal calls are no
    mistake of the model. strict: the provider is asked to enforce the
    parameters, where it takes their schema. seconds, result_bytes_max: limits
    of one call; 60 and 262,144.

    The function returns a str, or what JSON has; Pydantic's models and
    dataclasses too. What it raises is the tool's failure, which the model
    reads. A coroutine function is for run_async."""

    def __init__(self, function: Callable[..., Any], *, name: str = "",
                 description: Optional[str] = None, parameters: Any = None,
                 result: Any = None, polls: bool = False,
                 strict: bool = False,
                 seconds: Optional[float] = None,
                 result_bytes_max: int = 0) -> None:
        if not callable(function):
            raise TypeError(f"a tool is a function, not {function!r}")
        self.function = function
        self.name = name or str(getattr(function, "__name__", ""))
        self.description = description if description is not None \
            else inspect.cleandoc(getattr(function, "__doc__", None) or "")
        #: Whether the arguments are the function's keywords.
        self.spreads = parameters is None
        self.parameters = _contract(_signature(function, self.name)
                                    if parameters is None else parameters)
        self.spreads |= self.parameters.model is None
        self.result = None if result is None else _contract(result)
        self.polls = polls
        self.strict = strict
        self.time_ms_max = 0 if seconds is None else max(1, int(seconds * 1000))
        self.result_bytes_max = result_bytes_max


def _contract(given: Any) -> Contract[Any]:
    return given if isinstance(given, Contract) else Contract(given)


def _signature(function: Any, name: str) -> Any:
    """The arguments of a function, in a form that gives a contract."""
    parameters = inspect.signature(function).parameters.values()
    if not parameters:
        return {"type": "object", "properties": {},
                "additionalProperties": False}
    for one in parameters:
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            raise TypeError(f"the parameter {one.name} of the tool {name} has "
                            "no name for a model: give the tool parameters=")
    try:
        adapter = importlib.import_module("pydantic").TypeAdapter
        typing = importlib.import_module("typing_extensions")
    except (ImportError, AttributeError):
        raise TypeError(f"the tool {name} needs parameters=, because Pydantic "
                        "2, which reads signatures, is not installed") from None
    hints = get_type_hints(function if inspect.isroutine(function)
                           else function.__call__, include_extras=True)
    fields = {}
    for one in parameters:
        kind = hints.get(one.name, Any)
        fields[one.name] = kind if one.default is one.empty \
            else typing.NotRequired[kind]
    made = typing.TypedDict(name or "arguments", fields)
    made.__pydantic_config__ = {"extra": "forbid"}
    return adapter(made)


class Call(Request):
    """A call of a tool. text: its arguments, which satisfy the parameters, as
    JSON."""

    def __init__(self, tool: Tool, text: str, accepted: Mapping[str, Any],
                 news: threading.Event) -> None:
        self.tool, self.text = tool, text
        self.accepted, self.news = accepted, news
        self.done = False
        self.result = b""
        #: Why the tool failed; empty: it did not.
        self.failure = ""

    def _begin(self) -> Any:
        tool, contract = self.tool, self.tool.parameters
        if contract.make is None:
            value = loads(self.text, contract.decimals)
        elif self.text in self.accepted:
            value = self.accepted[self.text]
        else:
            value = contract.make(self.text)
        return tool.function(**value) if tool.spreads else tool.function(value)

    def _end(self, result: Any) -> None:
        self.result = encode(result) if isinstance(result, str) \
            else dump_any(result)
        self.done = True
        self.news.set()

    def _fail(self, error: Exception) -> None:
        self.failure = f"{type(error).__name__}: {error}"
        self.done = True
        self.news.set()

    def answer_now(self) -> None:
        if self.dropped:
            return
        try:
            result = self._begin()
        except Exception as error:  # pylint: disable=broad-except
            self._fail(error)
            return
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise Misuse(f"the tool {self.tool.name} is asynchronous",
                         hint="use run_async")
        self._end(result)

    async def answer_async(self) -> None:
        if self.dropped:
            return
        try:
            result = self._begin()
            if inspect.isawaitable(result):
                result = await result
        except Exception as error:  # pylint: disable=broad-except
            self._fail(error)
            return
        self._end(result)


class Toolset:
    """The tools of a run, which it must outlive. given None: those of the
    configuration. servers: commands, as JSON. post: who takes calls.
    cancelled: the c_int that ends the wait for servers."""

    def __init__(self, given: Any, servers: Sequence[bytes], config: Config,
                 limits: Any, post: Callable[[Any], None],
                 cancelled: Any) -> None:
        self.engine = run_library()
        self.post = post
        self.handle: Any = None
        #: What the engine calls, for as long as this lives.
        self._functions: List[Any] = []
        #: The validators of arguments.
        self.asked: List[Asked] = []
        self._calls: Dict[int, Call] = {}
        self._news = threading.Event()
        self._cancelled = cancelled
        options = _abi.ToolsOptions(size=ctypes.sizeof(_abi.ToolsOptions),
                                    limits=limits,
                                    cancelled=addressof(cancelled))
        if config.wraps:
            options.wrap = self._function(
                WRAP, lambda _, inner, made, error:
                config.wrap(inner, made, error))
        made, error = c_void_p(), Error()
        status = self.engine.surety_tools_new(byref(options), byref(made),
                                              byref(error))
        if status:
            raise failure(status, error)
        self.handle = made.value
        try:
            if given is None:
                self._read_config(config)
            else:
                for one in _listed(given):
                    self._add(one)
            for command in servers:
                self._connect(command)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """No run may be there any more that has them."""
        handle, self.handle = self.handle, None
        if handle:
            self.engine.surety_tools_free(handle)

    def _function(self, kind: Any, function: Any) -> Any:
        made = kind(function)
        self._functions.append(made)
        return cast(made, c_void_p).value

    def _add(self, one: Any) -> None:
        if isinstance(one, (str, os.PathLike)):
            self._read_file(os.fspath(one))
        elif isinstance(one, Mapping):
            self._read(dump(one if "tools" in one or "servers" in one
                            else {"tools": [_plain(one)]}), b"", "")
        else:
            self._add_function(one if isinstance(one, Tool) else Tool(one))

    def _read_file(self, path: Any) -> None:
        try:
            with open(path, "rb") as file:
                text = file.read()
        except OSError as error:
            raise Io(f"the tools file cannot be read: {error.strerror}",
                     source=os.fsdecode(path)) from error
        self._read(text, os.fsencode(os.path.dirname(path)), os.fsdecode(path))

    def _read(self, text: bytes, folder: bytes, source: str) -> None:
        error = Error()
        status = self._apart(
            self.engine.surety_tools_read, str_of(text), str_of(folder),
            byref(error))
        if status:
            raised = failure(status, error)
            raised.source = raised.source or source
            raise raised

    def _read_config(self, config: Config) -> None:
        info = config.info
        if len(bytes(info.tools)):
            self._read(bytes(info.tools), bytes(info.folder), str(info.file))

    def _apart(self, function: Any, *arguments: Any) -> int:
        """Makes a call that may wait for servers. No signal is handled in such
        a call; so the main thread leaves it to another, and Ctrl-C ends it."""
        ended: List[int] = []

        def work() -> None:
            ended.append(function(self.handle, *arguments))

        if threading.current_thread() is not threading.main_thread():
            work()
            return ended[0]
        thread = threading.Thread(target=work, name="surety-servers",
                                  daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self._cancelled.value = 1
            wait_for(thread)
            raise
        return ended[0]

    def _connect(self, command: bytes) -> None:
        server = _abi.ToolServer(size=ctypes.sizeof(_abi.ToolServer),
                                 command=str_of(command))
        error = Error()
        status = self._apart(
            self.engine.surety_tools_connect, byref(server),
            byref(self._cancelled), byref(error))
        if status:
            raise failure(status, error)

    def _add_function(self, tool: Tool) -> None:
        raw = _abi.Tool(
            size=ctypes.sizeof(_abi.Tool), name=str_of(tool.name),
            description=str_of(tool.description),
            parameters=str_of(json_of(tool.parameters.info.root)),
            time_ms_max=tool.time_ms_max, polls=tool.polls,
            strict=tool.strict,
            result_bytes_max=tool.result_bytes_max)
        if tool.result is not None:
            raw.result = str_of(json_of(tool.result.info.root))
        accepted: Dict[str, Any] = {}
        judges = tool.parameters.judges
        if judges.make is not None or judges.functions:
            asked = Asked(judges, post=self.post)
            callback = Callback(asked)
            self._functions.append(callback)
            self.asked.append(asked)
            accepted = asked.kept
            raw.validators, raw.validator_count = addressof(callback.raw), 1
        raw.call = self._function(
            CALL, lambda _, call, out, error:
            self._step(tool, accepted, call, out, error))
        raw.cancel = self._function(CANCEL, lambda _, call: self._drop(call))
        error = Error()
        status = self.engine.surety_tools_add(self.handle, byref(raw),
                                              byref(error))
        if status:
            raise failure(status, error)

    # -- what the engine calls, in the thread of the run -----------------------

    def _step(self, tool: Tool, accepted: Mapping[str, Any], seen: Any,
              out: Any, error: Any) -> int:
        try:
            place = addressof(seen.contents)
            call = self._calls.get(place)
            if call is None:
                call = Call(tool, str(seen.contents.text), accepted, self._news)
                self._calls[place] = call
                self.post(call)
                self._news.wait(FIRST_SECONDS)
            elif not call.done:
                self._news.wait(SLICE_SECONDS / len(self._calls))
            self._news.clear()
            if not call.done:
                return _abi.MORE
            del self._calls[place]
            if call.failure:
                error.contents.message = _cut(call.failure)
                return FAILED
            lib.surety_buf_add(out, str_of(call.result))
            return _abi.OK
        except MemoryError:  # nothing goes up through C
            return STARVED

    def _drop(self, seen: Any) -> None:
        call = self._calls.pop(addressof(seen.contents), None)
        if call is not None:
            call.dropped = True
            self.post(call)


def _cut(text: str) -> bytes:
    """A message as an error of the library has it: with an end, and whole
    characters."""
    most = Error.message.size - 1
    data = text.replace("\0", " ").encode("utf-8", "replace")[:most]
    return data.decode("utf-8", "ignore").encode()


def _plain(tool: Mapping[str, Any]) -> Dict[str, Any]:
    """A tool of a tools file, whose contracts may be models."""
    return {name: one if name not in ("parameters", "result")
            or isinstance(one, Mapping)
            else loads(json_of(_contract(one).info.root), False)
            for name, one in tool.items()}


def servers_of(mcp: Any) -> List[bytes]:
    """The commands of servers, as JSON. A text is read by the shell."""
    if mcp is None:
        return []
    made = []
    for one in [mcp] if isinstance(mcp, str) else mcp:
        words = ["/bin/sh", "-c", one] if isinstance(one, str) else list(one)
        if not words or not all(isinstance(word, str) for word in words):
            raise TypeError("mcp is the command of a server, or a list of "
                            "these: each a text, or a list of the program and "
                            f"its arguments, not {mcp!r}")
        made.append(dump(words))
    return made


def _listed(given: Any) -> Sequence[Any]:
    if isinstance(given, (str, os.PathLike, Mapping, Tool)) or callable(given):
        return [given]
    return list(given)
