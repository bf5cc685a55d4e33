# SPDX-License-Identifier: Apache-2.0
"""The door to the shared libraries: where they are found, that they are of our
version, and what their functions take. Everything else calls `lib.NAME` (the
core), `run_library().NAME` (runs) and `serve_library().NAME` (the mock server).
What users see is in __init__.py.

The GIL is released in every call, so nothing here may be shared by two threads
that both use it: judges and buffers come from pools, and belong to whoever took
them until they are given back."""

import ctypes
import os
import sys
from ctypes import (POINTER, byref, c_bool, c_char_p, c_double, c_int,
                    c_size_t, c_uint, c_uint16, c_uint32, c_uint64, c_void_p,
                    string_at)
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _abi
from ._abi import (Attempt, ContractInfo, Error, Issue, Position, Repaired,
                   Str, Text, Val)
from ._errors import NoMemory, failure

VERSION = "0.1.0"

P = c_void_p
# What functions take: the type of the result, those of the arguments.
Signatures = Dict[str, Tuple[Any, List[Any]]]
CORE: Signatures = {
    "surety_version": (c_char_p, []),
    "surety_status_name": (c_char_p, [c_int]),
    "surety_buf_init": (None, [P, P, c_size_t]),
    "surety_buf_done": (None, [P]),
    "surety_buf_reset": (None, [P]),
    "surety_buf_add": (None, [P, Str]),
    # json.h
    "surety_doc_new": (P, [P]),
    "surety_doc_free": (None, [P]),
    "surety_doc_read": (c_int, [P, Str, P, P]),
    "surety_doc_root": (Val, [P]),
    "surety_val_kind": (c_int, [Val]),
    "surety_val_bool": (c_bool, [Val, c_bool]),
    "surety_val_str": (Text, [Val]),
    "surety_val_number": (Text, [Val]),
    "surety_val_count": (c_size_t, [Val]),
    "surety_val_first": (Val, [Val]),
    "surety_val_next": (Val, [Val, Val]),
    "surety_val_key": (Val, [Val]),
    "surety_val_item": (Val, [Val, c_size_t]),
    "surety_val_at": (Val, [Val, Str]),
    "surety_val_pointer": (None, [Val, P]),
    "surety_val_position": (Position, [Val]),
    "surety_val_is_open": (c_bool, [Val]),
    "surety_val_write": (c_int, [Val, c_int, P]),
    # schema.h
    "surety_schema_read": (c_int, [Str, P, P, P]),
    "surety_schema_free": (None, [P]),
    "surety_schema_info_of": (POINTER(_abi.SchemaInfo), [P]),
    "surety_checker_new": (P, [P, P]),
    "surety_checker_free": (None, [P]),
    "surety_checker_check": (c_int, [P, P, Val, P, P]),
    "surety_checker_report": (c_int, [P, P, Val, P, P]),
    "surety_findings_new": (P, [P]),
    "surety_findings_free": (None, [P]),
    "surety_findings_count": (c_size_t, [P]),
    "surety_findings_at": (_abi.Finding, [P, c_size_t]),
    "surety_findings_truncated": (c_bool, [P]),
    "surety_findings_write": (c_int, [P, c_bool, c_int, P]),
    # contract.h
    "surety_contract_read": (c_int, [Str, P, P, P]),
    "surety_contract_free": (None, [P]),
    "surety_contract_info_of": (POINTER(ContractInfo), [P]),
    "surety_registry_new": (c_int, [Str, P, P, P]),
    "surety_registry_free": (None, [P]),
    "surety_registry_find": (c_int, [P, Str, P, P]),
    "surety_registry_list": (c_int, [P, P, P, P]),
    # reply.h
    "surety_judge_new": (P, [P, P]),
    "surety_judge_free": (None, [P]),
    "surety_judge_reply": (c_int, [P, P, Str, P, P, P]),
    "surety_outcome_info_of": (POINTER(_abi.OutcomeInfo), [P]),
    "surety_outcome_error": (Issue, [P, c_size_t]),
    "surety_outcome_warning": (Issue, [P, c_size_t]),
    "surety_outcome_repaired": (Repaired, [P, c_size_t]),
    "surety_outcome_write": (c_int, [P, c_int, Str, c_size_t, P]),
    "surety_validation_add": (c_int, [P, Str, Str, Str]),
    # extract.h
    "surety_finder_new": (P, [P]),
    "surety_finder_free": (None, [P]),
    "surety_finder_find": (c_int, [P, Str, P, P, P]),
    "surety_finder_count": (c_size_t, [P]),
    "surety_finder_at": (_abi.Candidate, [P, c_size_t]),
    # stream.h
    "surety_stream_new": (P, [P, P]),
    "surety_stream_free": (None, [P]),
    "surety_stream_begin": (c_int, [P, P, P, c_bool, P]),
    "surety_stream_feed": (c_int, [P, Str, P]),
    "surety_stream_info_of": (POINTER(_abi.StreamInfo), [P]),
    "surety_stream_finish": (c_int, [P, P, P, P]),
    "surety_items_new": (c_int, [P, Str, P, P, P]),
    "surety_items_free": (None, [P]),
    # prompt.h, strict.h
    "surety_prompt_write": (c_int, [P, Str, P, P, P]),
    "surety_prompt_example": (c_int, [P, P, P]),
    "surety_prompt_again": (c_int, [P, Str, c_int, P, Str, P, P, P]),
    "surety_prompt_patch": (c_int, [P, Str, P, P]),
    "surety_strict_of": (c_int, [P, c_int, P, P]),
    "surety_strict_info_of": (POINTER(_abi.StrictInfo), [P]),
    "surety_strict_restore": (c_int, [P, Val, P, P]),
    "surety_strict_deliver": (c_int, [P, Val, P, P]),
    "surety_strict_delivered": (c_int, [P, P, P]),
    # vote.h
    "surety_vote_info_of": (POINTER(_abi.VoteInfo), [P]),
}
RUN: Signatures = {
    "surety_recording_read": (c_int, [Str, P, P, P]),
    "surety_recording_free": (None, [P]),
    "surety_replay_open": (c_int, [P, c_uint, P, P, P]),
    "surety_record_open": (c_int, [P, P, P, P, P, P]),
    "surety_config_read": (c_int, [Str, P, P, P]),
    "surety_config_load": (c_int, [Str, P, P, P]),
    "surety_config_free": (None, [P]),
    "surety_config_model": (c_int, [P, Str, P, P]),
    "surety_config_info_of": (POINTER(_abi.ConfigInfo), [P]),
    "surety_config_run": (None, [P, P]),
    "surety_ledger_open": (c_int, [Str, P, P, P]),
    "surety_ledger_close": (None, [P]),
    "surety_run_new": (c_int, [P, P, P]),
    "surety_run_free": (None, [P]),
    "surety_run_wait": (c_int, [P, P, P]),
    "surety_run_info_of": (POINTER(_abi.RunInfo), [P]),
    "surety_run_attempt": (Attempt, [P, c_size_t]),
    "surety_run_tool_use": (_abi.ToolUse, [P, c_size_t]),
    "surety_run_messages": (P, [P, P]),
    "surety_run_write": (c_int, [P, c_int, Str, P]),
    "surety_run_write_log": (c_int, [P, c_bool, P]),
    "surety_conversation_new": (c_int, [P, P, P]),
    "surety_conversation_free": (None, [P]),
    "surety_conversation_add": (c_int, [P, P, P]),
    "surety_conversation_read": (c_int, [P, Str, P]),
    "surety_conversation_repair": (c_int, [P, P]),
    "surety_conversation_write": (c_int, [P, P]),
    "surety_conversation_messages": (P, [P, P]),
    "surety_conversation_note_at": (c_bool, [P, c_size_t, P]),
    "surety_tools_new": (c_int, [P, P, P]),
    "surety_tools_free": (None, [P]),
    "surety_tools_add": (c_int, [P, P, P]),
    "surety_tools_read": (c_int, [P, Str, Str, P]),
    "surety_tools_connect": (c_int, [P, P, P, P]),
    "surety_consensus_new": (c_int, [P, P, P]),
    "surety_consensus_free": (None, [P]),
    "surety_consensus_wait": (c_int, [P, P, P]),
    "surety_consensus_info_of": (POINTER(_abi.ConsensusInfo), [P]),
    "surety_consensus_member": (P, [P, c_size_t]),
    "surety_consensus_write": (c_int, [P, c_int, P]),
}
SERVE: Signatures = {
    "surety_mock_open": (c_int, [Str, P, P, P]),
    "surety_mock_port": (c_uint16, [P]),
    "surety_mock_served": (c_uint64, [P]),
    "surety_mock_close": (None, [P]),
}

