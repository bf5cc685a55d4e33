# SPDX-License-Identifier: Apache-2.0
"""Conversations: messages of any client become the library's, and those of a
run become dicts of its own form (docs/messages.md)."""

import json
import warnings
from ctypes import byref, c_size_t, c_void_p, sizeof
from typing import Any, Dict, List

from . import _abi
from ._abi import Error
from ._config import SuretyWarning
from ._errors import failure
from ._library import buffer, encode, run_library, str_of
from ._values import dump_any


class Conversation:
    """A surety_conversation."""

    def __init__(self) -> None:
        self.engine = run_library()
        self.handle: Any = None
        made = c_void_p()
        self._call(self.engine.surety_conversation_new, None, byref(made))
        self.handle = made.value

    def __del__(self) -> None:
        if self.__dict__.get("handle"):
            self.engine.surety_conversation_free(self.handle)

    def _call(self, function: Any, *arguments: Any) -> None:
        error = Error()
        status = function(*arguments, byref(error))
        if status:
            raise failure(status, error)

    def read(self, messages: Any) -> None:
        """Adds messages of any form, and makes calls and results fit together.
        What is left out or repaired is a warning."""
        text = encode(messages) if isinstance(messages, (str, bytes)) \
            else dump_any(messages)
        self._call(self.engine.surety_conversation_read, self.handle,
                   str_of(text))
        self._call(self.engine.surety_conversation_repair, self.handle)
        note, i = _abi.ConversationNote(), 0
        while self.engine.surety_conversation_note_at(self.handle, i,
                                                      byref(note)):
            warnings.warn(f"messages{note.location}: {note.text} "
                          f"[{note.rule.decode()}]", SuretyWarning,
                          stacklevel=2)
            i += 1

    def give(self, options: "_abi.RunOptions") -> None:
        """Makes it that of a run, which it must outlive."""
        count = c_size_t()
        options.messages = self.engine.surety_conversation_messages(
            self.handle, byref(count))
        options.message_count = count.value

    def take(self, run: Any) -> List[Dict[str, Any]]:
        """The messages of a run."""
        count = c_size_t()
        first = self.engine.surety_run_messages(run, byref(count))
        for i in range(count.value):
            self._call(self.engine.surety_conversation_add, self.handle,
                       first + i * sizeof(_abi.Message))
        with buffer() as out:
            status = self.engine.surety_conversation_write(self.handle,
                                                           out.ref)
            if status:
                raise failure(status, Error(message=b"it cannot be written"))
            made: List[Dict[str, Any]] = json.loads(bytes(out))
        return made
