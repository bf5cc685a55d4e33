# SPDX-License-Identifier: Apache-2.0
"""Pydantic models as programs have them, for pydantic_test.py, under Pydantic 1
and 2.

    pydantic_models.py schemas  one line of JSON a model: schemas, valid values
    pydantic_models.py judge    lines {"model", "text"} in, what it says of each
"""

import datetime
import decimal
import enum
import ipaddress
import json
import sys
import uuid
from typing import (Any, Dict, FrozenSet, List, Literal, Optional, Set, Tuple,
                    Union)

import pydantic
from pydantic import AnyUrl, BaseModel, Field, PositiveInt

NEW = pydantic.VERSION.startswith("2")
if NEW:
    from pydantic import ConfigDict, model_validator

    def matching(pattern):
        return Field(..., pattern=pattern)

    def items(**bounds):
        return Field(..., **bounds)
else:
    def matching(pattern):
        return Field(..., regex=pattern)

    def items(**bounds):
        return Field(..., **{f"{name[:3]}_items": bound
                             for name, bound in bounds.items()})


def settings(**named):
    """The class that configures a model, in the words of this Pydantic."""
    if NEW:
        return {"model_config": ConfigDict(**named)}
    known = {"frozen": "allow_mutation", "extra": "extra",
             "json_schema_extra": "schema_extra",
             "str_strip_whitespace": "anystr_strip_whitespace"}
    return {"Config": type("Config", (), {
        known[name]: (not it if name == "frozen" else it)
        for name, it in named.items()})}


class Frozen(BaseModel):
    locals().update(settings(frozen=True))


# -- the seeds -----------------------------------------------------------------

class Finding(Frozen):
    id: str
    file: str
    line: str
    issue: str
    severity: Literal["critical", "major", "minor"]
    category: str
    fix_hint: Optional[str] = None


class FindingGroup(Frozen):
    description: str
    findings: List[Finding]


class GroupedReviewResult(Frozen):
    groups: List[FindingGroup]


class FixOutcome(Frozen):
    id: str
    outcome: Literal["fixed", "blocked", "deferred"]
    explanation: str


class FixOutcomes(BaseModel):
    outcomes: List[FixOutcome]


def needs_details(success, error_details):
    if not success and not error_details:
        raise ValueError("error_details must say what went wrong")


RULES = {"x-surety": {"name": "maverick/fixer-result", "rules": [{
    "id": "error-details", "at": "/error_details",
    "expr": ".success or ((.error_details // \"\") != \"\")",
    "message": "must say what went wrong when success is false"}]}}


class FixerResult(BaseModel):
    locals().update(settings(frozen=True, json_schema_extra=RULES))
    success: bool
    summary: str
    files_mentioned: List[str] = Field(default_factory=list)
    error_details: Optional[str] = None

    if NEW:
        @model_validator(mode="after")
        def check(self):
            needs_details(self.success, self.error_details)
            return self
    else:
        @pydantic.root_validator(skip_on_failure=True)
        def check(cls, its):
            needs_details(its["success"], its["error_details"])
            return its


class ReviewSeverity(str, enum.Enum):
    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"
    SUGGESTION = "suggestion"


class ReviewFinding(Frozen):
    severity: ReviewSeverity
    file: str
    line: Optional[int] = Field(None, ge=1)
    message: str = Field(..., min_length=10)
    suggestion: str = ""
    convention_ref: Optional[str] = None


class UsageStats(BaseModel):
    input_tokens: int = Field(..., ge=0)
    output_tokens: int = Field(..., ge=0)
    total_cost: Optional[float] = Field(None, ge=0)
    duration_ms: int = Field(..., ge=0)


class ReviewResult(BaseModel):
    success: bool
    findings: List[ReviewFinding] = Field(default_factory=list)
    files_reviewed: int = Field(..., ge=0)
    summary: str
    truncated: bool = False
    metadata: Dict[str, Any] = Field(default_factory=dict)
    errors: List[str] = []
    usage: Optional[UsageStats] = None


class FileChange(Frozen):
    file_path: str
    change_type: Literal["added", "modified", "deleted", "renamed"] = \
        "modified"
    lines_added: int = Field(0, ge=0)
    lines_removed: int = Field(0, ge=0)
    old_path: Optional[str] = None


