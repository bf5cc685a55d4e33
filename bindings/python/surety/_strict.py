# SPDX-License-Identifier: Apache-2.0
"""A contract as a provider's structured output takes it."""

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import _abi
from ._abi import Error
from ._errors import failure
from ._issues import place_of
from ._library import lib, number_of
from ._values import Doc, dump, load

if TYPE_CHECKING:
    from ._contract import Contract


class StrictNote(NamedTuple):
    """What became of one keyword: support is "rewritten" or "impossible",
    location a JSON Pointer in the contract."""
    support: str
    keyword: str
    location: str
    message: str
    hint: str
    line: Optional[int]
    column: Optional[int]
    offset: Optional[int]
    length: Optional[int]


class Strict:
    """support: "accepted", "rewritten" or "impossible"; schema: what to send,
    None where it is impossible; name and description for it; notes: what became
    of each keyword that is not sent as it stands."""

    def __init__(self, contract: "Contract[Any]", subset: str) -> None:
        made, error = c_void_p(), Error()
        status = lib.surety_strict_of(
            contract.handle, number_of(_abi.SUBSETS, subset, "a subset"),
            byref(made), byref(error))
        if status:
            raise failure(status, error)
        self.handle: Any = made.value
        self.contract = contract
        self.subset = subset
        info = self.info = lib.surety_strict_info_of(self.handle).contents
        self.support = _abi.STRICT_SUPPORT[info.support]
        self.schema = load(info.schema)
        self.name = str(info.name)
        self.description = str(info.description)
        self.notes = [_note(info.notes[i]) for i in range(info.note_count)]

    def restore(self, delivered: Any) -> Any:
        """Turns a value that was made for the strict schema into one for the
        contract, to be checked. Raises Syntax where what is meant would be a
        guess: a key that is given twice, a value that can be read in two ways,
        one that is not of the form."""
        return self._turn(lib.surety_strict_restore, delivered)

    def deliver(self, value: Any) -> Any:
        """The other way round: the contract's value as the provider delivers
        it, for an example that a model is shown."""
        return self._turn(lib.surety_strict_deliver, value)

    def _turn(self, how: Any, value: Any) -> Any:
        doc, out, error = Doc(), Doc(), Error()
        status = how(self.handle, doc.read(dump(value)), out.handle,
                     byref(error))
        if status:
            raise failure(status, error)
        return load(out.root(), self.contract.decimals)


def _note(note: "_abi.StrictNote") -> StrictNote:
    return StrictNote(_abi.STRICT_SUPPORT[note.support], str(note.keyword),
                      str(note.location), str(note.message), str(note.hint),
                      *place_of(note.position))
