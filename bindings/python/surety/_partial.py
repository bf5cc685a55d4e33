# SPDX-License-Identifier: Apache-2.0
"""Values that are not whole: classes in which every field of a model may be
absent, and the value at the end of a path through an instance. Such a class has
the names, aliases and types of the model's fields, and neither its bounds nor
its validators, which speak of whole values. A member that is not yet what its
type takes (half a date) is None, like one that has not come."""

import dataclasses
import importlib
import typing
from typing import (Any, Callable, Dict, ForwardRef, Generic, List, Optional,
                    Tuple, TypeVar, Union)

from ._values import loads

T = TypeVar("T")
S = TypeVar("S")
Reader = Callable[[str], Any]
# Types that are made, and that no checker knows.
_list: Any = List
_dict: Any = Dict


class SoFar(Generic[T]):
    """A value as far as it has come."""

    __slots__ = ()

    def _source(self) -> Tuple[Any, str]:
        """The contract, and the value as JSON."""
        raise NotImplementedError

    @property
    def value(self) -> Any:
        """The value as far as it has come; None where none has begun."""
        contract, text = self._source()
        return loads(text, contract.decimals) if text else None

    @property
    def parsed(self) -> Any:
        """The same as an instance of a class in which every field of the
        contract's model may be None, in the models within it too; value where
        the contract was not made from a model. It needs Pydantic 2."""
        contract, text = self._source()
        if contract.model is None:
            return self.value
        return contract.reader(text) if text else None

    def get(self, path: Callable[[T], S]) -> Optional[S]:
        """What is at the end of a path through parsed; None where it has not
        come:

            part.get(lambda story: story.author.name)

        Type checkers know its type: here Optional[str]. Let a path lead to one
        value, because what it goes through may be incomplete."""
        parsed: Any = self.parsed
        try:
            return path(parsed) if parsed is not None else None
        except (LookupError, TypeError):
            return None
        except AttributeError as error:
            if getattr(error, "obj", None) is not None:
                raise  # there is no such field
            return None


def reader_of(source: Any) -> Reader:
    """What reads a part of a model's JSON."""
    pydantic: Any = importlib.import_module("pydantic")
    if not hasattr(pydantic, "TypeAdapter") or \
            not hasattr(source, "model_fields") and \
            hasattr(source, "__fields__"):
        raise TypeError("a model that is not whole needs Pydantic 2; value has "
                        "the part as JSON has it")
    made = _Classes(pydantic)
    holder = made.holder(made.optional(getattr(source, "_type", source)))
    return lambda text: holder.model_validate_json(text).root


def _fields(source: Any) -> "Optional[Dict[str, Any]]":
    """The fields of a model or dataclass: their types and aliases."""
    if not isinstance(source, type):
        return None
    found = getattr(source, "model_fields", None) or \
        getattr(source, "__pydantic_fields__", None)
    if found is not None:
        return {name: (field.annotation, field.alias, field.validation_alias)
                for name, field in found.items()}
    if not dataclasses.is_dataclass(source):
        return None
    hints = typing.get_type_hints(source)
    return {field.name: (hints[field.name], None, None)
            for field in dataclasses.fields(source)}


class _Classes:
    """The classes of one contract. A model may have itself within it, so all
    of them refer to each other by name."""

    def __init__(self, pydantic: Any) -> None:
        self.pydantic = pydantic
        self.names: Dict[Any, str] = {}
        self.rest: List[Any] = []
        self.made: Dict[str, Any] = {}
        self.lenient = pydantic.WrapValidator(self._try)

    def _try(self, value: Any, read: Callable[[Any], Any]) -> Any:
        try:
            return read(value)
        except self.pydantic.ValidationError:
            return None

    def optional(self, kind: Any) -> Any:
        return typing.Annotated[Optional[self.part(kind)], self.lenient]

    def part(self, kind: Any) -> Any:
        """A type with partial models in place of the models in it."""
        if hasattr(kind, "__metadata__"):  # Annotated
            return self.part(kind.__origin__)
        if _fields(kind) is not None:
            if kind not in self.names:
                self.names[kind] = f"Part_{len(self.names)}"
                self.rest.append(kind)
            return ForwardRef(self.names[kind])
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin is Union or getattr(origin, "__name__", "") == "UnionType":
            return Union[tuple(map(self.part, inner))]
        if origin is list:
            return _list[self.optional(inner[0])]
        if origin is tuple and inner:
            rest = tuple(one for one in inner if one is not Ellipsis)
            return Tuple[self.optional(Union[rest]), ...]
        if origin is dict:
            return _dict[inner[0], self.optional(inner[1])]
        return kind

    def _class(self, source: Any) -> Any:
        pydantic, name = self.pydantic, self.names[source]
        fields = {
            field: (self.optional(kind), pydantic.Field(
                default=None, alias=alias, validation_alias=validation))
            for field, (kind, alias, validation)
            in (_fields(source) or {}).items()}
        if issubclass(source, pydantic.RootModel):
            return pydantic.create_model(name, __base__=pydantic.RootModel,
                                         **fields)
        config = {one: value for one, value in
                  getattr(source, "model_config", {}).items()
                  if one in ("populate_by_name", "validate_by_name",
                             "validate_by_alias", "arbitrary_types_allowed")}
        return pydantic.create_model(
            name, __config__={**config, "protected_namespaces": ()}, **fields)

    def holder(self, kind: Any) -> Any:
        """A model whose root is of this type, after all classes are made."""
        while self.rest:
            source = self.rest.pop()
            self.made[self.names[source]] = self._class(source)
        last = self.pydantic.create_model(
            "Part", __base__=self.pydantic.RootModel, root=(kind, None))
        for one in (*self.made.values(), last):
            one.model_rebuild(_types_namespace=self.made)
        for source, name in self.names.items():
            self.made[name].__name__ = f"Partial{source.__name__}"
        return last
