# SPDX-License-Identifier: Apache-2.0
"""Pydantic's models, without importing Pydantic: a class that can say its
schema and read a value is one. Pydantic 1 and 2, their dataclasses, and 2's
TypeAdapter."""

import json
import sys
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
    # Of the JSON of a value that satisfies the schema; raises Refused.
    make: Callable[[str], Any]


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
              str(one.get("msg", "")), "")
        for one in errors()))


def _made(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except ValueError as error:
        refused = _refused(error)
        if refused is None:
            raise
        raise refused from error


def _schema_1(source: Any) -> Any:
    """The schema of a model of Pydantic 1, which leaves out of it that an
    Optional may be null: that is put back."""
    schema = source.schema()
    homes = [one.__module__.rpartition(".")[0] for one in source.__mro__
             if one.__name__ == "BaseModel"]
    writer = sys.modules.get(f"{homes[-1]}.schema") if homes else None
    if writer is None:  # it only looks like a model of Pydantic
        return schema
    models = writer.get_flat_models_from_model(source)
    for model, name in writer.get_model_name_map(models).items():
        part = schema.get("definitions", {}).get(
            name, schema if model is source else {})
        for field in getattr(model, "__fields__", {}).values():
            member = part.get("properties", {}).get(field.alias)
            if field.allow_none and member is not None:
                part["properties"][field.alias] = {
                    "anyOf": [member, {"type": "null"}]}
    return schema


def model_of(source: Any) -> Optional[Model]:
    """The model that source is; None: it is none."""
    name = str(getattr(source, "__name__", ""))
    if isinstance(source, type):
        if hasattr(source, "model_json_schema"):
            read = source.model_validate_json  # type: ignore[attr-defined]
            return Model(source.model_json_schema(), name,
                         lambda text: _made(read, text))
        if hasattr(source, "parse_obj") and hasattr(source, "schema"):
            parse = source.parse_obj
            return Model(_schema_1(source), name,
                         lambda text: _made(parse, json.loads(text)))
        if "__pydantic_validator__" in vars(source):  # a dataclass of 2
            adapter = model_of(sys.modules["pydantic"].TypeAdapter(source))
            return adapter and adapter._replace(name=name)
        if "__pydantic_model__" in vars(source):  # one of 1
            inner = vars(source)["__pydantic_model__"]
            return Model(_schema_1(inner), name, lambda text: source(
                **vars(_made(inner.parse_obj, json.loads(text)))))
        return None
    if hasattr(source, "json_schema") and hasattr(source, "validate_json"):
        read = source.validate_json
        return Model(source.json_schema(), "",
                     lambda text: _made(read, text))
    return None
