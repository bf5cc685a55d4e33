# SPDX-License-Identifier: Apache-2.0
"""surety.json: models, providers, prices, budget, ledger."""

import ctypes
import os
import threading
import warnings
from ctypes import CFUNCTYPE, addressof, byref, c_int, c_void_p, cast
from typing import IO, Any, Dict, List, Mapping, Optional

from . import _abi
from ._abi import Error, Text
from ._errors import Io, failure
from ._library import (Bytes, encode, run_library, serve_library,
                       str_of)
from ._values import dump

WARN = CFUNCTYPE(None, c_void_p, Text)
RECORD = CFUNCTYPE(c_int, c_void_p, Text)
CLOSE = CFUNCTYPE(None, c_void_p)


class SuretyWarning(UserWarning):
    """Of a configuration: a setting that is likely a mistake. Of messages:
    what was left out or repaired."""


def _recording(replay: Any) -> bytes:
    """The text of a recording, which begins with a brace, or of its file."""
    if isinstance(replay, (bytes, bytearray)) or (
            isinstance(replay, str) and replay.lstrip()[:1] == "{"):
        return encode(replay)
    try:
        with open(replay, "rb") as file:
            return file.read()
    except OSError as error:
        raise Io(f"the recording cannot be read: {error.strerror}",
                 source=os.fsdecode(replay)) from error


class Config:
    """A configuration. source: a path, a dict, JSON text (with comments, as the
    file), or None: ./surety.json, or the user's, or what is built in. replay:
    the path or text of a recording that is played instead of reaching any
    provider. record: a path; every exchange is added to that file, without
    keys.

    Connections to providers stay open for the next run until close(). One run
    at a time: others wait for it."""

    def __init__(self, source: Any = None, *, replay: Any = None,
                 record: Any = None, folder: Any = "") -> None:
        library = self._library = run_library()
        self.handle: Any = None
        self._recording: Any = None
        self._file: Optional[IO[bytes]] = None
        self._said: List[str] = []
        self.lock = threading.Lock()
        self._warn = WARN(lambda _, text, said=self._said:
                          said.append(str(text)))
        options = _abi.ConfigOptions(
            size=ctypes.sizeof(_abi.ConfigOptions),
            folder=str_of(os.fsencode(folder)),
            warn=cast(self._warn, c_void_p).value)
        try:
            if replay is not None:
                options.replay = self._open_recording(replay)
            if record is not None:
                options.record = self._open_record(record)
            self._open(library, source, options)
        except BaseException:
            self.close()
            raise
        self.warn()

    def _open_recording(self, replay: Any) -> Any:
        made, error = c_void_p(), Error()
        status = self._library.surety_recording_read(
            str_of(_recording(replay)), None, byref(made), byref(error))
        if status:
            raise failure(status, error)
        self._recording = made.value
        return made.value

    def _open_record(self, path: Any) -> Any:
        try:
            file = self._file = open(path, "ab", buffering=0)
        except OSError as error:
            raise Io(f"the recording cannot be written: {error.strerror}",
                     source=os.fsdecode(path)) from error

        def write(_: Any, line: Text) -> int:
            try:
                file.write(bytes(line))
                return _abi.OK
            except (OSError, ValueError):
                return -_abi.STATUSES.index("io")

        self._record = RECORD(write)
        return cast(self._record, c_void_p).value

    def _open(self, library: Any, source: Any,
              options: "_abi.ConfigOptions") -> None:
        made, error = c_void_p(), Error()
        call, text = library.surety_config_load, b""
        if isinstance(source, Mapping):
            call, text = library.surety_config_read, dump(source)
        elif isinstance(source, (str, bytes)):
            text = encode(source)
            if text.lstrip()[:1] == b"{" or \
                    text.lstrip()[:2] in (b"//", b"/*"):
                call = library.surety_config_read
        elif source is not None:
            text = os.fsencode(source)
        status = call(str_of(text), byref(options), byref(made), byref(error))
        if status:
            raise failure(status, error)
        self.handle = made.value

    @property
    def wraps(self) -> bool:
        """Whether wrap puts something in a transport's place."""
        return self._recording is not None or self._file is not None

    def wrap(self, inner: int, made: Any, error: Any) -> int:
        """For the tools of a run: the transport in place of theirs, so that
        a replay reaches nothing, and a recording has every exchange. The
        status of the library."""
        if self._recording is None:
            recorded: int = self._library.surety_record_open(
                inner, cast(self._record, c_void_p), None, None, made, error)
            return recorded
        status: int = self._library.surety_replay_open(
            self._recording, _abi.SURETY_REPLAY_MATCH, None, made, error)
        if status == _abi.OK:
            transport = _abi.Transport.from_address(inner)
            CLOSE(transport.close)(transport.ctx)
        return status

    def warn(self) -> None:
        """Gives out what the library said."""
        while self._said:
            warnings.warn(self._said.pop(0), SuretyWarning, stacklevel=3)

    def close(self) -> None:
        """Closes connections and wipes keys."""
        handle, self.handle = self.handle, None
        if handle:
            self._library.surety_config_free(handle)
        recording, self._recording = self._recording, None
        if recording:
            self._library.surety_recording_free(recording)
        if self._file is not None:
            self._file.close()

    def __del__(self) -> None:
        if "_file" in self.__dict__:
            self.close()

    def __enter__(self) -> "Config":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def models(self) -> List[str]:
        """The names of the configuration's own models."""
        info = self.info
        return [str(one) for one in info.models[:info.model_count]]

    @property
    def default(self) -> List[str]:
        """The models that are asked where none is named, in their order."""
        info = self.info
        return [str(one) for one in info.defaults[:info.default_count]]

    @property
    def info(self) -> "_abi.ConfigInfo":
        """For the other modules: what the configuration says."""
        info: _abi.ConfigInfo = self._library.surety_config_info_of(
            self.handle).contents
        return info

    def model(self, name: str) -> "_abi.Model":
        """For the other modules: a copy of the model that a name stands for."""
        found, error = c_void_p(), Error()
        status = self._library.surety_config_model(
            self.handle, str_of(name), byref(found), byref(error))
        self.warn()
        if status:
            raise failure(status, error)
        made = _abi.Model()
        ctypes.memmove(addressof(made), found, ctypes.sizeof(_abi.Model))
        return made


