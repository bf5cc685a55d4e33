# SPDX-License-Identifier: Apache-2.0
"""What came of a reply. An outcome reads from the judge that made it when it is
asked: it owns that judge until it is gone, then the judge goes back to the
pool. So a check that only wants to know whether and what costs no more than
that, and everything else is there all the same."""

import json
from ctypes import byref, c_void_p
from typing import (TYPE_CHECKING, Any, Callable, Dict, Generic, List,
                    NoReturn, Optional, Tuple, TypeVar, Union, overload)

from . import _abi
from ._abi import Error, OutcomeInfo, Str
from ._errors import InvalidReply, NoMemory, SuretyError, failure
from ._issues import Issue, Repair, issue_of, repair_of
from ._library import buffer, lib, number_of, str_of
from ._validators import Question, Refused, pointer_of
from ._values import json_of, load

if TYPE_CHECKING:
    from typing_extensions import Literal

    from ._contract import Contract
    from ._validators import Asked

T = TypeVar("T")
S = TypeVar("S")


class Judge:
    """A surety_judge and what a call of it writes to."""

    __slots__ = ("handle", "error", "error_ref", "out", "out_ref", "text",
                 "home", "_free")
    alive = 0  # of all; near enough where threads make some at once

    def __init__(self, home: "List[Judge]",
                 limits: "Optional[_abi.Limits]") -> None:
        self._free = lib.surety_judge_free
        self.handle = None
        self.home = home
        Judge.alive += 1
        self.error = Error()
        self.error_ref = byref(self.error)
        self.out = c_void_p()
        self.out_ref = byref(self.out)
        self.text = Str()
        self.handle = lib.surety_judge_new(None, limits and byref(limits))
        if not self.handle:
            raise NoMemory("out of memory")

    def __del__(self) -> None:
        """The collector of cycles calls this before or after that of an outcome
        that it belongs to, which puts it back into the pool: there it may lie
        without a handle."""
        self.__class__.alive -= 1
        handle, self.handle = self.handle, None
        self._free(handle)


# Judges that nobody uses, with the default limits; a contract with limits of
# its own has judges of its own. append and pop are atomic.
judges: List[Judge] = []
JUDGES_MAX = 32
# A judge takes some 50 KB. Where so many outcomes are kept, further ones read
# all that they have at once and give theirs back.
ALIVE_MAX = 256


class lazy(Generic[S]):
    """An attribute that is made when it is asked for, and then kept."""

    def __init__(self, make: Callable[[Any], S]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, one: None, owner: Any) -> "lazy[S]": ...

    @overload
    def __get__(self, one: object, owner: Any) -> S: ...

    def __get__(self, one: Any, owner: Any = None) -> "Union[lazy[S], S]":
        if one is None:
            return self
        value = one.__dict__[self.name] = self.make(one)
        return value


