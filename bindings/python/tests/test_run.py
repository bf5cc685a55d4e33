# SPDX-License-Identifier: Apache-2.0
"""Runs: over HTTP against the mock, from recordings, cancelled."""

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from decimal import Decimal

import surety
from surety import Budget, Contract, Mock, run, run_async

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                    "..")
SCHEMA = {"type": "object", "required": ["a"],
          "properties": {"a": {"type": "integer"}}}
BAD_THEN_GOOD = {"replies": [{"json": {"a": "x"}}, {"json": {"a": 1}}]}
SLOW = {"replies": [{"text": "x", "delay_ms": 60000, "repeat": True}]}


class Runs(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(SCHEMA, name="test")

    def test_limits_of_the_configuration(self):
        deep, config = "exec:echo '{\"a\": [[1]]}'", {"limits":
                                                      {"depth_max": 2}}
        for limits, ok in ((None, False), ({"values_max": 100}, False),
                           ({"depth_max": 9}, True)):
            contract = Contract({"type": "object"}, name="t", limits=limits)
            result = run(contract, "x", models=deep, config=config,
                         retries=0, ledger=False)
            self.assertEqual(result.ok, ok, limits)
        self.assertTrue(run(Contract({"type": "object"}, name="t"), "x",
                            models=deep, config={}, ledger=False).ok)

    def test_valid_after_a_re_ask(self):
        events = []
        with Mock(BAD_THEN_GOOD) as mock:
            result = run(self.contract, "Do it.", models=["mock:m"],
                         config=mock.config(), system="Be brief.",
                         on_event=events.append)
            self.assertEqual(mock.served, 2)
        self.assertTrue(result.ok and bool(result))
        self.assertEqual((result.verdict, result.value, result.parsed,
                          result.message, result.hint),
                         ("valid", {"a": 1}, {"a": 1}, "", ""))
        first, second = result.attempts
        self.assertEqual((first.purpose, first.ok, first.stage, first.model,
                          first.mode), ("ask", False, "validation", "mock:m",
                                        "native"))
        self.assertEqual(first.report["errors"][0]["keyword"], "type")
        self.assertIn("re-ask 1", first.decision)
        self.assertEqual((second.purpose, second.ok, second.stage),
                         ("re-ask", True, None))
        self.assertEqual(second.answer.http_status, 200)
        self.assertIsNone(second.answer.failure)
        self.assertIn("must be an integer", second.prompt)
        self.assertEqual(json.loads(result.reply_first), {"a": "x"})
        self.assertEqual(json.loads(result.reply_last), {"a": 1})
        # The first call is stopped where its end had not come yet; then its
        # usage is an estimate.
        self.assertTrue(second.answer.usage.known)
        self.assertEqual(result.usage.output_tokens, sum(
            one.answer.usage.output_tokens for one in result.attempts))
        self.assertIsNone(result.cost)
        self.assertEqual(len(result.id), 36)
        self.assertIn("attempt 2: re-ask", result.log)
        self.assertEqual([one.kind for one in events if one.attempt == 2][0],
                         "attempt")
        self.assertEqual("".join(one.text for one in events
                                 if one.kind == "text"
                                 and one.attempt == 2), '{"a":1}')
        report = result.report()
        self.assertEqual(report["verdict"], "valid")
        self.assertTrue(Contract("surety/report").check(
            result.report("json")).ok)
        for form in ("text", "color", "plain", "github", "sarif"):
            self.assertIsInstance(result.report(form), str)
        copy = pickle.loads(pickle.dumps(result))
        self.assertEqual(copy.report(), report)

    def test_words(self):
        """Templates, whose values are not read again."""
        result = run(self.contract, "${schema}?", models="exec:echo '{}'",
                     retries=1, ledger=False, instructions="<${prompt}>",
                     reask="Wrong: ${reply}")
        self.assertEqual(result.attempts[0].prompt, "<${schema}?>")
        self.assertEqual(result.attempts[1].prompt,
                         "<${schema}?>\n\nWrong: =====\n{}\n=====")
        with self.assertRaises(surety.Syntax):
            run(self.contract, "x", models="exec:echo '{}'", ledger=False,
                system_template="${errors}")

    def test_examples_of_a_run(self):
        """They are turns before the prompt, and not of the result."""
        seen = []

        def model(messages):
            seen.append([(one["role"], one["content"]) for one in messages])
            return '{"a": 1}'

        for examples in ([("One?", {"a": 1})],
                         [{"input": "One?", "output": {"a": 1}}]):
            result = run(self.contract, "Two?", models=model, ledger=False,
                         instructions="none", examples=examples)
            self.assertEqual(seen.pop(), [
                ("user", "One?"), ("assistant", '{"a":1}'), ("user", "Two?")])
            self.assertEqual(len(result.messages), 2)
        with self.assertRaises(surety.Syntax):
            run(self.contract, "x", models=model, ledger=False,
                examples=[("One?", {"a": "one"})])
        for wrong in ([7], [(1, 2)], [("a",)]):
            with self.assertRaises((TypeError, ValueError)):
                run(self.contract, "x", models=model, examples=wrong)

    def test_rejected(self):
        with Mock({"replies": [{"json": {"a": "x"}}],
                   "then": "repeat"}) as mock:
            result = run(self.contract, "x", models="mock:m", retries=1,
                         config=mock.config())
            none = run(self.contract, "x", models="mock:m", retries=0,
                       config=mock.config())
        self.assertEqual((len(result.attempts), len(none.attempts)), (2, 1))
        self.assertEqual((result.verdict, result.value), ("rejected", None))
        self.assertEqual(result.outcome.errors[0].instance_location, "/a")
        with self.assertRaises(surety.RunFailed) as caught:
            result.parsed
        self.assertIs(caught.exception.result, result)
        self.assertIsInstance(caught.exception.__cause__,
                              surety.InvalidReply)
        self.assertIn("error[type]", result.report("text"))

    def test_without_contract(self):
        result = run(None, "x", models="exec:printf 'a b'")
        self.assertEqual((result.verdict, result.value, result.outcome),
                         ("valid", "a b", None))

    def test_provider_fails(self):
        config = {"providers": {"gone": {
            "base_url": "http://127.0.0.1:9/v1"}}}
        result = run(self.contract, "x", models="gone:m", config=config,
                     backoff={"retries": 1, "first": 0.01})
        self.assertEqual(result.verdict, "provider")
        self.assertEqual(result.attempts[-1].answer.failure, "connect")
        self.assertEqual(len(result.attempts), 2)
        with Mock(BAD_THEN_GOOD) as mock:
            config["providers"].update(mock.config()["providers"])
            result = run(self.contract, "x", models=["gone:m", "mock:m"],
                         config=config, backoff={"retries": 0})
        self.assertEqual(result.value, {"a": 1})

    def test_budget_and_cost(self):
        config = {"models": {"m": {
            "provider": "mock", "model": "m",
            "price": {"input": 1000000, "output": 0}}}}
        with Mock({"replies": [{"json": {"a": "x"}}],
                   "then": "repeat"}) as mock:
            config["providers"] = mock.config()["providers"]
            result = run(self.contract, "x", models="m", config=config,
                         budget=Budget(calls=2), retries=9)
            self.assertEqual((result.verdict, len(result.attempts)),
                             ("budget", 2))
            self.assertEqual(result.cost,
                             Decimal(result.usage.input_tokens))
            result = run(self.contract, "x", models="m", config=config,
                         budget={"dollars": "0.000001"}, retries=9)
            self.assertEqual(result.verdict, "budget")
            for wrong in ({"calls": 0}, {"cents": 1}, {"seconds": -1},
                          {"dollars": "inf"}):
                with self.assertRaises(ValueError):
                    run(self.contract, "x", models="m", config=config,
                        budget=wrong)

    def test_ledger_and_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            recording = os.path.join(folder, "r.jsonl")
            ledger = os.path.join(folder, "ledger.db")
            with Mock(BAD_THEN_GOOD) as mock:
                config = mock.config()
                first = run(self.contract, "x", models="mock:m",
                            config=config, record=recording, ledger=ledger)
            self.assertTrue(os.path.getsize(ledger) > 0)
            again = run(self.contract, "x", models="mock:m", config=config,
                        replay=recording)
            self.assertEqual(again.value, first.value)
            self.assertEqual([one.decision for one in again.attempts],
                             [one.decision for one in first.attempts])
            third = run(self.contract, "x", models="replay:" + recording)
            self.assertEqual(third.value, first.value)
            with open(recording, "rb") as file:
                fourth = run(self.contract, "x", models="mock:m",
                             config=config, replay=file.read())
            self.assertEqual(fourth.value, first.value)
            self.assertIsNone(fourth.recording_error)
            with Mock(BAD_THEN_GOOD) as mock:
                full = run(self.contract, "x", models="mock:m",
                           config=mock.config(), record="/dev/full")
            self.assertEqual((full.verdict, full.value),
                             ("valid", first.value))
            self.assertIsInstance(full.recording_error, surety.Io)
            with self.assertRaises(surety.Io):
                run(self.contract, "x", models="replay:" + recording,
                    ledger="/dev/null/ledger.db")
        with self.assertRaises(surety.Io):
            run(self.contract, "x", models="mock:m", replay="/nonexistent")
        with self.assertRaises(surety.Syntax):
            run(self.contract, "x", models="mock:m", replay='{"x"')

    def test_examples(self):
        """The recordings that the project has."""
        recording = os.path.join(ROOT, "examples", "recordings",
                                 "analysis.jsonl")
        result = run(Contract("simple/analysis"), "x",
                     models="replay:" + recording)
        self.assertIn(result.verdict, ("valid", "rejected"))
        self.assertTrue(result.attempts[0].report)

    def test_tool(self):
        """Against `surety mock`, a process of its own."""
        tool = os.environ.get("SURETY")
        if not tool:
            self.skipTest("SURETY does not name the tool")
        mock = subprocess.Popen(
            [tool, "mock", "--reply", '{"a": 1}', "--for", "60"],
            stdout=subprocess.PIPE, text=True)
        try:
            url = mock.stdout.readline().split()[-1]
            config = {"providers": {"mock": {"base_url": url + "/v1"}}}
            result = run(self.contract, "x", models="mock:m", config=config)
            self.assertEqual(result.value, {"a": 1})
        finally:
            mock.terminate()
            mock.wait(20)
            mock.stdout.close()

    def test_consensus(self):
        script = {"replies": [
            {"json": {"a": 1}, "when": {"model": "m"}},
            {"json": {"a": 2}, "when": {"model": "n"}},
            {"json": {"a": 2}, "when": {"model": "o"}}], "then": "repeat"}
        events = []
        with Mock(script) as mock:
            result = run(self.contract, "x", config=mock.config(),
                         models=["mock:m", "mock:n", "mock:o"],
                         consensus=surety.Consensus("vote", quorum=2),
                         on_event=events.append)
            self.assertEqual((result.verdict, result.value),
                             ("valid", {"a": 2}))
            self.assertEqual(result.ballots[0], surety.Ballot(
                "/a", "majority", 2, 3, 2, ((0, 1), (1, 2), (2, 2))))
            self.assertEqual([one.value for one in result.members],
                             [{"a": 1}, {"a": 2}, {"a": 2}])
            self.assertEqual({one.member for one in events}, {0, 1, 2})
            self.assertTrue(Contract("surety/consensus").check(
                result.report("json")).ok)
            with self.assertRaises(ValueError):
                run(self.contract, "x", config=mock.config(),
                    models=["mock:m"], consensus="most")
            with self.assertRaises(surety.Misuse):
                run(self.contract, "x", config=mock.config(),
                    models=["mock:m"], consensus={"kind": "vote",
                                                  "quorum": 5})

    def test_wrong(self):
        for settings, kind in (
                ({"models": "nobody:m"}, surety.Syntax),
                ({"models": []}, ValueError),
                ({"models": "exec:true", "mode": "x"}, ValueError),
                ({"models": "exec:true", "feedback": "x"}, ValueError),
                ({"models": "exec:true", "nothing": 1}, TypeError),
                ({"models": "exec:true", "native": "1"}, TypeError),
                ({"models": "exec:true", "config": {"x": 1}}, surety.Syntax),
                ({"models": "exec:true", "mode": "native"}, surety.Misuse),
                ({"models": "exec:true", "timeouts": {"all": 1}},
                 ValueError)):
            with self.assertRaises(kind, msg=settings):
                run(self.contract, "x", **settings)
        for settings, kind in (({"nothing": 1}, TypeError),
                               ({"extract": "x"}, ValueError)):
            with self.assertRaises(kind, msg=settings):
                run(None, "x", models="exec:echo x", config={}, **settings)

    def test_config(self):
        with Mock(BAD_THEN_GOOD) as mock:
            with surety.Config({**mock.config(), "default": ["m"], "models": {
                    "m": {"provider": "mock", "model": "x"}}}) as config:
                self.assertEqual((config.models, config.default),
                                 (["m"], ["m"]))
                self.assertTrue(run(self.contract, "x", config=config).ok)
                with self.assertRaises(ValueError):
                    run(self.contract, "x", config=config, record="x")


class Cancelled(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(SCHEMA)

    def test_callback_raises(self):
        def stop(event):
            raise RuntimeError(event.kind)

        with Mock(SLOW) as mock:
            begun = time.monotonic()
            with self.assertRaisesRegex(RuntimeError, "attempt"):
                run(self.contract, "x", models="mock:m",
                    config=mock.config(), on_event=stop)
            self.assertLess(time.monotonic() - begun, 10)

    def test_interrupt(self):
        with Mock(SLOW) as mock, tempfile.TemporaryDirectory() as folder:
            ledger = os.path.join(folder, "l.db")
            timer = threading.Timer(
                0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            begun = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                run(self.contract, "x", models="mock:m", ledger=ledger,
                    config=mock.config())
            self.assertLess(time.monotonic() - begun, 10)
            timer.join()

    def test_others_go_on(self):
        """The GIL is not held while a run waits."""
        ticks = []

        def tick(event):
            if event.kind == "attempt":
                begun = time.monotonic()
                while time.monotonic() - begun < 0.2:
                    ticks.append(1)

        thread = threading.Thread(
            target=run, args=(None, "x"),
            kwargs={"models": "exec:sleep 0.5", "retries": 0})
        thread.start()
        run(None, "x", models="exec:sleep 0.1; echo x", on_event=tick)
        thread.join()
        self.assertGreater(len(ticks), 100)

    def test_async(self):
        async def go():
            heard = []

            async def hear(event):
                await asyncio.sleep(0)
                heard.append(event.kind)

            with Mock(BAD_THEN_GOOD) as mock:
                result = await run_async(
                    self.contract, "x", models="mock:m",
                    config=mock.config(), on_event=hear)
                self.assertEqual(result.value, {"a": 1})
                self.assertEqual(heard[0], "attempt")
            with Mock(SLOW) as mock:
                task = asyncio.ensure_future(run_async(
                    self.contract, "x", models="mock:m",
                    config=mock.config()))
                await asyncio.sleep(0.3)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        asyncio.run(go())

    def test_eight_at_once(self):
        results = []
        with Mock({"replies": [{"json": {"a": 1}}],
                   "then": "repeat"}) as mock:
            threads = [threading.Thread(target=lambda: results.append(
                run(self.contract, "x", models="mock:m",
                    config=mock.config()).value)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(results, [{"a": 1}] * 8)


if __name__ == "__main__":
    sys.exit(unittest.main())