# -- finding -------------------------------------------------------------------


def _open(name: str) -> Tuple[ctypes.CDLL, str]:
    """A shared library, and where it was looked for."""
    file = f"{name}.0.dylib" if sys.platform == "darwin" else f"{name}.so.0"
    folder = os.environ.get("SURETY_LIBRARY_PATH")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
    if folder:
        path = os.path.join(os.path.abspath(folder), file)
    else:
        path = beside if os.path.exists(beside) else file
    try:
        return ctypes.CDLL(path), path
    except OSError as error:
        hint = ("there is none in the folder that SURETY_LIBRARY_PATH names"
                if folder and not os.path.exists(path) else
                "install it, or name its folder in SURETY_LIBRARY_PATH")
        raise ImportError(f"surety needs the shared library {file}: "
                          f"{error}; {hint}", name="surety",
                          path=path) from None


class _Functions:
    """The functions of a library as attributes."""

    def __init__(self, library: ctypes.CDLL, signatures: Signatures,
                 path: str) -> None:
        self.path = path
        for name, (result, arguments) in signatures.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise ImportError(
                    f"{path} has no {name}: it is not the library that surety "
                    f"{VERSION} was made for", name="surety",
                    path=path) from None
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _load() -> _Functions:
    library, path = _open("libsurety")
    try:
        function = library.surety_version
    except AttributeError:
        raise ImportError(f"{path} is not the library of surety",
                          name="surety", path=path) from None
    function.restype = c_char_p
    version = function().decode()
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(
            f"this is surety {VERSION} for Python, and {path} is the library "
            f"{version}: major and minor version must be the same",
            name="surety", path=path)
    return _Functions(library, CORE, path)