class Outcome(Generic[T]):
    """What came of one reply. A bad reply is no exception; `parse` and `parsed`
    raise one."""

    # The reports of one that is detached.
    _texts: Optional[Dict[str, str]] = None
    # What the validators accepted, by its JSON, and the error of what they
    # refused.
    _typed: Dict[str, Any] = {}
    _cause: Optional[BaseException] = None

    def __init__(self, contract: "Contract[T]", raw: Any, pointer: int,
                 owner: object, again: Optional[Tuple[Any, Any]]) -> None:
        self.contract = contract
        #: The reply as it was given.
        self.raw = raw
        self._pointer = pointer
        self._owner = owner
        # The bytes that the judge read, which must live, and the options.
        self._again = again
        self.ok: bool = self._info.ok
        options = again[1] if again is not None else None
        asked = options.asked if options is not None else None
        if asked is not None:
            self.take(asked)

    def __del__(self, Judge: Any = Judge, most: int = JUDGES_MAX) -> None:
        owner: Any = self.__dict__.get("_owner")
        if owner.__class__ is Judge and owner.handle and \
                len(owner.home) < most:
            owner.home.append(owner)

    def take(self, asked: "Asked") -> None:
        """What the validators made of the values. They are not asked of a part
        of one: there the model's word counts."""
        self._typed, self._cause = asked.kept, asked.cause
        if not self.ok or self.value_json in asked.kept:
            return
        try:
            asked.kept[self.value_json] = asked.judges.typed(
                Question(self.value_json, self.candidate_json))
        except Refused as refused:
            if refused.cause is not None:  # its frames know this outcome
                refused.cause.__traceback__ = None
            self.ok, self._cause = False, refused.cause
            self.__dict__.update(stage="validation", errors=tuple(
                Issue("validator", pointer_of(one.path), "", "", one.message,
                      one.hint) for one in refused.problems))

    def __repr__(self) -> str:
        said = "ok" if self.ok else f"{self.stage}, {len(self.errors)} errors"
        return f"<Outcome of {self.contract.id}: {said}>"

    def __bool__(self) -> bool:
        return self.ok

    @property
    def _info(self) -> OutcomeInfo:
        info: OutcomeInfo = lib.surety_outcome_info_of(self._pointer).contents
        return info

    # -- the value ---------------------------------------------------------

    @lazy
    def value(self) -> Any:
        """The value to use: the valid one (defaults filled in and unknown
        members left out as the contract says), or the fallback's. None where
        there is none, or where it is null: see ok and fallback."""
        return load(self._info.value,
                    self.contract.decimals)

    @lazy
    def value_json(self) -> str:
        """The value as JSON, numbers as they were written; "": no value."""
        return json_of(self._info.value)

    @lazy
    def parsed(self) -> T:
        """The value, as an instance of the model where the contract was made
        from one. Raises InvalidReply where there is no valid value."""
        if not self.ok:
            self._raise()
        made: T = instance(self.contract, self, self._typed)
        return made

    def _raise(self) -> NoReturn:
        report = self.report("text").rstrip("\n")
        if self.partial:
            report = "\n".join([report, *map(str, self.errors)]).lstrip("\n")
        raise InvalidReply(report, self, self.errors) from self._cause

    @lazy
    def candidate(self) -> Any:
        """The value that the errors' instance locations point into, valid or
        not; None where nothing parsed."""
        return load(self._info.candidate,
                    self.contract.decimals)

    @lazy
    def candidate_json(self) -> str:
        """The same as JSON, numbers as written; "": nothing was parsed."""
        return json_of(self._info.candidate)

    @lazy
    def derived(self) -> Optional[Dict[str, Any]]:
        """The contract's derived members; None unless asked for."""
        made: Optional[Dict[str, Any]] = load(
            self._info.derived, self.contract.decimals)
        return made

    @lazy
    def fallback(self) -> bool:
        """Whether the value is the contract's fallback."""
        return bool(self._info.fallback)

    # -- what is wrong -----------------------------------------------------

    @lazy
    def stage(self) -> Optional[str]:
        """How far the reply got: "extraction", "json_parse" or "validation";
        None where it is valid."""
        stage = self._info.stage
        return _abi.STAGES[stage] if stage else None

    def _list(self, count: int, at: Any, make: Any) -> Tuple[Any, ...]:
        return tuple([make(at(self._pointer, i)) for i in range(count)])

    @lazy
    def errors(self) -> Tuple[Issue, ...]:
        """What is wrong, every failure."""
        return self._list(self._info.error_count,
                          lib.surety_outcome_error, issue_of)

    @lazy
    def warnings(self) -> Tuple[Issue, ...]:
        """What is worth saying and not wrong."""
        return self._list(self._info.warning_count,
                          lib.surety_outcome_warning, issue_of)

    @lazy
    def repairs(self) -> Tuple[Repair, ...]:
        """What was repaired."""
        return self._list(self._info.repaired_count,
                          lib.surety_outcome_repaired, repair_of)

    # -- where it was found ------------------------------------------------

    @lazy
    def place(self) -> Optional[str]:
        """The place of the candidate that the outcome is about:
        "whole", "fence", ...; None: there is none."""
        place = self._info.place
        return _abi.PLACES[place] if place else None

    @lazy
    def span(self) -> Optional[Tuple[int, int]]:
        """Its bytes in the reply, start and end."""
        if self.place is None:
            return None
        return self._info.start, self._info.end

    @lazy
    def partial(self) -> bool:
        """Whether the value is what there is of one that was cut off."""
        return bool(self._info.partial)

    @lazy
    def open(self) -> Optional[str]:
        """The JSON Pointer of the innermost value that was cut off; None unless
        the value is partial."""
        if not self.partial:
            return None
        return str(self._info.open)

    # -- reports -----------------------------------------------------------

    @overload
    def report(self) -> Dict[str, Any]: ...

    @overload
    def report(self, form: "Literal['dict']",
               source: str = "") -> Dict[str, Any]: ...

    @overload
    def report(self, form: "Literal['json', 'text', 'color', 'plain', "
               "'github', 'sarif']", source: str = "") -> str: ...

    def report(self, form: str = "dict",
               source: str = "") -> Union[Dict[str, Any], str]:
        """The report: "dict" (the contract surety/report), the same as "json";
        "text" as compilers write it, "color", "plain", "github" (workflow
        commands), "sarif" (a whole SARIF 2.1.0 document). source names the
        reply where that is shown."""
        if form == "dict":
            report: Dict[str, Any] = json.loads(self._report("json", source))
            return report
        text = self._report(form, source)
        return sarif(text) if form == "sarif" else text

    def _report(self, form: str, source: str) -> str:
        number = number_of(_abi.REPORTS, form, "the form of a report")
        if self._texts is not None:
            return self._texts[form]
        live = self.live()
        with buffer() as out:
            status = lib.surety_outcome_write(live.pointer, number,
                                              str_of(source), 0, out.ref)
            if status:
                raise failure(status, Error())
            return str(out)

    # -- as a thing by itself ----------------------------------------------

    def settle(self) -> None:
        """Reads all that there is but the reports, and gives the judge back.
        What else is asked for is found by judging the reply again."""
        for name in LAZY:
            getattr(self, name)
        owner, self._owner, self._pointer = self._owner, None, 0
        if isinstance(owner, Judge) and len(owner.home) < JUDGES_MAX:
            owner.home.append(owner)

    def detach(self, source: str = "") -> "Outcome[T]":
        """Makes a plain thing of it, without a tie to the library, as pickle
        does: its reports with the name source. What is sent after a failed
        reply cannot be made from it any more."""
        if self._texts is None:
            self._texts = {form: self._report(form, source)
                           for form in _abi.REPORTS}
            self.settle()
            self._again = None
        return self

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.detach().__dict__)
        for name in ("parsed", "_typed", "_cause"):
            state.pop(name, None)
        return state

    def live(self) -> "Outcome[T]":
        """For the other modules: this outcome, or the same with a judge."""
        if self._pointer:
            return self
        if self._again is None:
            raise SuretyError("the outcome is detached",
                              hint="make the prompt before detach()")
        contract: "Contract[T]" = self.contract
        return contract.judge(self.raw, *self._again, keep=True)

    @property
    def attached(self) -> bool:
        """For the other modules: whether live gives one."""
        return bool(self._pointer or self._again)

    @property
    def pointer(self) -> int:
        """For the other modules: the library's outcome."""
        return self._pointer


# What settle reads.
LAZY = tuple(name for name, one in vars(Outcome).items()
             if isinstance(one, lazy) and name != "parsed")


def instance(contract: Any, valid: Any, typed: Dict[str, Any]) -> Any:
    """What is valid, an outcome or a run's result, as an instance of its
    contract's model: what the model made of it when it was asked, or, of what
    was pickled, makes of it again."""
    if contract is None or contract.make is None:
        return valid.value
    if valid.value_json in typed:
        return typed[valid.value_json]
    return contract.make(valid.value_json)


def sarif(results: str) -> str:
    """A SARIF 2.1.0 document around results."""
    version = lib.surety_version().decode()
    return json.dumps({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "surety", "version": version}},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": True}],
            "results": json.loads(f"[{results}]"),
        }]}, ensure_ascii=False, separators=(",", ":"))
