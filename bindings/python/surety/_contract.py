# SPDX-License-Identifier: Apache-2.0
"""A contract: read once, used by any number of threads."""

import ctypes
import os
from ctypes import POINTER, addressof, byref, c_size_t, c_void_p
from typing import (Any, AsyncIterable, Callable, Dict, Generic, Iterable,
                    List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type,
                    TypeVar, Union, overload)

from . import _abi
from ._abi import MORE, Error, RegistryEntry, Str
from ._errors import NotFound, failure
from ._library import (Bytes, encode, lib, limits_of, number_of, str_of,
                       write)
from ._models import model_of
from ._outcome import ALIVE_MAX, Judge, Outcome, judges, lazy
from ._partial import Reader, reader_of
from ._schema import SchemaSettings, SchemaWarning, schema_warnings
from ._stream import Stream
from ._strict import Strict
from ._validators import Asked, Callback, Judges
from ._values import Doc, dump, load

T = TypeVar("T")
Extract = Union[str, Sequence[str], Mapping[str, Any]]
Validators = Union[None, Callable[[Any], Any], Sequence[Callable[[Any], Any]]]


def validators_of(given: Validators) -> Tuple[Callable[[Any], Any], ...]:
    return () if given is None else (given,) if callable(given) else \
        tuple(given)


class JudgeOptions:
    """surety_judge_options with what it points at."""

    def __init__(self, extract_base: int, *, repair: Optional[str] = None,
                 certain: bool = False, partial: bool = False,
                 derive: bool = False, fallback: bool = True,
                 extract: Optional[Extract] = None,
                 variables: Optional[Mapping[str, str]] = None,
                 native: Optional[Bytes] = None, cut: bool = False,
                 asked: Optional[Asked] = None) -> None:
        raw = self.raw = _abi.JudgeOptions(
            size=ctypes.sizeof(_abi.JudgeOptions), no_fallback=not fallback,
            derive=derive, certain_only=certain, partial=partial, cut=cut)
        self.kept: List[Any] = []
        if repair is not None:
            level = ctypes.c_int(number_of(_abi.REPAIRS, repair, "repair"))
            raw.repair = self.keep(level)
        if extract is not None:
            raw.extract = self.keep(extract_of(extract, extract_base))
        if variables:
            pairs = (_abi.Variable * len(variables))(*[
                _abi.Variable(str_of(name), str_of(value))
                for name, value in variables.items()])
            raw.variables = self.keep(pairs)
            raw.variables_count = len(variables)
        if native is not None:
            raw.native = str_of(native)
        #: The questions to the validators of one judgement.
        self.asked = asked
        if asked is not None:
            self.callback = Callback(asked)
            raw.validators = addressof(self.callback.raw)
            raw.validator_count = 1
        self.ref = byref(raw)

    def keep(self, thing: Any) -> int:
        self.kept.append(thing)
        return addressof(thing)


def extract_of(extract: Extract, base: Optional[int]) -> "_abi.Extract":
    """Where to look: the contract's, with what is given in its stead. The words
    are those of x-surety."""
    made = _abi.Extract()
    if base:
        ctypes.memmove(byref(made), base, ctypes.sizeof(made))
    made.size = ctypes.sizeof(_abi.Extract)
    if isinstance(extract, str):
        extract = [part.strip() for part in extract.split(",")]
    if not isinstance(extract, Mapping):
        extract = {"from": extract}
    for name, value in extract.items():
        if name == "from":
            _places(made, value)
        elif name == "pick":
            made.pick_last = bool(number_of(("first", "last"), value, "pick"))
        elif name == "marker":
            made.marker = str_of(value)
        elif name == "skip_reasoning":
            made.keep_reasoning = not value
        elif name == "forms":
            made.forms_off = (1 << len(_abi.FORMS)) - 1
            for form in value:
                made.forms_off &= ~(1 << number_of(_abi.FORMS, form, "a form"))
        else:
            raise ValueError(f"extract knows from, pick, marker, forms and "
                             f"skip_reasoning, not {name!r}")
    return made


