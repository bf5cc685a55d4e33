# SPDX-License-Identifier: Apache-2.0
"""What is raised. A class a status of the library; each has all that the
library said: what is wrong, what to do about it, and where."""

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type

from . import _abi

if TYPE_CHECKING:
    from ._issues import Issue
    from ._outcome import Outcome
    from ._result import RunResult


class SuretyError(Exception):
    """The base of all. message is one sentence that says what is wrong, hint
    (may be empty) what to do. line and column count from 1, columns in code
    points; offset and length count bytes of UTF-8; all four are None where
    there is no position. source is the file or URI that the position is in,
    path a JSON Pointer in it; both may be empty."""

    status = ""

    def __init__(self, message: str, *, hint: str = "", source: str = "",
                 path: str = "", line: Optional[int] = None,
                 column: Optional[int] = None, offset: Optional[int] = None,
                 length: Optional[int] = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.source = source
        self.path = path
        self.line = line
        self.column = column
        self.offset = offset
        self.length = length

    def __str__(self) -> str:
        place = [part for part in (self.source, self.line, self.column) if part]
        text = ":".join(map(str, place))
        text = f"{text}: {self.message}" if text else self.message
        if self.path:
            text += f" (at {self.path})"
        return f"{text}; {self.hint}" if self.hint else text


class NoMemory(SuretyError, MemoryError):
    """The allocator said no."""
    status = "nomem"


class Limit(SuretyError):
    """A limit was reached (the keyword limits= of contracts and schemas)."""
    status = "limit"


class Misuse(SuretyError, ValueError):
    """A stated rule was broken; nothing was changed."""
    status = "misuse"


class Syntax(SuretyError, ValueError):
    """An input is not what it claims to be: a contract with a mistake, a
    configuration, a recording. line, column and path say where."""
    status = "syntax"


class Unsupported(SuretyError):
    """Understood, and deliberately not done."""
    status = "unsupported"


class Io(SuretyError, OSError):
    """A file or a process could not be used."""
    status = "io"


class Timeout(SuretyError):
    """A time limit passed."""
    status = "timeout"


class Cancelled(SuretyError):
    """The caller asked to stop."""
    status = "cancelled"


class NotFound(SuretyError, LookupError):
    """There is nothing of that name; the hint has the nearest ones."""
    status = "end"


class InvalidReply(SuretyError, ValueError):
    """A reply that does not satisfy its contract. outcome has all of it, errors
    what is wrong. Where the model says no, its error is __cause__. Its text
    is the whole report; line, path and hint are the first error's, and count in
    the reply."""
    status = "invalid"

    def __init__(self, message: str, outcome: "Optional[Outcome[Any]]" = None,
                 errors: "Tuple[Issue, ...]" = ()) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.errors = errors
        if errors:
            first = errors[0]
            self.hint, self.path = first.hint, first.instance_location
            self.line, self.column = first.line, first.column
            self.offset, self.length = first.offset, first.length

    @property
    def report(self) -> Dict[str, Any]:
        """The report (the contract surety/report) as a dict."""
        if self.outcome is None:
            return {}
        report = self.outcome.report()
        if report["ok"]:  # what the model refuses
            report.update(ok=False, stage="validation", value=None,
                          errors=[one.entry() for one in self.errors])
            report.pop("derived", None)
        return report

    def __str__(self) -> str:
        return self.message


class RunFailed(SuretyError):
    """A run that ended without a valid value. result has all of it: the
    verdict, every attempt with what was decided, what was spent."""
    status = "run"

    def __init__(self, message: str, hint: str = "",
                 result: "Optional[RunResult[Any]]" = None) -> None:
        super().__init__(message, hint=hint)
        self.result = result


CLASSES: Dict[str, Type[SuretyError]] = {
    one.status: one for one in (NoMemory, Limit, Misuse, Syntax, Unsupported,
                                Io, Timeout, Cancelled)}


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def failure(status: int, error: "_abi.Error") -> SuretyError:
    """The exception for a call that ended with status."""
    name = _abi.STATUSES[-status] if status < 0 else "end"
    position = error.position
    known = position.line > 0
    return CLASSES.get(name, NotFound)(
        text_of(error.message) or name, hint=text_of(error.hint),
        source=text_of(error.source), path=text_of(error.path),
        line=position.line if known else None,
        column=position.column if known else None,
        offset=position.offset if known else None,
        length=position.length if known else None)