class FixResult(BaseModel):
    success: bool
    issue_number: int = Field(..., ge=1, description="As on the tracker")
    issue_title: str
    files_changed: List[FileChange] = Field(default_factory=list)
    commit_sha: Optional[str] = None
    output: str = Field("", description="Deprecated: use fix_description")


class TaskStatus(str, enum.Enum):
    PENDING = "pending"
    COMPLETED = "completed"


class TaskResult(BaseModel):
    task_id: str = matching(r"T\d{3,}")
    status: TaskStatus
    files_changed: List[FileChange] = []
    duration_ms: int = Field(0, ge=0)


class ImplementationResult(BaseModel):
    success: bool
    tasks_completed: int = Field(..., ge=0)
    task_results: List[TaskResult] = []
    validation_passed: bool = True


class CensusData(BaseModel):
    success: bool
    data: List[List[Any]]
    variables: Optional[Dict[str, str]] = None


class AgentOutput(BaseModel):
    census_data: CensusData
    data_summary: str
    answer_text: str
    charts_needed: List[Dict[str, str]] = []
    footnotes: List[str] = []


# -- what else there is --------------------------------------------------------

class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float = Field(..., gt=0)


class Square(BaseModel):
    kind: Literal["square"]
    side: float = Field(..., gt=0)


class Drawing(BaseModel):
    shape: Union[Circle, Square] = Field(..., discriminator="kind")
    more: List[Union[Circle, Square]] = []


class Node(BaseModel):
    name: str = Field(..., min_length=1)
    children: List["Node"] = []


class Author(BaseModel):
    name: str
    books: List["Book"] = []


class Book(BaseModel):
    title: str = Field(..., max_length=20)
    author: Optional[Author] = None


class Dicts(BaseModel):
    counts: Dict[str, PositiveInt]
    by_number: Dict[int, str]
    by_level: Dict[ReviewSeverity, bool]
    nested: Dict[str, Dict[str, List[float]]] = {}


class Lists(BaseModel):
    pair: Tuple[str, int]
    row: Tuple[float, ...]
    some: List[int] = items(min_length=1, max_length=3)
    tags: Set[str] = set()
    ids: FrozenSet[int] = frozenset()


class Formats(BaseModel):
    at: datetime.datetime
    day: datetime.date
    time: datetime.time
    span: datetime.timedelta
    id: uuid.UUID
    url: AnyUrl
    v4: ipaddress.IPv4Address
    v6: ipaddress.IPv6Address


class Numbers(BaseModel):
    between: float = Field(..., gt=0, lt=1)
    step: float = Field(..., multiple_of=0.5)
    even: int = Field(..., multiple_of=2, ge=-10, le=10)
    positive: PositiveInt
    money: decimal.Decimal
    any: float


class Texts(BaseModel):
    code: str = matching(r"^T\d{3,}$")
    search: str = matching(r"[A-Z]\w+")
    range: str = Field(..., min_length=2, max_length=5)


class Stripped(BaseModel):
    locals().update(settings(str_strip_whitespace=True))
    name: str = Field(..., min_length=2)


class Forbid(BaseModel):
    locals().update(settings(extra="forbid"))
    a: str
    b: Optional[int] = None


class Allow(BaseModel):
    locals().update(settings(extra="allow"))
    a: str


class Alias(BaseModel):
    story: str = Field(..., alias="enhancedStory")
    from_: str = Field("x", alias="from")


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Enums(BaseModel):
    number: Number
    word: Literal["a", "B", "c d"]
    mixed: Literal["x", 1, None]
    level: ReviewSeverity = ReviewSeverity.MINOR


class Unions(BaseModel):
    id: Union[int, str]
    list: Union[str, List[str]]
    number: Union[bool, float]
    model: Union[FixOutcome, Finding, None] = None


class Absent(BaseModel):
    required: str
    nullable: Optional[str] = Field(...)
    optional: Optional[int] = None
    default: int = 5
    factory: List[str] = Field(default_factory=lambda: ["x"])
    any: Any = None