lib: Any = _load()
_others: Dict[str, Any] = {}


def _other(name: str, signatures: Signatures) -> Any:
    """The functions of a library, loaded when first needed."""
    if name not in _others:
        library, path = _open(name)
        _others[name] = _Functions(library, signatures, path)
    return _others[name]


def run_library() -> Any:
    return _other("libsurety-run", RUN)


def serve_library() -> Any:
    run_library()  # it stands on that one, which the loader may not find
    return _other("libsurety-serve", SERVE)


# -- texts ---------------------------------------------------------------------

Bytes = Union[str, bytes, bytearray, memoryview]


def encode(text: Bytes) -> bytes:
    """The bytes of a text. What no UTF-8 has (a lone surrogate) becomes bytes
    that are no UTF-8, which the library then names with their place."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"a text is str or bytes, not {type(text).__name__}")


def str_of(text: Bytes) -> Str:
    data = encode(text)
    return Str(data, len(data))


class Buffer:
    """A surety_buf; used through `with buffer() as out`."""

    __slots__ = ("raw", "ref", "_done")

    def __init__(self) -> None:
        self._done = lib.surety_buf_done
        self.raw = _abi.Buf()
        self.ref = byref(self.raw)
        lib.surety_buf_init(self.ref, None, 0)

    def __del__(self) -> None:
        self._done(self.ref)

    def __enter__(self) -> "Buffer":
        return self

    def __exit__(self, *_: object) -> None:
        if self.raw.cap <= 1 << 20 and len(_buffers) < 16:
            lib.surety_buf_reset(self.ref)
            _buffers.append(self)

    def __bytes__(self) -> bytes:
        if self.raw.status:
            raise NoMemory("out of memory")
        return string_at(self.raw.ptr, self.raw.len) if self.raw.len else b""

    def __str__(self) -> str:
        return bytes(self).decode("utf-8", "replace")


_buffers: List[Buffer] = []


def buffer() -> Buffer:
    try:
        return _buffers.pop()
    except IndexError:
        return Buffer()


def write(function: Any, *arguments: Any) -> bytes:
    """What a function that appends to a buffer and then takes an error
    appended."""
    error = Error()
    with buffer() as out:
        status = function(*arguments, out.ref, byref(error))
        if status:
            raise failure(status, error)
        return bytes(out)


def limits_of(limits: Optional[Dict[str, int]]) -> Optional[_abi.Limits]:
    """surety_limits with the members that are given."""
    if limits is None:
        return None
    made = _abi.Limits(size=ctypes.sizeof(_abi.Limits))
    known = {field[0]: field[1] for field in _abi.Limits._fields_[1:]}
    for name, value in limits.items():
        if name not in known:
            raise ValueError(f"there is no limit {name!r}; there are "
                             + ", ".join(known))
        most = (1 << 8 * ctypes.sizeof(known[name])) - 1
        if not isinstance(value, int) or not 0 <= value <= most:
            raise ValueError(f"the limit {name} is from 0 to {most}")
        setattr(made, name, value)
    return made


def limits_over(own: _abi.Limits, others: _abi.Limits) -> _abi.Limits:
    """own, and the others where it sets none."""
    made = _abi.Limits(size=ctypes.sizeof(_abi.Limits))
    for field in _abi.Limits._fields_[1:]:
        setattr(made, field[0],
                getattr(own, field[0]) or getattr(others, field[0]))
    return made


def number_of(names: Tuple[str, ...], name: str, what: str) -> int:
    """The number of a name in an enum."""
    try:
        return names.index(name)
    except ValueError:
        raise ValueError(f"{what} is one of {', '.join(names)}, not "
                         f"{name!r}") from None