def _places(made: "_abi.Extract", names: Sequence[str]) -> None:
    if len(set(names)) != len(names) or not names:
        raise ValueError("extract lists each place once, and at least one")
    places = [1 + number_of(_abi.PLACES[1:], name, "a place")
              for name in names]
    made.from_ = (ctypes.c_int * _abi.SURETY_PLACES)(*places)
    made.from_count = len(places)


class _Given(NamedTuple):
    """A contract's text and name; the name alone: it is to be looked up."""
    text: Optional[bytes]
    name: str
    model: Any


def _given(source: Any, name: str) -> _Given:
    if isinstance(source, (str, bytes, bytearray)):
        data = encode(source)
        if data.lstrip()[:1] == b"{" or data.strip() in (b"true", b"false"):
            return _Given(data, name, None)
        return _Given(None, os.fsdecode(bytes(data)), None)
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        if not os.path.isfile(path):
            raise NotFound(f"there is no file {os.fsdecode(path)}")
        return _Given(None, os.fsdecode(path), None)
    if isinstance(source, (Mapping, bool)):
        return _Given(dump(source), name, None)
    model = model_of(source)
    if model is None:
        raise TypeError("a contract is made from a name, a path, a dict, JSON "
                        "text, a dataclass, a Pydantic model or "
                        "pydantic.TypeAdapter(...), "
                        f"not {source!r}")
    return _Given(dump(model.schema), name or model.name, model)


def _registry(folders: Optional[Sequence[Any]], contract: Any) -> Any:
    """A registry; the caller frees it."""
    if folders is None:
        listed = os.environ.get("SURETY_CONTRACTS", "")
    else:
        listed = ":".join(os.fsdecode(one) for one in folders)
    made, error = c_void_p(), Error()
    status = lib.surety_registry_new(str_of(os.fsencode(listed)), contract,
                                     byref(made), byref(error))
    if status:
        raise failure(status, error)
    return made


class ContractEntry(NamedTuple):
    """One contract of a listing."""
    name: str
    version: str
    title: str
    source: str  # the file, or "built-in"
    deprecated: str  # what to use instead; empty where it is not
    alias_of: str
    error: str  # not empty: the file is there but no contract


def contracts(folders: Optional[Sequence[Any]] = None) -> List[ContractEntry]:
    """The contracts that there are: those in folders (where none are given, the
    folders of the environment variable SURETY_CONTRACTS), and the built-in
    ones."""
    registry, error = _registry(folders, None), Error()
    entries, count = POINTER(RegistryEntry)(), c_size_t()
    try:
        status = lib.surety_registry_list(registry, byref(entries),
                                          byref(count), byref(error))
        if status:
            raise failure(status, error)
        return [ContractEntry(*(str(getattr(entry, name)) for name in
                                ContractEntry._fields))
                for entry in entries[:count.value]]
    finally:
        lib.surety_registry_free(registry)