FINDING = {"id": "F001", "file": "a.c", "line": "12-14", "issue": "leaks",
           "severity": "major", "category": "memory", "fix_hint": "free it"}
REVIEW = {"severity": "minor", "file": "b.c", "line": 3, "message":
          "is never freed", "suggestion": "free it", "convention_ref": None}
CHANGE = {"file_path": "a.c", "change_type": "renamed", "lines_added": 3,
          "lines_removed": 0, "old_path": "b.c"}
VALID = [
    (GroupedReviewResult, {"groups": [{"description": "memory", "findings": [
        FINDING, {**FINDING, "fix_hint": None}]}]}),
    (FixOutcomes, {"outcomes": [{"id": "F001", "outcome": "fixed",
                                 "explanation": "freed"}]}),
    (FixerResult, {"success": True, "summary": "done", "files_mentioned":
                   ["a.c"], "error_details": None},
     {"success": False, "summary": "no", "error_details": "it broke"}),
    (ReviewResult, {"success": True, "findings": [REVIEW], "files_reviewed": 3,
                    "summary": "fine", "truncated": False, "metadata":
                    {"a": [1]}, "errors": ["e"], "usage": {
                        "input_tokens": 5, "output_tokens": 0, "total_cost":
                        0.25, "duration_ms": 12}}),
    (FixResult, {"success": True, "issue_number": 7, "issue_title": "t",
                 "files_changed": [CHANGE], "commit_sha": "ab", "output": ""}),
    (ImplementationResult, {"success": False, "tasks_completed": 1,
                            "task_results": [{"task_id": "T001", "status":
                                              "completed", "files_changed": [],
                                              "duration_ms": 5}]}),
    (AgentOutput, {"census_data": {
        "success": True, "data": [["NAME", "state"], ["California", "06"]],
        "variables": {"B01003_001E": "Total Population"}}, "data_summary": "s",
        "answer_text": "39,538,223", "charts_needed": [
            {"type": "bar", "title": "Population"}], "footnotes": ["Source."]}),
    (Drawing, {"shape": {"kind": "circle", "radius": 1.5}, "more": [
        {"kind": "square", "side": 2.0}]}),
    (Node, {"name": "root", "children": [{"name": "leaf"}, {
        "name": "inner", "children": [{"name": "deep", "children": []}]}]}),
    (Author, {"name": "Ada", "books": [{"title": "Notes", "author": {
        "name": "Bob"}}]}),
    (Dicts, {"counts": {"one": 1, "": 2, "é/~": 3}, "by_number": {"1": "a"},
             "by_level": {"major": True}, "nested": {"a": {"b": [1.5]}}}),
    (Lists, {"pair": ["a", 1], "row": [1.5, 2.0], "some": [1, 2], "tags":
             ["a"], "ids": [1]}),
    (Formats, {"at": "2024-05-01T12:30:00Z", "day": "2024-02-29",
               "time": "12:30:00Z", "span": "P1DT2H" if NEW else 97200,
               "id": "7f3b1c9e-2a54-4d38-9b6f-0c1d2e3f4a5b",
               "url": "https://example.org/a?b=c#d", "v4": "192.168.0.1",
               "v6": "2001:db8::1"}),
    (Numbers, {"between": 0.5, "step": 2.5, "even": 4, "positive": 7,
               "money": 19.99, "any": -0.25}),
    (Texts, {"code": "T001", "search": "Ada sees", "range": "abc"}),
    (Stripped, {"name": "Ada"}),
    (Forbid, {"a": "x", "b": 1}, {"a": ""}),
    (Allow, {"a": "x", "more": [1]}),
    (Alias, {"enhancedStory": "As a user", "from": "me"}),
    (Enums, {"number": 2, "word": "c d", "mixed": "x", "level": "major"},
     {"number": 1, "word": "a", "mixed": 1}),
    (Unions, {"id": 7, "list": ["a"], "number": 1.5, "model": {
        "id": "F1", "outcome": "fixed", "explanation": "e"}},
     {"id": "abc", "list": "a", "number": True, "model": FINDING}),
    (Absent, {"required": "a", "nullable": "b", "optional": 3, "default": 1,
              "factory": [], "any": 1}, {"required": "", "nullable": ""}),
]
TEXTS = {"Formats": """2024-02-29 2023-02-29 2024-13-01 2024-1-1 2024-05-01Z
24-05-01 2024/05/01 2024-05-01T24:00:00Z 2024-05-01T23:59:60Z
2024-05-01t12:30:00z 2024-05-01T12:30:00 2024-05-01T12:30Z
2024-05-01T12:30:00+02:00 2024-05-01T12:30:00+0200 2024-05-01T12:30:00.5Z
2024-05-01T12:30:00.123456789Z 1714566600 12:30 12:30:00.5 24:00:00 12:30:00Z
12:30:00+02:00 23:59:60 P1Y P P1W PT PT1.5S -P1D P1DT P3DT4H5M6S 3600 01:00:00
7F3B1C9E-2A54-4D38-9B6F-0C1D2E3F4A5B 7f3b1c9e2a544d389b6f0c1d2e3f4a5b
{7f3b1c9e-2a54-4d38-9b6f-0c1d2e3f4a5b} urn:isbn:1 http:// http://localhost/x
https://exämple.org/é http://[::1]/ http://a.b:99999/ example.org mailto:a@b.c
ftp://a/c 1.2.3.256 01.2.3.4 1.2.3 ::1 1::2::3 2001:DB8::1 fe80::1%eth0
::ffff:1.2.3.4 12345::""".split(),
         "Texts": """T123 T12 xT123 T1234x T١٢٣ ada éA A_ 🎉🎉🎉🎉🎉🎉
éé""".split(), "Numbers": ["1e-7", "1_000", "1,000", "0.50", "+4", "NaN",
                           "Infinity", "٤"]}
