# SPDX-License-Identifier: Apache-2.0
"""What the type hints promise; test_package.py gives it to mypy. An ignored
error must be one: mypy refuses an ignore that is not needed."""

from typing import Any, Dict, Iterator, List, Optional, Tuple, Type

from surety import (Contract, FunctionModel, Issue, ModelAnswer, ModelCall,
                    Outcome, Part, RunItems, RunResult, Tool, ToolCall,
                    ToolUse, run, run_async, run_items, run_values)


class Inner:
    name: str


class Model:
    title: str
    inner: Inner


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
    parts: List[Part[Any]] = list(contract.stream(["x"]))
    pair: Tuple[str, str] = contract.prompt("x", system="y")
    single: str = contract.prompt("x")
    result: RunResult[Any] = run(contract, "x")
    print(span, text, report, parts, pair, single, result)
    return outcome.errors


def three(contract: Contract[Model]) -> Model:
    def double(number: int) -> int:
        return 2 * number

    result = run(contract, messages=[{"role": "user", "content": "x"}],
                 tools=[double, Tool(double, name="twice"), "tools.json"])
    messages: List[Dict[str, Any]] = result.messages
    uses: Tuple[ToolUse, ...] = result.tool_uses
    failure: Optional[str] = uses[0].failure
    print(messages, failure)
    made: Model = result.parsed
    return made


def four(contract: Contract[Model]) -> RunResult[Any]:
    def model(messages: List[Dict[str, Any]], call: ModelCall
              ) -> Iterator[ModelAnswer]:
        names: List[Dict[str, Any]] = call.tools
        yield ModelAnswer("x", tool_calls=[ToolCall("a", {"b": names})])

    return run(contract, models=[model, FunctionModel(model, name="m"), "a:b"])


async def rows(contract: Contract[Model]) -> None:
    for made in run_items(contract, "x", items="/rows", item=Model):
        model: Model = made
        wrong: int = made  # type: ignore[assignment]
        print(model, wrong)
    items: RunItems[Any] = run_items(contract, "x", items="/rows")
    for row in items:
        print(row)
    async for row in run_items(Model, "x", items="/rows"):
        print(row)
    result: Optional[RunResult[Any]] = items.result
    print(result)


async def values(contract: Contract[Model]) -> None:
    for part in contract.stream(["x"]):
        title: Optional[str] = part.get(lambda it: it.title)
        whole: str = part.get(lambda it: it.title)  # type: ignore[assignment]
        part.get(lambda it: str(it.nothing))  # type: ignore[attr-defined]
        print(title, whole)
    for value in run_values(contract, "x"):
        name: Optional[str] = value.get(lambda it: it.inner.name)
        other: Optional[int]
        other = value.get(lambda it: it.title)  # type: ignore[assignment]
        value.parsed = None  # type: ignore[misc]
        print(name, other, value.attempt)
    made = run_values(Model, "x", retries=1)
    async for value in made:
        value.get(lambda it: str(it.inner.no))  # type: ignore[attr-defined]
    result: Optional[RunResult[Model]] = made.result
    wrong: Optional[RunResult[Inner]]
    wrong = made.result  # type: ignore[assignment]
    print(result, wrong)


async def five(contract: Contract[Model]) -> None:
    """A run's value has the type that its contract was made from."""
    made: Model = run(Model, "x").parsed
    made = run(contract, "x", consensus="vote").parsed
    made = (await run_async(Model, "x")).parsed
    made = (await run_async(contract, "x")).parsed
    anything: RunResult[Any] = run({"type": "object"}, "x")
    anything = run(None, "x")
    anything = await run_async("trend/analysis", "x")
    print(made, anything)


async def wrong(contract: Contract[Model]) -> None:
    a: int = contract.check("x").parsed  # type: ignore[assignment]
    b: int = contract.parse("x")  # type: ignore[assignment]
    c: int = run(Model, "x").parsed  # type: ignore[assignment]
    d: int = run(contract, "x").parsed  # type: ignore[assignment]
    e = await run_async(Model, "x")
    f: int = e.parsed  # type: ignore[assignment]
    g = await run_async(contract, "x")
    h: int = g.parsed  # type: ignore[assignment]
    run(contract, "x").parsed.nothing  # type: ignore[attr-defined]
    print(a, b, c, d, f, h)
