# SPDX-License-Identifier: Apache-2.0
"""Pydantic's models, without importing Pydantic: a class that can say its
schema and read a value is one. Pydantic 1 and 2, their dataclasses, and 2's
TypeAdapter."""

import dataclasses
import importlib
import json
import sys
from typing import (Any, Callable, Dict, List, Mapping, NamedTuple, Optional,
                    Set)

from ._validators import refusal_of


class Model(NamedTuple):
    schema: Any
    name: str
    # Of the JSON of a value that satisfies the schema; raises Refused.
    make: Callable[[str], Any]


def _aliases(source: Any) -> Dict[str, str]:
    """What the fields of a model of Pydantic 2, and of those within it, are
    called in JSON: errors may have the fields' own names."""
    found: Dict[str, str] = {}
    seen: Set[int] = set()
    rest: List[Any] = [getattr(source, "__pydantic_core_schema__",
                    getattr(source, "core_schema", None))]
    while rest:
        one = rest.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            for name, field in one.items():
                if isinstance(field, Mapping) and \
                        isinstance(field.get("validation_alias"), str):
                    found[str(name)] = field["validation_alias"]
            rest += one.values()
        elif isinstance(one, (list, tuple)):
            rest += one
    return found


def _made(read: Callable[[Any], Any], text: str, source: Any,
          parse: Callable[[str], Any] = str) -> Any:
    """What a model makes of JSON text; raises Refused where it says no."""
    try:
        return read(parse(text))
    except ValueError as error:
        if not callable(getattr(error, "errors", None)):
            raise
        raise refusal_of(error, text, _aliases(source)) from error


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
                         lambda text: _made(read, text, source))
        if hasattr(source, "parse_obj") and hasattr(source, "schema"):
            parse = source.parse_obj
            return Model(_schema_1(source), name,
                         lambda text: _made(parse, text, source, json.loads))
        if "__pydantic_validator__" in vars(source):  # a dataclass of 2
            adapter = model_of(sys.modules["pydantic"].TypeAdapter(source))
            return adapter and adapter._replace(name=name)
        if "__pydantic_model__" in vars(source):  # one of 1
            inner = vars(source)["__pydantic_model__"]
            return Model(_schema_1(inner), name, lambda text: source(
                **vars(_made(inner.parse_obj, text, inner, json.loads))))
        if dataclasses.is_dataclass(source):
            return _dataclass(source, name)
        return None
    if hasattr(source, "json_schema") and hasattr(source, "validate_json"):
        read = source.validate_json
        return Model(source.json_schema(), "",
                     lambda text: _made(read, text, source))
    return None


def _dataclass(source: Any, name: str) -> Model:
    """A dataclass of the standard library, which Pydantic 2 reads."""
    try:
        adapter = importlib.import_module("pydantic").TypeAdapter
    except (ImportError, AttributeError):
        raise TypeError(f"the dataclass {name} needs pydantic.TypeAdapter, of "
                        "Pydantic 2, which is not installed") from None
    model = model_of(adapter(source))
    assert model is not None
    return model._replace(name=name)