if NEW:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        n: int
        x: float
        b: bool
        s: str
        day: Optional[datetime.date] = None

    VALID.append((Strict, {"n": 1, "x": 1.5, "b": True, "s": "a"}))

# -- what the test asks --------------------------------------------------------

MODELS = {model.__name__: model for model, *_ in VALID}
if not NEW:
    for each in (Node, Author, Book):
        each.update_forward_refs()


def schemas():
    for model, *valid in VALID:
        if NEW:
            found = {"input": model.model_json_schema(),
                     "output": model.model_json_schema(mode="serialization")}
        else:
            found = {"input": json.loads(model.schema_json())}
        print(json.dumps({
            "model": model.__name__, "valid": without_null(valid),
            "schemas": found, "texts": TEXTS.get(model.__name__)}))


def without_null(value):
    """Pydantic 1 does not say in a schema that an optional may be null."""
    if isinstance(value, dict):
        return {k: without_null(v) for k, v in value.items()
                if NEW or v is not None}
    return list(map(without_null, value)) if isinstance(value, list) else value


def place(value, error):
    """Where it is in value: loc without what names a union's branch."""
    path = []
    loc = [key for key in error["loc"] if key != "__root__"]
    for index, key in enumerate(loc):
        last = index == len(loc) - 1
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and isinstance(key, int) and \
                key < len(value):
            value = value[key]
        elif not (last and error["type"] in ("missing",
                                             "value_error.missing")):
            continue
        path.append(str(key))
    return path


def judged(model, value, text, strict):
    try:
        if strict:
            it = model.model_validate_json(text, strict=True)
        else:
            it = (model.model_validate if NEW else model.parse_obj)(value)
    except pydantic.ValidationError as error:
        return {"ok": False, "errors": [[place(value, each), each["type"]]
                                        for each in error.errors()]}
    except Exception as error:  # some of Pydantic 1's own mistakes
        return {"ok": False, "errors": [[[], type(error).__name__]]}
    if NEW:
        return {"ok": True, "value": it.model_dump(mode="json",
                                                   by_alias=True)}
    return {"ok": True, "value": json.loads(it.json(by_alias=True))}


def judge():
    for line in sys.stdin:
        asked = json.loads(line)
        model, text = MODELS[asked["model"]], asked["text"]
        print(json.dumps(judged(model, json.loads(text), text,
                                asked.get("strict"))))


if __name__ == "__main__":
    if sys.argv[1] == "version":
        print(pydantic.VERSION)
    elif sys.argv[1] == "schemas":
        schemas()
    else:
        judge()
