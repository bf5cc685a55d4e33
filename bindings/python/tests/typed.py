# SPDX-License-Identifier: Apache-2.0
"""What the type hints promise; test_package.py gives it to mypy."""

from typing import Any, Dict, List, Optional, Tuple, Type

from surety import Contract, Issue, Outcome, Part, RunResult, run


class Model:
    pass


def one(kind: Type[Model]) -> Model:
    contract: Contract[Model] = Contract(kind)
    outcome: Outcome[Model] = contract.check("x", repair="align")
    made: Model = outcome.parsed
    return contract.parse("x") if outcome.ok else made


def two(contract: Contract[Any]) -> Tuple[Issue, ...]:
    outcome = contract.check(b"x", variables={"a": "b"})
    span: Optional[Tuple[int, int]] = outcome.span
    text: str = outcome.report("text")
    report: Dict[str, Any] = outcome.report()
    parts: List[Part] = list(contract.stream(["x"]))
    pair: Tuple[str, str] = contract.prompt("x", system="y")
    single: str = contract.prompt("x")
    result: RunResult[Any] = run(contract, "x")
    print(span, text, report, parts, pair, single, result)
    return outcome.errors
