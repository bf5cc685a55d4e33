# SPDX-License-Identifier: Apache-2.0
"""Pydantic's models, without importing Pydantic: a class that can say its
schema and read a value is one. Pydantic 1 and 2, and 2's TypeAdapter."""

from typing import Any, Callable, NamedTuple, Optional, Tuple

from ._issues import Issue


class Refused(Exception):
    """The model refuses a value that satisfies its schema: it has validators
    of its own."""

    def __init__(self, issues: Tuple[Issue, ...]) -> None:
        super().__init__()
        self.issues = issues


class Model(NamedTuple):
    schema: Any
    name: str
    # Of an outcome that is ok; raises Refused.
    make: Callable[[Any], Any]


def _pointer(location: Any) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1")
                   for part in location)


def _refused(error: Exception) -> Optional[Refused]:
    """What Pydantic's ValidationError says, as issues; None: it is none."""
    errors = getattr(error, "errors", None)
    if not callable(errors):
        return None
    return Refused(tuple(
        Issue("model", _pointer(one.get("loc", ())), "", "",
              str(one.get("msg", "")), str(one.get("type", "")))
        for one in errors()))


def _made(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except ValueError as error:
        refused = _refused(error)
        if refused is None:
            raise
        raise refused from error


def model_of(source: Any) -> Optional[Model]:
    """The model that source is; None: it is none."""
    name = str(getattr(source, "__name__", ""))
    if isinstance(source, type):
        if hasattr(source, "model_json_schema"):
            read = source.model_validate_json  # type: ignore[attr-defined]
            return Model(source.model_json_schema(), name,
                         lambda outcome: _made(read, outcome.value_json))
        if hasattr(source, "parse_obj") and hasattr(source, "schema"):
            parse = source.parse_obj
            return Model(source.schema(), name,
                         lambda outcome: _made(parse, outcome.value))
        return None
    if hasattr(source, "json_schema") and hasattr(source, "validate_json"):
        read = source.validate_json
        return Model(source.json_schema(), "",
                     lambda outcome: _made(read, outcome.value_json))
    return None