LOG = CFUNCTYPE(None, c_void_p, Text)


class Mock:
    """A model server on this machine that speaks the providers' protocols from
    a script (docs/mock.md), faults included; for tests:

        with Mock({"replies": [{"json": {"answer": 42}}]}) as mock:
            run(contract, "...", models=["mock:any"], config=mock.config())
    """

    def __init__(self, script: Any, *, address: str = "", port: int = 0,
                 folder: Any = "", log: Any = None) -> None:
        self._library = serve_library()
        self.handle: Any = None
        options = _abi.MockOptions(
            size=ctypes.sizeof(_abi.MockOptions), address=str_of(address),
            port=port, folder=str_of(os.fsencode(folder)))
        if log is not None:
            self._log = LOG(lambda _, line: log(str(line)))
            options.log = cast(self._log, c_void_p).value
        text: Bytes = script if isinstance(script, (str, bytes)) \
            else dump(script)
        made, error = c_void_p(), Error()
        status = self._library.surety_mock_open(
            str_of(text), byref(options), byref(made), byref(error))
        if status:
            raise failure(status, error)
        self.handle = made.value
        self.port = int(self._library.surety_mock_port(self.handle))
        self.url = f"http://{address or '127.0.0.1'}:{self.port}"

    def config(self) -> Dict[str, Any]:
        """A configuration with this server as the provider "mock"."""
        return {"providers": {"mock": {"base_url": self.url + "/v1"}}}

    @property
    def served(self) -> int:
        """Requests that are over."""
        return int(self._library.surety_mock_served(self.handle))

    def close(self) -> None:
        """Breaks off what is under way."""
        handle, self.handle = self.handle, None
        if handle:
            self._library.surety_mock_close(handle)

    def __del__(self) -> None:
        if self.__dict__.get("handle"):
            self.close()

    def __enter__(self) -> "Mock":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
