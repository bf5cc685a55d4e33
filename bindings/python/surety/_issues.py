# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a reply, and what was repaired, as Python has them."""

from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import _abi


class Issue(NamedTuple):
    """What is wrong, or (a warning) worth saying. Standard terms: JSON Schema
    2020-12, section 12.3. The position is of the reply: line and column from 1,
    columns in code points, offset and length in bytes; None: there is none."""
    keyword: str
    instance_location: str
    keyword_location: str
    absolute_keyword_location: str
    message: str
    hint: str
    line: Optional[int] = None
    column: Optional[int] = None
    offset: Optional[int] = None
    length: Optional[int] = None

    def entry(self) -> Dict[str, Any]:
        """As a report (the contract surety/report) has it."""
        names = ("keyword", "instanceLocation", "keywordLocation",
                 "absoluteKeywordLocation", "error", "hint", *self._fields[6:])
        return {name: value for name, value in zip(names, self)
                if value is not None and (name != "hint" or value)}

    def __str__(self) -> str:
        place = f" (at {self.instance_location})" if self.instance_location \
            else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.keyword}: {self.message}{place}{hint}"


class Repair(NamedTuple):
    """What was repaired: a change in reading the text (cost 0), or a change
    toward the schema. likely: a guess; else it leaves no doubt."""
    kind: str
    likely: bool
    instance_location: str
    original: str
    read: str
    cost: int
    line: Optional[int] = None
    column: Optional[int] = None
    offset: Optional[int] = None
    length: Optional[int] = None


Place = Tuple[Optional[int], Optional[int], Optional[int], Optional[int]]
NOWHERE: Place = (None, None, None, None)


def place_of(position: "_abi.Position") -> Place:
    if not position.line:
        return NOWHERE
    return position.line, position.column, position.offset, position.length


def issue_of(issue: "_abi.Issue") -> Issue:
    return Issue(str(issue.keyword), str(issue.instance_location),
                 str(issue.keyword_location),
                 str(issue.absolute_keyword_location), str(issue.message),
                 str(issue.hint), *place_of(issue.position))


def repair_of(repaired: "_abi.Repaired") -> Repair:
    return Repair(repaired.kind.decode(), repaired.likely,
                  str(repaired.instance_location), str(repaired.original),
                  str(repaired.read), repaired.cost,
                  *place_of(repaired.position))
