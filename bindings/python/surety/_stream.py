# SPDX-License-Identifier: Apache-2.0
"""A reply that is still being written."""

import ctypes
from ctypes import byref, c_void_p
from typing import (TYPE_CHECKING, Any, AsyncIterator, Dict, Generic, Iterator,
                    List, Optional, Tuple, TypeVar)

from . import _abi
from ._abi import Error
from ._errors import Misuse, NoMemory, failure
from ._issues import Issue, issue_of
from ._library import Bytes, buffer, encode, lib, str_of
from ._outcome import Outcome
from ._partial import SoFar
from ._values import json_of, load

if TYPE_CHECKING:
    from ._contract import Contract

T = TypeVar("T")


class Part(SoFar[T]):
    """What is known of a reply so far. Its value is made when it is asked for,
    which is to be done before the stream goes on."""

    __slots__ = ("state", "finding", "_stream", "_turn", "_value", "_parsed",
                 "_open")

    def __init__(self, stream: "Stream[T]") -> None:
        handle = stream.handle
        info = lib.surety_stream_info_of(handle).contents
        #: "open": the reply may become valid; "refuted": the current value
        #: cannot satisfy the contract, another after it might; "no": no
        #: continuation can; "runaway": white space or one text over and over.
        self.state = _abi.STREAM_STATES[info.state]
        #: Why, if the state is not "open".
        self.finding: Optional[Issue] = None
        if self.state != "open":
            self.finding = issue_of(info.finding)
        self._stream = stream
        self._turn = stream.turn
        self._value: List[Any] = []
        self._parsed: List[Any] = []
        self._open: List[Optional[str]] = []

    def __repr__(self) -> str:
        return f"<Part: {self.state}>"

    def _val(self) -> "_abi.Val":
        if self._turn != self._stream.turn:
            raise Misuse("the stream has gone on; what there was is gone",
                         hint="read value and open before the next feed")
        info = lib.surety_stream_info_of(self._stream.handle).contents
        val: _abi.Val = info.value
        return val

    @property
    def value(self) -> Any:
        """The value as far as it has come; None where none has begun."""
        if not self._value:
            self._value = [load(self._val(), self._stream.contract.decimals)]
        return self._value[0]

    @property
    def parsed(self) -> Any:
        if not self._parsed:
            self._parsed = [super().parsed]
        return self._parsed[0]

    def _source(self) -> Tuple[Any, str]:
        return self._stream.contract, json_of(self._val())

    @property
    def open(self) -> Optional[str]:
        """The JSON Pointer of the innermost value that is in progress; None:
        none is."""
        if not self._open:
            self._open = [_open_of(self._val())]
        return self._open[0]


def _open_of(val: "_abi.Val") -> Optional[str]:
    if not val.doc or not lib.surety_val_is_open(val):
        return None
    while True:
        count = lib.surety_val_count(val)
        last = lib.surety_val_item(val, count - 1) if count else _abi.Val()
        if not last.doc and count:  # an object
            child = lib.surety_val_first(val)
            while child.doc:
                last, child = child, lib.surety_val_next(val, child)
        if not last.doc or not lib.surety_val_is_open(last):
            break
        val = last
    with buffer() as out:
        lib.surety_val_pointer(val, out.ref)
        return str(out)


class _Handle:
    """A surety_stream and what it points at. The stream and its outcome both
    have it, and neither has the other alone."""

    __slots__ = ("raw", "kept", "_free")

    def __init__(self, contract: "Contract[Any]") -> None:
        self._free = lib.surety_stream_free
        self.raw = None
        self.kept: List[Any] = [contract]
        limits = contract.limits
        self.raw = lib.surety_stream_new(None, limits and byref(limits))
        if not self.raw:
            raise NoMemory("out of memory")

    def __del__(self) -> None:
        self._free(self.raw)


