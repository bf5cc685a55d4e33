# SPDX-License-Identifier: Apache-2.0
"""Functions of the program as models."""

import asyncio
import contextvars
import gc
import json
import os
import pickle
import tempfile
import threading
import time
import unittest
import weakref
from decimal import Decimal

import surety
from surety import (Contract, FunctionModel, ModelAnswer, ToolCall, run,
                    run_async)

SCHEMA = {"type": "object", "required": ["a"],
          "properties": {"a": {"type": "integer"}}}
GOOD = '{"a": 1}'
FOREVER = 600


class Functions(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(SCHEMA, name="test")

    def ask(self, models, prompt="x", contract=True, **settings):
        settings.setdefault("config", {})
        settings.setdefault("ledger", False)
        return run(self.contract if contract is True else contract, prompt,
                   models=models, **settings)

    def ask_async(self, models, **settings):
        return asyncio.run(run_async(self.contract, "x", models=models,
                                     config={}, ledger=False, **settings))

    def test_text(self):
        seen = []

        def model(messages):
            seen.append((messages, threading.current_thread()))
            return f"So {GOOD if len(seen) > 1 else '{}'}."

        result = self.ask(model, "Do it", system="Be brief.", messages=[
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi"}])
        self.assertEqual((result.verdict, result.value, len(seen)),
                         ("valid", {"a": 1}, 2))
        messages, thread = seen[0]
        self.assertEqual([one["role"] for one in messages],
                         ["system", "user", "assistant", "user"])
        self.assertEqual(messages[0]["content"], "Be brief.")
        self.assertIn("JSON Schema", messages[3]["content"])
        self.assertIn("is missing", json.dumps(seen[1][0]))
        self.assertIsNot(thread, threading.current_thread())
        first = result.attempts[0]
        self.assertEqual((first.model, first.provider, first.mode),
                         ("function:model", "function", "prompt"))
        self.assertFalse(first.answer.usage.known)

    def test_stream(self):
        """A reply that cannot become valid is stopped, and its generator
        closed."""
        events, calls, closed = [], [], threading.Event()

        def model(messages):
            calls.append(messages)
            if len(calls) == 2:
                yield from ('{"a"', None, ModelAnswer(': 1'), "}")
                return
            try:
                yield '{"a": "'
                while True:
                    yield "x"
            finally:
                closed.set()

        result = self.ask(model, on_event=events.append, stop="always")
        self.assertEqual((result.value, len(result.attempts)), ({"a": 1}, 2))
        self.assertEqual([one.text for one in events if one.kind == "text"
                          and one.attempt == 2], ['{"a"', ": 1", "}"])
        self.assertIsNotNone(result.attempts[0].stopped)
        self.assertTrue(closed.wait(60))

    def test_async(self):
        async def whole(messages):
            await asyncio.sleep(0)
            return GOOD

        async def stream(messages):
            for text in GOOD:
                await asyncio.sleep(0)
                yield text

        class Client:
            async def __call__(self, messages):
                return await whole(messages)

        for model in (whole, stream, Client(), lambda one: whole(one),
                      lambda one: stream(one), lambda one: GOOD,
                      FunctionModel(whole, name="w")):
            self.assertEqual(self.ask_async(model).value, {"a": 1}, model)
        for model in (whole, stream, lambda one: whole(one)):
            with self.assertRaises(surety.Misuse) as caught:
                self.ask(model)
            self.assertIn("run_async", str(caught.exception))
        gc.collect()

    def test_the_loop_goes_on(self):
        """A function that blocks has a thread, so that the loop does not."""
        seen = threading.Event()

        def model(messages):
            self.assertTrue(seen.wait(60))
            return GOOD

        async def both():
            job = asyncio.ensure_future(run_async(
                self.contract, "x", models=model, config={}, ledger=False))
            await asyncio.sleep(0.01)
            seen.set()
            return await job

        self.assertTrue(asyncio.run(both()).ok)

    def test_cancel(self):
        begun, ended = threading.Event(), []

        async def model(messages):
            begun.set()
            try:
                await asyncio.sleep(FOREVER)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise

        def sync(messages, call):
            begun.set()
            if call.cancelled.wait(60):
                ended.append("cancelled")
            return GOOD

        async def job(function):
            task = asyncio.ensure_future(run_async(
                self.contract, "x", models=function, config={}, ledger=False))
            while not begun.is_set():
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while not ended:
                await asyncio.sleep(0.01)

        for function in (model, sync):
            begun.clear()
            ended.clear()
            asyncio.run(asyncio.wait_for(job(function), 60))
            self.assertEqual(ended, ["cancelled"])

    def test_cancelled_by_an_event(self):
        def stop(event):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.ask(lambda messages: time.sleep(FOREVER), on_event=stop)

    def test_never_returns(self):
        def idle(messages):
            yield "{"
            time.sleep(FOREVER)

        async def idle_async(messages):
            yield "{"
            await asyncio.sleep(FOREVER)

        def never(messages):
            time.sleep(FOREVER)

        async def never_async(messages):
            await asyncio.sleep(FOREVER)

        for model, limit, said in (
                (never, "first_byte", "gave nothing within 50 ms"),
                (never_async, "first_byte", "gave nothing within 50 ms"),
                (idle, "idle", "gave nothing more within 50 ms"),
                (idle_async, "idle", "gave nothing more within 50 ms"),
                (never, "total", "did not end within 50 ms")):
            settings = {"timeouts": {limit: 0.05}, "retries": 0,
                        "backoff": {"retries": 0}}
            result = self.ask_async(model, **settings) \
                if "async" in model.__name__ else self.ask(model, **settings)
            answer = result.attempts[0].answer
            self.assertEqual((result.verdict, answer.failure),
                             ("provider", "timeout"), model)
            self.assertIn(said, answer.error_message)
        result = self.ask(never, budget={"seconds": 0.05})
        self.assertEqual(result.verdict, "budget")

    def test_raises(self):
        class Own(Exception):
            pass

        def wrong(messages):
            raise Own("a\nb \u00e9 " + "x" * 400)

        def later(messages):
            yield "{"
            raise Own("later")

        result = self.ask(wrong)
        answer = result.attempts[0].answer
        self.assertEqual((result.verdict, answer.failure,
                          len(result.attempts)), ("provider", "command", 1))
        self.assertTrue(answer.error_message.startswith("Own: a b \u00e9 xxx"))
        self.assertTrue(answer.error_message.endswith("x..."))
        with self.assertRaises(surety.RunFailed) as caught:
            result.parsed
        cause = caught.exception.__cause__
        self.assertIsInstance(cause, Own)
        self.assertEqual(cause.__traceback__.tb_frame.f_code.co_name, "wrong")
        self.assertIn("Own", caught.exception.message)
        self.assertIsNone(pickle.loads(pickle.dumps(result)).cause)
        answer = self.ask(later).attempts[0].answer
        self.assertEqual((answer.failure, answer.error_message),
                         ("command", "Own: later"))
        self.assertEqual(self.ask([wrong, lambda messages: GOOD]).value,
                         {"a": 1})
        for error, failure in ((TimeoutError("t"), "timeout"),
                               (asyncio.TimeoutError("t"), "timeout"),
                               (ConnectionRefusedError("c"), "connect"),
                               (ConnectionResetError("r"), "reset"),
                               (SystemExit(3), "command")):
            def model(messages, error=error):
                raise error

            answer = self.ask(model, backoff={"retries": 0}).attempts[0].answer
            self.assertEqual(answer.failure, failure)

    def test_status_of_a_client(self):
        """Clients' exceptions count as their providers' answers."""
        class Response:
            status_code = 429
            headers = {"retry-after-ms": "1", "x-request-id": "r1"}

        class RateLimit(Exception):
            status_code = 429
            response = Response
            body = {"message": "slow down", "code": "rate_limit_exceeded"}

        class Denied(Exception):
            response = Response

        calls = []

        def model(messages):
            calls.append(1)
            if len(calls) == 1:
                raise RateLimit("no")
            return GOOD

        result = self.ask(model, backoff={"first": 0.001})
        first, second = result.attempts
        self.assertEqual((first.answer.failure, first.answer.http_status,
                          first.answer.error_message, first.answer.request_id,
                          first.answer.retry_after_ms, second.purpose),
                         ("rate_limit", 429, "slow down", "r1", 1, "retry"))
        self.assertEqual(result.value, {"a": 1})

        def denied(messages):
            raise Denied("no entry")

        Response.status_code = 401
        answer = self.ask(denied).attempts[0].answer
        self.assertEqual((answer.failure, answer.error_code,
                          answer.error_message),
                         ("auth", "Denied", "no entry"))

    def test_wrong_answers(self):
        for given, said in ((None, "gave None"), (7, "gave 7"),
                            ([7], "gave 7"), ({"txt": "x"}, "txt"),
                            (ModelAnswer("x", usage={"in": 1}),
                             "no input_tokens"),
                            (ModelAnswer(tool_calls=[{"x": 1}]), "ToolCall"),
                            (ModelAnswer(object()), "JSON has no object")):
            answer = self.ask(lambda _, given=given: given).attempts[0].answer
            self.assertEqual(answer.failure, "command", given)
            self.assertIn(said, answer.error_message)
        for given, failure in (("", "empty"),
                               (ModelAnswer(refusal="no"), "refusal"),
                               (ModelAnswer("{", finish_reason="length"),
                                "length"), ({"choices": 7}, "protocol"),
                               ({"choices": []}, "empty")):
            answer = self.ask(lambda _, given=given: given, retries=0,
                              backoff={"retries": 0}).attempts[0].answer
            self.assertEqual(answer.failure, failure, given)
        config = surety.Config({"providers": {}})
        with self.assertRaises(TypeError):
            self.ask([7], config=config)
        for wrong in ({"mode": "x"}, {"price": {"in": 1}},
                      {"price": {"input": -1}}):
            with self.assertRaises(ValueError):
                FunctionModel(str, **wrong)
        with self.assertRaises(TypeError):
            FunctionModel("openai:m")

    def test_limit(self):
        def model(messages):
            while True:
                yield "a" * (1 << 20)

        answer = self.ask(model, contract=None,
                          backoff={"retries": 0}).attempts[0].answer
        self.assertEqual(answer.failure, "limit")

    def test_what_a_client_gives(self):
        """Chat Completions, and any object with the members."""
        class Chunk:
            def __init__(self, **members):
                self.__dict__.update(members)
                self.members = members

            def model_dump(self, mode, by_alias):
                return self.members

        whole = {"id": "r1", "choices": [{"index": 0, "message": {
            "role": "assistant", "content": GOOD}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
        stream = [Chunk(choices=[{"index": 0, "delta": {"content": text}}])
                  for text in GOOD]
        stream.append(Chunk(choices=[{"index": 0, "delta": {},
                                      "finish_reason": "stop"}]))
        stream.append(Chunk(choices=[], usage=whole["usage"]))
        own = ModelAnswer(GOOD, usage={"input_tokens": 3, "output_tokens": 4})
        known = surety.Usage(True, 3, 0, 4, 0)
        for given in (whole, Chunk(**whole), stream, own, own._asdict(), [own],
                      Chunk(text=GOOD, usage=Chunk(
                          input_tokens=3, output_tokens=4)),
                      own._replace(usage=known)):
            result = self.ask(lambda messages, given=given: given)
            self.assertEqual((result.value, result.usage), ({"a": 1}, known),
                             given)
        result = self.ask(lambda messages: own._replace(usage={
            **own.usage, "cached_input_tokens": 2, "reasoning_tokens": 1}))
        self.assertEqual(result.usage, surety.Usage(True, 3, 2, 4, 1))

    def test_call(self):
        """A function with two parameters has schema and tools apart."""
        seen = []

        def add(a: int, b: int) -> int:
            return a + b

        def model(messages, call):
            seen.append(call)
            if messages[-1]["role"] != "tool":
                return ModelAnswer("", [ToolCall("add", {"a": 1, "b": 2}),
                                        ToolCall("add", '{"a": 3, "b": 4}',
                                                 "mine")])
            return GOOD

        adder = surety.Tool(add, parameters={
            "type": "object", "required": ["a", "b"], "properties": {
                "a": {"type": "integer"}, "b": {"type": "integer"}}})
        result = self.ask(model, tools=[adder], temperature=0.5,
                          output_tokens_max=70,
                          timeouts={"total": 50}, whole=True)
        self.assertEqual((result.value, result.attempts[0].mode),
                         ({"a": 1}, "native"))
        self.assertEqual([(use.name, use.call, use.result)
                          for use in result.tool_uses],
                         [("add", "call_1_1", "3"), ("add", "mine", "7")])
        call = seen[0]
        self.assertEqual(call.tools[0]["function"]["name"], "add")
        self.assertEqual(call.schema["properties"], SCHEMA["properties"])
        self.assertEqual((call.temperature, call.output_tokens_max,
                          call.stream, call.seconds),
                         (0.5, 70, False, 50))
        self.assertEqual(call.body["messages"], call.messages)
        self.assertFalse(call.cancelled.is_set())
        self.assertEqual(seen[1].messages[-1], {
            "role": "tool", "tool_call_id": "mine", "content": "7"})
        # Streamed, and with one parameter: then the prompt has the tools.
        result = self.ask(lambda messages, call: [model(messages, call)],
                          tools=[adder])
        self.assertEqual((result.value, len(result.tool_uses)), ({"a": 1}, 2))
        texts = []

        def talk(messages):
            texts.append(messages[-1]["content"])
            return GOOD

        self.assertTrue(self.ask(talk, tools=[adder]).ok)
        self.assertIn("add", texts[0])
        called = FunctionModel(lambda messages, call: ModelAnswer(
            tool_calls=[ToolCall(call.tools[0]["function"]["name"],
                                 {"a": 1})]), mode="tool")
        result = self.ask(called)
        self.assertEqual((result.value, result.attempts[0].mode),
                         ({"a": 1}, "tool"))

    def test_reasoning(self):
        events = []
        self.ask(lambda messages: iter([ModelAnswer(reasoning="Well"), GOOD]),
                 on_event=events.append)
        self.assertEqual([one.text for one in events
                          if one.kind == "reasoning"], ["Well"])

    def test_price_and_budget(self):
        model = FunctionModel(lambda messages: ModelAnswer(
            "no", usage={"input_tokens": 1000, "output_tokens": 10}),
            name="m", price={"input": 2, "output": 100})
        result = self.ask(model, retries=9, budget={"calls": 2})
        self.assertEqual((result.verdict, len(result.attempts), result.cost),
                         ("budget", 2, Decimal("0.006")))
        self.assertEqual(self.ask(model, retries=9, budget={
            "dollars": "0.001"}).verdict, "budget")
        with self.assertRaises(surety.Misuse):
            self.ask(lambda messages: GOOD, budget={"dollars": 1})

    def test_ledger_and_recording(self):
        calls = []

        def model(messages):
            calls.append(1)
            yield from ('{"a": ', "1}" if len(calls) > 1 else '"x"}')

        with tempfile.TemporaryDirectory() as folder:
            ledger = os.path.join(folder, "ledger.db")
            recording = os.path.join(folder, "r.jsonl")
            first = self.ask(model, ledger=ledger, record=recording)
            self.assertEqual((first.value, len(calls)), ({"a": 1}, 2))
            with open(ledger, "rb") as file:
                self.assertIn(b"function:model", file.read())
            again = self.ask(model, replay=recording)
            self.assertEqual((again.value, len(calls)), ({"a": 1}, 2))
            self.assertEqual([one.decision for one in again.attempts],
                             [one.decision for one in first.attempts])
            other = self.ask("replay:" + recording)
            self.assertEqual(other.value, {"a": 1})
            full = self.ask(lambda messages: GOOD, record="/dev/full")
            self.assertIsInstance(full.recording_error, surety.Io)
            self.assertTrue(full.ok)

    def test_consensus(self):
        """Side by side, and with names of their own."""
        together = threading.Barrier(3, timeout=60)

        def model(number):
            def inner(messages):
                together.wait()
                return json.dumps({"a": number})
            return inner

        result = self.ask([model(1), model(2), model(2)],
                          consensus="vote")
        self.assertEqual(result.value, {"a": 2})
        self.assertEqual([one.attempts[0].model for one in result.members],
                         ["function:inner", "function:inner-2",
                          "function:inner-3"])
        result = self.ask([lambda messages: GOOD,
                           lambda messages: '{"a": 3}'],
                          consensus={"kind": "aggregate", "aggregator":
                                     lambda messages: '{"a": 9}'})
        self.assertEqual(result.value, {"a": 9})

    def test_beside_others(self):
        """With a server's model, in one configuration, run after run."""
        with surety.Mock({"replies": [{"json": {"a": "x"}}],
                          "then": "repeat"}) as mock, \
                surety.Config(mock.config()) as config:
            for _ in range(3):
                result = run(self.contract, "x", config=config, retries=0,
                             models=["mock:m", lambda messages: GOOD],
                             ledger=False)
                self.assertEqual(result.value, {"a": 1})

    def test_context(self):
        name = contextvars.ContextVar("name", default="")
        name.set("outer")
        for ask in (self.ask, self.ask_async):
            seen = []
            ask(lambda messages: seen.append(name.get()) or GOOD)
            self.assertEqual(seen, ["outer"])

    def test_many_threads(self):
        wrong = []

        def work(number):
            for _ in range(20):
                value = self.ask(lambda messages: json.dumps({"a": number})
                                 ).value
                if value != {"a": number}:
                    wrong.append(value)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_nothing_stays(self):
        """A run's transport and functions are gone with it."""
        class Model:
            def __call__(self, messages):
                return GOOD

        model = Model()
        gone = weakref.ref(model)
        self.ask(model)
        del model
        deadline = time.monotonic() + 60
        while gone() is not None and time.monotonic() < deadline:
            gc.collect()  # its thread may still be ending
        self.assertIsNone(gone())


if __name__ == "__main__":
    unittest.main()
