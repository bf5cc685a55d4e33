# SPDX-License-Identifier: Apache-2.0
"""The value in a reply, whatever it is, and the places where one may stand."""

from ctypes import addressof, byref
from typing import Any, List, NamedTuple, Optional

from . import _abi
from ._abi import Error
from ._contract import Contract, Extract, extract_of
from ._errors import NoMemory, failure
from ._library import Bytes, encode, lib, str_of

_any: List[Contract[Any]] = []


class Candidate(NamedTuple):
    """A span of a reply that may be the JSON: start and end count bytes. text
    is that span of the reply. A span in a list or a quotation loses their
    marks (then stripped is True)."""
    place: str
    start: int
    end: int
    text: str
    stripped: bool


def extract(text: Bytes, **options: Any) -> Any:
    """The value in a reply, checked against nothing. Takes what Contract.check
    takes, such as repair="syntax". Raises InvalidReply where there is none."""
    if not _any:
        _any.append(Contract(True, name="any"))
    return _any[0].parse(text, **options)


def candidates(text: Bytes,
               extract: Optional[Extract] = None) -> List[Candidate]:
    """The places in a reply where the JSON may stand, in the order in which
    they are tried."""
    data = encode(text)
    how = None
    if extract is not None:
        how = extract_of(extract, None)
    finder, error = lib.surety_finder_new(None), Error()
    if not finder:
        raise NoMemory("out of memory")
    try:
        status = lib.surety_finder_find(
            finder, str_of(data), addressof(how) if how else None, None,
            byref(error))
        if status:
            raise failure(status, error)
        found = [lib.surety_finder_at(finder, i)
                 for i in range(lib.surety_finder_count(finder))]
        return [Candidate(_abi.PLACES[one.place], one.start, one.end,
                          str(one.text), one.stripped) for one in found]
    finally:
        lib.surety_finder_free(finder)
