# SPDX-License-Identifier: Apache-2.0
"""Values of the library as Python's, and back. The way is JSON text, which
both sides read fast and exactly: integers of any length stay integers; numbers
with a fraction or an exponent are floats, or, where decimals are asked for,
exact."""

import ctypes
import dataclasses
import json
from ctypes import byref
from decimal import Decimal
from typing import Any, Callable, List

from . import _abi
from ._abi import Error, Val
from ._errors import NoMemory, failure
from ._library import buffer, encode, lib, str_of

_reads = json.JSONDecoder(strict=True).decode
_reads_decimals = json.JSONDecoder(parse_float=Decimal, strict=True).decode
_writes = json.JSONEncoder(ensure_ascii=False, allow_nan=False,
                           separators=(",", ":")).encode

COMPACT, PRETTY, CANONICAL = range(3)


def json_of(val: Val, style: int = COMPACT) -> str:
    """A value as JSON text; "" where there is none."""
    if not val.doc:
        return ""
    with buffer() as out:
        status = lib.surety_val_write(val, style, out.ref)
        if status:
            raise failure(status, Error(message=b"it cannot be written"))
        return bytes(out).decode("utf-8")


def load(val: Val, decimals: bool = False) -> Any:
    """A value; None also where there is none."""
    if not val.doc:
        return None
    try:
        return (_reads_decimals if decimals else _reads)(json_of(val))
    except RecursionError:  # deeper than Python's reader goes
        return _walk(val, Decimal if decimals else float)


def loads(text: str, decimals: bool = False) -> Any:
    """The same of JSON text that the library wrote."""
    try:
        return (_reads_decimals if decimals else _reads)(text)
    except RecursionError:
        doc = Doc()
        return _walk(doc.read(encode(text)), Decimal if decimals else float)


def _scalar(val: Val, kind: int, real: Callable[[str], Any]) -> Any:
    if kind == 2:
        return bool(lib.surety_val_bool(val, False))
    if kind == 3:
        text = str(lib.surety_val_number(val))
        return real(text) if set(text) & set(".eE") else int(text)
    if kind == 4:
        return bytes(lib.surety_val_str(val)).decode("utf-8")
    return [] if kind == 5 else {} if kind == 6 else None


def _walk(root: Val, real: Callable[[str], Any]) -> Any:
    """The same without recursion."""
    kind = lib.surety_val_kind(root)
    result = _scalar(root, kind, real)
    # Containers that are open: value, the library's, its next child.
    stack: List[Any] = [[result, root, lib.surety_val_first(root)]]
    while stack:
        container, val, child = stack[-1]
        if not child.doc:
            stack.pop()
            continue
        stack[-1][2] = lib.surety_val_next(val, child)
        made = _scalar(child, lib.surety_val_kind(child), real)
        if isinstance(container, list):
            container.append(made)
        else:
            key = lib.surety_val_str(lib.surety_val_key(child))
            container[bytes(key).decode("utf-8")] = made
        if isinstance(made, (list, dict)):
            stack.append([made, child, lib.surety_val_first(child)])
    return result


def dump(value: Any) -> bytes:
    """A value of Python's as JSON text. TypeError, ValueError: JSON has no such
    value."""
    return encode(_writes(value))


def _plain(value: Any) -> Any:
    """What JSON has, of what it has no word for."""
    if hasattr(value, "model_dump"):  # Pydantic 2
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(value, "parse_obj"):  # Pydantic 1
        return json.loads(value.json(by_alias=True))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name)
                for field in dataclasses.fields(value)}
    raise TypeError(f"JSON has no {type(value).__name__}")


_writes_any = json.JSONEncoder(ensure_ascii=False, allow_nan=False,
                               separators=(",", ":"), default=_plain).encode


def dump_any(value: Any) -> bytes:
    """The same; models of Pydantic and dataclasses may be in it."""
    return encode(_writes_any(value))


class Doc:
    """A surety_doc."""

    __slots__ = ("handle", "_free")

    def __init__(self) -> None:
        self._free = lib.surety_doc_free
        self.handle = None
        self.handle = lib.surety_doc_new(None)
        if not self.handle:
            raise NoMemory("out of memory")

    def __del__(self) -> None:
        self._free(self.handle)

    def read(self, text: bytes, flags: int = 0) -> Val:
        error = Error()
        options = _abi.ReadOptions(size=_READ_SIZE, flags=flags)
        status = lib.surety_doc_read(self.handle, str_of(text), byref(options),
                                     byref(error))
        if status:
            raise failure(status, error)
        return self.root()

    def root(self) -> Val:
        root: Val = lib.surety_doc_root(self.handle)
        return root


_READ_SIZE = ctypes.sizeof(_abi.ReadOptions)
