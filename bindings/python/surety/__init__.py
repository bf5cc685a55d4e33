# SPDX-License-Identifier: Apache-2.0
"""Replies of language models, checked against their contracts; the Python side
of the library Surety, which it loads and does not copy.

    from surety import Contract

    contract = Contract({"type": "object", "required": ["answer"],
                         "properties": {"answer": {"type": "integer"}}})
    contract.parse('I think that it is {"answer": 42}.')["answer"]  # 42

README.md beside this package has more; docs/ of the project has everything."""

from ._answers import ModelAnswer, ToolCall
from ._config import Config, Mock, SuretyWarning
from ._contract import Contract, ContractEntry, contracts
from ._errors import (Cancelled, InvalidReply, Io, Limit, Misuse, NoMemory,
                      NotFound, RunFailed, SuretyError, Syntax, Timeout,
                      Unsupported)
from ._functions import FunctionModel, ModelCall
from ._issues import Issue, Repair
from ._items import RunItems, RunValue, RunValues, run_items, run_values
from ._library import VERSION as __version__
from ._library import lib as _lib
from ._outcome import Outcome
from ._result import Answer, Attempt, Ballot, Event, RunResult, ToolUse, Usage
from ._run import Backoff, Budget, Consensus, run, run_async
from ._schema import Schema, SchemaWarning, Validation, validate
from ._stream import Part, Stream
from ._strict import Strict, StrictNote
from ._text import Candidate, candidates, extract
from ._tools import Tool
from ._validators import Problem

#: The version of the library that is loaded.
engine_version: str = _lib.surety_version().decode()
#: Where it was found: a path, or the name that the system found.
engine_path: str = _lib.path

__all__ = [
    "Answer", "Attempt", "Backoff", "Ballot", "Budget", "Cancelled",
    "Candidate", "Config", "Consensus", "Contract", "ContractEntry", "Event",
    "FunctionModel", "InvalidReply", "Io", "Issue", "Limit", "Misuse", "Mock",
    "ModelAnswer", "ModelCall", "NoMemory", "NotFound", "Outcome", "Part",
    "Problem", "Repair", "RunFailed", "RunItems", "RunResult", "RunValue",
    "RunValues", "Schema", "Stream", "Strict", "StrictNote", "SuretyError",
    "SuretyWarning", "Syntax", "Timeout", "Tool", "ToolCall", "ToolUse",
    "Unsupported", "Usage", "Validation", "__version__", "candidates",
    "contracts", "extract", "engine_path", "engine_version", "run",
    "run_async", "run_items", "run_values", "validate",
]
