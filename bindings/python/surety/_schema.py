# SPDX-License-Identifier: Apache-2.0
"""JSON Schema alone: a value of the program's own, and what is wrong with
it."""

import ctypes
import json
from ctypes import addressof, byref, c_void_p
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple

from . import _abi
from ._abi import Error
from ._errors import NoMemory, failure
from ._issues import NOWHERE, Issue, place_of
from ._library import (Bytes, buffer, encode, lib, limits_of, number_of,
                       str_of)
from ._values import Doc, dump

RESOLVE = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, _abi.Text,
                           ctypes.POINTER(_abi.Val))


class SchemaSettings:
    """surety_schema_options with what it points at. It and the documents must
    outlive the schema."""

    def __init__(self, dialect: Optional[str], assert_format: bool,
                 documents: Optional[Mapping[str, Any]],
                 limits: Optional[Dict[str, int]]) -> None:
        self.documents = documents or {}
        self.docs: Dict[str, Tuple[Doc, _abi.Val]] = {}
        self.error: Optional[BaseException] = None
        self.limits = limits_of(limits)
        self.limits_address = addressof(self.limits) if self.limits else None
        self.raw = _abi.SchemaOptions(
            size=ctypes.sizeof(_abi.SchemaOptions),
            dialect=number_of(_abi.DIALECTS, dialect or "default", "dialect"),
            assert_format=assert_format, limits=self.limits_address)
        if documents:
            self.function: Any = RESOLVE(self.resolve)
            self.raw.resolve = ctypes.cast(self.function, c_void_p)
        self.address = addressof(self.raw)

    def resolve(self, _: Any, uri: "_abi.Text", ret: Any) -> int:
        try:
            name = str(uri)
            if name not in self.docs:
                if name not in self.documents:
                    return _abi.END
                given = self.documents[name]
                text = encode(given) if isinstance(given, (str, bytes)) \
                    else dump(given)
                doc = Doc()
                self.docs[name] = doc, doc.read(text)
            ret[0] = self.docs[name][1]
            return _abi.OK
        except BaseException as error:
            self.error = error
            return -_abi.STATUSES.index("syntax")

    def raise_kept(self) -> None:
        """Of a callback, which cannot raise."""
        # A bound method in a C function that it holds itself is a cycle.
        self.function = None
        if self.error:
            raise self.error


class SchemaWarning(NamedTuple):
    """A member of a schema or contract that says nothing: a keyword that is
    misspelt, or that its draft does not know. location is its JSON Pointer; the
    position is of the text, None where a dict or a model was given."""
    location: str
    message: str
    hint: str
    line: Optional[int] = None
    column: Optional[int] = None
    offset: Optional[int] = None
    length: Optional[int] = None

    def __str__(self) -> str:
        place = f" (at {self.location})" if self.location else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.message}{place}{hint}"


def schema_warnings(schema: Any, is_text: bool) -> Tuple[SchemaWarning, ...]:
    """For the other modules: the warnings of a surety_schema. Of those that are
    counted only, the last one says how many they are."""
    made, info = [], lib.surety_schema_info_of(schema).contents
    for i in range(info.warning_count):
        one = info.warnings[i]
        with buffer() as out:
            lib.surety_val_pointer(one.key, out.ref)
            location = str(out)
        place = place_of(lib.surety_val_position(one.key)) if is_text \
            else NOWHERE
        made.append(SchemaWarning(location, str(one.message), str(one.hint),
                                  *place))
    if info.warnings_left:
        made.append(SchemaWarning("", f"{info.warnings_left} more members say "
                                  "nothing", ""))
    return tuple(made)


class Validation(NamedTuple):
    """What a schema says of a value. truncated: there are more errors than are
    listed. output: the output format "basic" of JSON Schema, as a dict."""
    valid: bool
    errors: Tuple[Issue, ...]
    truncated: bool
    output: Dict[str, Any]

    def __bool__(self) -> bool:
        return self.valid


class Schema:
    """A JSON Schema, of any draft from 4 on, read once; any number of threads
    may use it. schema: a dict, a bool or JSON text. assert_format: "format"
    fails. dialect, documents, limits: as for Contract."""

    def __init__(self, schema: Any, *, dialect: Optional[str] = None,
                 assert_format: bool = False,
                 documents: Optional[Mapping[str, Any]] = None,
                 limits: Optional[Dict[str, int]] = None) -> None:
        self._free = lib.surety_schema_free
        self.handle: Any = None
        settings = SchemaSettings(dialect, assert_format, documents, limits)
        is_text = isinstance(schema, (str, bytes, bytearray))
        text = encode(schema) if is_text else dump(schema)
        made, error = c_void_p(), Error()
        status = lib.surety_schema_read(str_of(text), settings.address,
                                        byref(made), byref(error))
        settings.raise_kept()
        if status:
            raise failure(status, error)
        self.handle = made.value
        self._settings = settings
        #: Its members that say nothing, such as misspelt keywords.
        self.warnings = schema_warnings(made, is_text)

    def __del__(self) -> None:
        if self.__dict__.get("handle"):
            self._free(self.handle)

    def validate(self, instance: Any) -> Validation:
        """What is wrong with a value of Python's."""
        said = self.validate_json(dump(instance))
        return said._replace(errors=tuple(
            error._replace(line=None, column=None, offset=None, length=None)
            for error in said.errors))

    def validate_json(self, text: Bytes) -> Validation:
        """What is wrong with a value in JSON; its errors have positions in the
        text. Raises Syntax where it is no JSON."""
        doc = Doc()
        root = doc.read(encode(text))
        with _Checker(self._settings.limits) as checker:
            return checker.run(self.handle, root)


class _Checker:
    def __init__(self, limits: Any) -> None:
        self.checker = lib.surety_checker_new(None, limits and byref(limits))
        self.findings = lib.surety_findings_new(None)
        if not self.checker or not self.findings:
            self.__exit__()
            raise NoMemory("out of memory")

    def __enter__(self) -> "_Checker":
        return self

    def __exit__(self, *_: object) -> None:
        lib.surety_findings_free(self.findings)
        lib.surety_checker_free(self.checker)

    def run(self, schema: Any, root: Any) -> Validation:
        valid, error = ctypes.c_bool(), Error()
        status = lib.surety_checker_check(self.checker, schema, root,
                                          byref(valid), byref(error))
        if not status and not valid.value:
            status = lib.surety_checker_report(
                self.checker, schema, root, self.findings, byref(error))
        if status:
            raise failure(status, error)
        findings = self.findings
        with buffer() as out:
            if lib.surety_findings_write(findings, valid.value, 1, out.ref):
                raise NoMemory("out of memory")
            output = json.loads(bytes(out))
        errors = [lib.surety_findings_at(findings, i)
                  for i in range(lib.surety_findings_count(findings))]
        return Validation(
            valid.value, tuple(map(_issue, errors)),
            bool(lib.surety_findings_truncated(findings)), output)


def _issue(finding: "_abi.Finding") -> Issue:
    place = NOWHERE
    if finding.instance.doc:
        place = place_of(lib.surety_val_position(finding.instance))
    return Issue(str(finding.keyword), str(finding.instance_location),
                 str(finding.keyword_location),
                 str(finding.absolute_keyword_location), str(finding.message),
                 str(finding.hint), *place)


def validate(schema: Any, instance: Any, **options: Any) -> Validation:
    """What a schema says of a value. Takes what Schema takes; who checks more
    than one value keeps a Schema."""
    return Schema(schema, **options).validate(instance)