class Stream(Generic[T]):
    """A reply that comes in chunks of any size:

        with contract.stream() as stream:
            for chunk in chunks:
                if stream.feed(chunk).state == "no":
                    break
            outcome = stream.finish()

    or, over chunks that it takes itself (`async for` over asynchronous ones):

        for part in contract.stream(chunks):
            show(part.value)

    after which stream.outcome is there. However a reply is cut, the outcome is
    that of check for the whole of it. One thread at a time."""

    def __init__(self, contract: "Contract[T]", chunks: Any, native: bool,
                 options: Dict[str, Any]) -> None:
        self.contract = contract
        self.turn = 0
        #: What came of it, once it has ended.
        self.outcome: Optional[Outcome[T]] = None
        self._chunks = chunks
        self._fed: List[bytes] = []
        if "native" in options:
            raise TypeError("native of a stream is True or False")
        self._options = dict(options)
        self._judge = contract.options(**options)
        self._owner = _Handle(contract)
        self.handle = self._owner.raw
        self._owner.kept.append(self._judge)
        error = Error()
        status = lib.surety_stream_begin(self.handle, contract.handle,
                                         byref(self._judge.raw), native,
                                         byref(error))
        if status:
            raise failure(status, error)

    def __enter__(self) -> "Stream[T]":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left to do: finish() may still be called."""

    async def __aenter__(self) -> "Stream[T]":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    def feed(self, chunk: Bytes) -> Part[T]:
        """Takes the next piece, and says what is known then. Bytes may be cut
        anywhere, within a character too."""
        if self.outcome is not None:
            raise Misuse("the stream has ended")
        data, error = encode(chunk), Error()
        self.turn += 1
        status = lib.surety_stream_feed(self.handle, str_of(data),
                                        byref(error))
        if status:
            raise failure(status, error)
        self._fed.append(data)
        return Part(self)

    @property
    def part(self) -> Part[T]:
        """What is known now."""
        return Part(self)

    def finish(self, *, cut: Optional[bool] = None) -> Outcome[T]:
        """Judges what has come. cut: the provider says that it cut the reply
        off."""
        outcome = self._finish(self._end(cut, False))
        assert outcome is not None
        return outcome

    async def finish_async(self, *, cut: Optional[bool] = None) -> Outcome[T]:
        """The same where a validator is a coroutine function."""
        judge = self._end(cut, True)
        while True:
            outcome = self._finish(judge)
            if outcome is not None:
                return outcome
            await judge.asked.settle()

    def _end(self, cut: Optional[bool], waits: bool) -> Any:
        """The options of the judgement at the end."""
        options = dict(self._options)
        if cut is not None:
            options["cut"] = cut
        return self.contract.options(waits=waits, **options)

    def _finish(self, judge: Any) -> Optional[Outcome[T]]:
        """None: a validator is waited for."""
        if self.outcome is not None:
            return self.outcome
        self.turn += 1
        made, error = c_void_p(), Error()
        status = lib.surety_stream_finish(self.handle, byref(judge.raw),
                                          byref(made), byref(error))
        if status == _abi.MORE:
            return None
        if status:
            if judge.asked is not None:
                judge.asked.raise_kept()
            raise failure(status, error)
        data = b"".join(self._fed)
        self._fed.clear()
        try:
            raw: Any = data.decode()
        except UnicodeDecodeError:
            raw = data
        self._owner.kept.append(judge)
        self.outcome = Outcome(self.contract, raw, made.value or 0,
                               self._owner, None)
        if judge.asked is not None:
            self.outcome.take(judge.asked)
        return self.outcome

    def __iter__(self) -> Iterator[Part[T]]:
        if self._chunks is None:
            raise TypeError("the stream was given no chunks; feed it")
        for chunk in self._chunks:
            yield self.feed(chunk)
        self.finish()

    async def __aiter__(self) -> AsyncIterator[Part[T]]:
        if self._chunks is None:
            raise TypeError("the stream was given no chunks; feed it")
        async for chunk in self._chunks:
            yield self.feed(chunk)
        await self.finish_async()
