# SPDX-License-Identifier: Apache-2.0
"""The clients of a soak, and their judgement of what they get. The judge of
values is jsonschema, which shares nothing with the gateway."""

import asyncio
import json
import time

import jsonschema

from gateway_run import ended, said, schema_members, streamed
from mock_run import Response
from soak_plan import CASES, Plan

CLIENTS = 24
SECONDS = 100  # a request that takes longer hangs
JUDGES = [jsonschema.Draft202012Validator(case[0]) for case in CASES]
# The statuses of an answer without a value.
REFUSALS = (422, 429, 502, 503, 504)
PASSED_ON = (*REFUSALS, 529)  # a provider's own, for a request without a schema


class Answer:
    """What came of a request: outcome is a word, problem a broken law."""

    def __init__(self, outcome, problem=None, run=None, attempts=None):
        self.outcome, self.problem = outcome, problem
        self.run, self.attempts = run, attempts


def break_of(plan, text):
    """Why the text is no valid value, or None."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return f"no JSON: {text!r}"
    for error in JUDGES[plan.case].iter_errors(value):
        return f"breaks its schema: {error.message[:200]}"
    return None


def judge(plan, raw):
    """Judges the bytes that a client read to their end."""
    try:
        response = Response.of(raw)
    except (ValueError, IndexError) as error:
        return Answer("broken", f"no HTTP: {error!r}")
    if not response.mark:
        return Answer("lost")
    size = response.header("content-length")
    is_whole = (response.whole if response.chunks is not None
                else len(response.body) == int(size or -1))
    run = response.header("surety-run")
    attempts = response.header("surety-attempts")
    answer = Answer(str(response.status), None, run if is_whole else None,
                    int(attempts) if attempts else None)
    if response.status != 200:
        if response.status not in (REFUSALS if plan.checked else PASSED_ON):
            answer.problem = "a status that does not fit"
        return answer
    if plan.checked:
        judge_value(plan, response, is_whole, answer)
    elif not is_whole:
        answer.outcome = "200, cut"
    return answer


def judge_value(plan, response, is_whole, answer):
    """Judges an answer with the status 200 to a request with a schema."""
    if b'"verdict":"refused"' in response.body and plan.kind == "refusal":
        answer.outcome = "200, refusal"
        return
    if not plan.stream:
        if not is_whole:
            answer.outcome = "200, cut"
        else:
            answer.problem = break_of(plan, said(plan.client, response))
        return
    how = ended(plan.client, response) if response.body else "silently"
    if how == "well":
        answer.problem = break_of(plan, streamed(plan.client, response))
    elif how == "error" or not is_whole:
        answer.outcome = "200, " + ("error" if how == "error" else "cut")
        answer.run = None
    else:
        answer.problem = f"ends {how}"


async def read(plan, reader):
    """Reads as the plan's client does; None: it hung up."""
    if plan.manner == "hangs up":
        await asyncio.sleep(plan.replica / 50)
        return None
    if plan.manner == "stops":
        await reader.read(100)
        return None
    if plan.manner == "reads":
        return await reader.read()
    raw = b""
    await asyncio.sleep(0.2)
    while piece := await reader.read(200):
        raw += piece
        await asyncio.sleep(0.001)
    return raw


async def ask(plan, port, secret):
    """Sends one request; its Answer."""
    writer = None
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port,
                                                       limit=1 << 16)
        writer.write(plan.bytes(secret, schema_members))
        raw = await asyncio.wait_for(read(plan, reader), SECONDS)
    except asyncio.TimeoutError:
        return Answer("hangs", f"no end after {SECONDS} seconds"), b""
    except OSError:
        await asyncio.sleep(0.01)
        return Answer("lost"), b""
    finally:
        if writer:
            writer.transport.abort()
    if raw is None:
        return Answer("left"), b""
    answer = judge(plan, raw)
    if secret.encode() in raw:
        answer.problem = "its key is in the answer"
    return answer, raw


class Load:
    """Clients that ask for all numbers from first to last, and faults."""

    def __init__(self, world, seed, until):
        self.world, self.seed, self.until = world, seed, until
        self.keys = list(world.secrets)
        self.next, self.last = 0, 0
        self.outcomes, self.kinds = {}, {}
        self.problems, self.runs = [], []

    async def client(self):
        while self.next < self.last and time.monotonic() < self.until:
            self.next += 1
            plan = Plan(self.seed, self.next, self.keys)
            replicas = self.world.replicas
            replica = replicas[int(plan.replica * len(replicas))]
            answer, raw = await ask(plan, replica.port,
                                    self.world.secrets[plan.key])
            self.note(plan, answer, raw)
            if answer.outcome in ("503", "lost"):
                await asyncio.sleep(0.05)

    def note(self, plan, answer, raw):
        self.outcomes[answer.outcome] = self.outcomes.get(
            answer.outcome, 0) + 1
        if answer.outcome == "200" and plan.checked:
            self.kinds[plan.kind] = self.kinds.get(plan.kind, 0) + 1
        if answer.problem:
            self.problems.append((answer.problem, plan, raw[:2000]))
        if answer.run:
            self.runs.append((plan, answer.run, answer.outcome,
                              answer.attempts))

    async def faults(self, every):
        """Lets a fault happen after each so many requests."""
        loop, due = asyncio.get_running_loop(), self.next + every
        while self.next < self.last and time.monotonic() < self.until:
            if self.next >= due:
                await loop.run_in_executor(None, self.world.fault)
                due = self.next + every
            await asyncio.sleep(0.02)

    async def run(self, count, every):
        """Asks for so many more."""
        self.last += count
        work = [self.client() for _ in range(CLIENTS)]
        if every:
            work.append(self.faults(every))
        await asyncio.gather(*work)

    async def heal(self):
        """Asks each gateway for a good reply until it gives it; what those
        said that do not."""
        ill = []
        plan = Plan(self.seed, 0, ["free"])
        plan.kind, plan.manner, plan.checked = "good", "reads", True
        plan.model = "free-openai"
        for replica in self.world.replicas:
            end = time.monotonic() + SECONDS
            while True:
                answer, raw = await ask(plan, replica.port,
                                        self.world.secrets["free"])
                if answer.outcome == "200":
                    break
                if time.monotonic() > end:
                    ill.append(raw)
                    break
                await asyncio.sleep(0.1)
        return ill