class Contract(Generic[T]):
    """A JSON Schema, with what "x-surety" in it says of how a reply is read.

    source: a name ("trend/analysis", "trend/analysis@1"), the path of a file,
    a dict, JSON text, a Pydantic model (1 or 2) or TypeAdapter. A str that
    begins as a JSON object does is JSON text; else it is a name or a path.
    folders: where names are looked for before the built-in contracts; without
    it, the folders of the environment variable SURETY_CONTRACTS.
    name: what a contract without a name is called.
    limits: members of surety_limits, such as {"text_bytes_max": 100_000}.
    decimals: numbers with a fraction or exponent become decimal.Decimal.
    dialect: of a schema that does not say ("7", "2019-09", ...).
    documents: schema documents by their URI, for references to them.
    validators: functions, coroutine functions too, that judge a value which
    satisfies the schema, and the model. Each gets the value (the model's
    instance) and returns None where it has nothing against it, else texts or
    Problems; or it raises ValueError or AssertionError. Every other exception
    is an error of the program and comes out."""

    @overload
    def __init__(self: "Contract[Any]",
                 source: "Union[str, bytes, os.PathLike[str], bool, "
                         "Mapping[str, Any]]", *,
                 name: str = ..., folders: Optional[Sequence[Any]] = ...,
                 limits: Optional[Dict[str, int]] = ...,
                 decimals: bool = ..., dialect: Optional[str] = ...,
                 documents: Optional[Mapping[str, Any]] = ...,
                 validators: Validators = ...) -> None: ...

    @overload
    def __init__(self: "Contract[T]", source: "Type[T]", *, name: str = ...,
                 folders: Optional[Sequence[Any]] = ...,
                 limits: Optional[Dict[str, int]] = ...,
                 decimals: bool = ..., dialect: Optional[str] = ...,
                 documents: Optional[Mapping[str, Any]] = ...,
                 validators: Validators = ...) -> None: ...

    @overload
    def __init__(self: "Contract[Any]", source: Any, *, name: str = ...,
                 folders: Optional[Sequence[Any]] = ...,
                 limits: Optional[Dict[str, int]] = ...,
                 decimals: bool = ..., dialect: Optional[str] = ...,
                 documents: Optional[Mapping[str, Any]] = ...,
                 validators: Validators = ...) -> None: ...

    def __init__(self, source: Any, *, name: str = "",
                 folders: Optional[Sequence[Any]] = None,
                 limits: Optional[Dict[str, int]] = None,
                 decimals: bool = False, dialect: Optional[str] = None,
                 documents: Optional[Mapping[str, Any]] = None,
                 validators: Validators = None) -> None:
        self._free = lib.surety_contract_free
        self.handle: Any = None
        self.decimals = decimals
        self._made_from = (source, {
            "name": name, "folders": folders, "limits": limits,
            "decimals": decimals, "dialect": dialect, "documents": documents,
            "validators": validators})
        given = _given(source, name)
        schema = SchemaSettings(dialect, True, documents, limits)
        options = _abi.ContractOptions(
            size=ctypes.sizeof(_abi.ContractOptions), name=str_of(given.name),
            schema=schema.address, limits=schema.limits_address)
        made, error = c_void_p(), Error()
        if given.text is not None:
            status = lib.surety_contract_read(
                str_of(given.text), byref(options), byref(made), byref(error))
        else:
            options.name = Str()
            registry = _registry(folders, addressof(options))
            try:
                status = lib.surety_registry_find(
                    registry, str_of(os.fsencode(given.name)), byref(made),
                    byref(error))
            finally:
                lib.surety_registry_free(registry)
        schema.raise_kept()
        if status:
            raise failure(status, error)
        self.handle = made.value
        self.info = lib.surety_contract_info_of(made).contents
        self._kept = schema
        self.limits = schema.limits
        self._judges: List[Judge] = [] if self.limits else judges
        #: The model that the contract was made from; None: from none.
        self.model = source if given.model else None
        self.make = given.model.make if given.model else None
        self.judges = Judges(self, validators_of(validators))
        self.name, self.version = str(self.info.name), str(self.info.version)
        #: Name and version joined by "@".
        self.id = str(self.info.id)
        #: What to use instead; empty where it is not deprecated.
        self.deprecated = str(self.info.deprecated)
        #: Its members that say nothing, such as misspelt keywords.
        self.warnings: Tuple[SchemaWarning, ...] = schema_warnings(
            self.info.schema, not isinstance(
                source, (Mapping, bool)) and given.model is None)

    def __del__(self) -> None:
        if self.__dict__.get("handle"):
            self._free(self.handle)

    def __repr__(self) -> str:
        return f"<Contract {self.id}>"

    def __reduce__(self) -> Any:
        return _again, (type(self), *self._made_from)

    @property
    def document(self) -> Any:
        """The contract's own document."""
        return load(self.info.root)

    @lazy
    def reader(self) -> Reader:
        """For the other modules: reads a part of the model's JSON."""
        return reader_of(self.model)

    # -- judging -----------------------------------------------------------

    def options(self, waits: bool = False,
                post: Optional[Callable[[Any], None]] = None,
                validators: Validators = None, **given: Any) -> JudgeOptions:
        """For the other modules: the options of check. waits, post: how
        questions to validators are answered (Asked)."""
        judges = self.judges
        if validators is not None:
            judges = Judges(self, judges.functions + validators_of(validators))
        asked = None
        if judges.make is not None or judges.functions:
            asked = Asked(judges, waits, post)
        return JudgeOptions(self.info.extract,
                            asked=asked, **given)

    def check(self, reply: Bytes, *, repair: Optional[str] = None,
              certain: bool = False, partial: bool = False,
              derive: bool = False, fallback: bool = True,
              extract: Optional[Extract] = None,
              variables: Optional[Mapping[str, str]] = None,
              native: Optional[Bytes] = None, cut: bool = False,
              validators: Validators = None) -> "Outcome[T]":
        """Judges a reply. A bad one is no exception: the outcome says what is
        wrong.

        repair: how much may be repaired, "none", "syntax" (text that
        is almost JSON) or "align" (and values that almost fit); the contract
        says where it is not given. certain: no repair that is a guess.
        partial: a reply that is cut off gives what is there. derive: compute
        the derived members. fallback=False: without the contract's fallback.
        extract: where to look, such as "fence,embedded", or a dict in the words
        of x-surety. variables: for ${name} in a fallback. native: what the
        provider's API delivered as structured output, as JSON text. cut: the
        provider says that it cut the reply off. validators: functions besides
        those of the contract."""
        try:
            data = reply.encode()  # type: ignore[union-attr]
        except (AttributeError, UnicodeEncodeError):
            data = encode(reply)
        options = None
        if (repair is not None or extract is not None or variables or certain
                or partial or derive or cut or not fallback
                or native is not None or validators is not None
                or self.make is not None or self.judges.functions):
            options = self.options(
                repair=repair, certain=certain, partial=partial, derive=derive,
                fallback=fallback, extract=extract, variables=variables,
                native=native, cut=cut, validators=validators)
        return self.judge(reply, data, options)

    async def check_async(self, reply: Bytes, **options: Any) -> "Outcome[T]":
        """The same where a validator is a coroutine function. Takes what check
        takes."""
        data, how = encode(reply), self.options(waits=True, **options)
        while True:
            outcome = self._judged(reply, data, how)
            if outcome is not None:
                return outcome
            assert how.asked is not None
            await how.asked.settle()

    def judge(self, reply: Bytes, data: bytes,
              options: Optional[JudgeOptions], keep: bool = False
              ) -> "Outcome[T]":
        """For check, and for an outcome that has given its judge back."""
        outcome = self._judged(reply, data, options, keep)
        assert outcome is not None
        return outcome

    def _judged(self, reply: Bytes, data: bytes,
                options: Optional[JudgeOptions], keep: bool = False
                ) -> "Optional[Outcome[T]]":
        """None: a validator is waited for."""
        try:
            judge = self._judges.pop()
            while not judge.handle:
                judge = self._judges.pop()
        except IndexError:
            judge = Judge(self._judges, self.limits)
        text = judge.text
        text.ptr = data
        text.len = len(data)
        status = lib.surety_judge_reply(
            judge.handle, self.handle, text, options and options.ref,
            judge.out_ref, judge.error_ref)
        text.ptr = None
        if status:
            self._judges.append(judge)
            if status == MORE:
                return None
            error = failure(status, judge.error)
            if options is not None and options.asked is not None:
                options.asked.raise_kept()
            raise error
        outcome = Outcome(self, reply, judge.out.value or 0, judge,
                          (data, options))
        if Judge.alive > ALIVE_MAX and not keep:
            outcome.settle()
        return outcome

    def parse(self, reply: Bytes, **options: Any) -> T:
        """The value of a reply, as an instance of the model where the contract
        was made from one. Takes what check takes. Raises InvalidReply, with the
        whole report and the outcome."""
        return self.check(reply, **options).parsed

    async def parse_async(self, reply: Bytes, **options: Any) -> T:
        """The same where a validator is a coroutine function."""
        return (await self.check_async(reply, **options)).parsed

    # -- streams -----------------------------------------------------------

    @overload
    def stream(self, chunks: None = None, *, native: bool = ...,
               **options: Any) -> "Stream[T]": ...

    @overload
    def stream(self, chunks: "Union[Iterable[Bytes], AsyncIterable[Bytes]]", *,
               native: bool = ..., **options: Any) -> "Stream[T]": ...

    def stream(self, chunks: Any = None, *, native: bool = False,
               **options: Any) -> "Stream[T]":
        """A reply that is still being written: see Stream. Takes what check
        takes; native=True: what comes is the structured value that the
        provider's API delivers."""
        return Stream(self, chunks, native, options)

    # -- prompts -----------------------------------------------------------

    def instructions(self, *, style: Optional[str] = None,
                     native: "Native" = False) -> str:
        """The format instructions alone: what to answer, where in the reply,
        and the schema. style: "json-schema", "typescript" or "example"; without
        it, what the contract says. native: the provider's API delivers the
        value, so do not say where it stands; what `strict` gives: its schema
        goes with the call, and only servers that compile it to a grammar do
        not show it to the model."""
        return write(lib.surety_prompt_write, self.handle, str_of(""),
                     byref(prompt_options(style, native))).decode()

    @overload
    def prompt(self, text: str, *, style: Optional[str] = ...,
               native: "Native" = ..., system: None = ...) -> str: ...

    @overload
    def prompt(self, text: str, *, style: Optional[str] = ...,
               native: "Native" = ..., system: str) -> Tuple[str, str]: ...

    def prompt(self, text: str, *, style: Optional[str] = None,
               native: "Native" = False, system: Optional[str] = None
               ) -> Union[str, Tuple[str, str]]:
        """The prompt with the format instructions behind it. With system they
        are behind that, and both are given: (system, prompt)."""
        options = prompt_options(style, native)
        made = write(lib.surety_prompt_write, self.handle,
                     str_of(text if system is None else system),
                     byref(options)).decode("utf-8", "replace")
        return made if system is None else (made, text)

    def prompt_again(self, text: str, outcome: "Outcome[Any]", *,
                     feedback: Optional[str] = None,
                     style: Optional[str] = None,
                     native: "Native" = False) -> str:
        """What to send after a reply that failed: the prompt with its
        instructions, then what was wrong. feedback: "errors", "simple" or
        "patch" (ask for a JSON Patch of the failing parts, which `patch` then
        applies); without it, what the contract says."""
        number = self.info.feedback \
            if feedback is None else \
            number_of(_abi.FEEDBACKS, feedback, "feedback")
        live = outcome.live()
        return write(lib.surety_prompt_again, self.handle, str_of(text), number,
                     live.pointer, str_of(outcome.raw),
                     byref(prompt_options(style, native))
                     ).decode("utf-8", "replace")

    def patch(self, outcome: "Outcome[Any]", reply: Bytes,
              **options: Any) -> "Outcome[T]":
        """Applies a model's reply to a prompt with feedback "patch" to the
        value of that outcome, and judges what comes of it. Raises Syntax where
        the reply holds no patch, or one that does not apply."""
        live = outcome.live()
        made = write(lib.surety_prompt_patch, live.pointer, str_of(reply))
        return self.check(made, **options)

    def example(self) -> Any:
        """A value that satisfies the contract: its own example, else one made
        from the schema. Raises Unsupported where none was found."""
        doc, error = Doc(), Error()
        status = lib.surety_prompt_example(self.handle, doc.handle,
                                           byref(error))
        if status:
            raise failure(status, error)
        return load(doc.root(), self.decimals)

    def strict(self, subset: str = "openai") -> "Strict":
        """The contract in the subset of JSON Schema that a provider's
        structured output takes: "openai", "anthropic", "gemini", "grammar"."""
        return Strict(self, subset)


Native = Union[bool, Strict]


def prompt_options(style: Optional[str],
                   native: Native) -> "_abi.PromptOptions":
    options = _abi.PromptOptions(
        size=ctypes.sizeof(_abi.PromptOptions), native=bool(native),
        style=number_of(_abi.PROMPT_STYLES, style or "contract", "style"))
    if isinstance(native, Strict) and native.schema is not None:
        options.schema = native.info.schema
        options.shown = native.subset != "grammar"
    return options


def _again(kind: Any, source: Any, options: Dict[str, Any]) -> Any:
    return kind(source, **options)
