#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several gateways with one database, one of which is killed under load:
gateway_fleet_test.py [SURETY]. The laws: every answered request has its rows,
and a key's budget is not exceeded, whoever died."""

import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import threading

from cli_run import ENV, FOLDER, SURETY, check, run_tests, same
from gateway_run import GOOD_TEXT, PROVIDERS, Gateway, avoid_midnight
from mock_run import Response, request

PRICE = {"input": 1, "output": 1}
BUDGET = "0.001"


def fleet(ledger, size):
    """Gateways in front of the mock of the first."""
    model = {"provider": "openai", "model": "m", "price": PRICE}
    script = {"then": "repeat", "replies": [{"text": GOOD_TEXT,
                                             "delay_ms": 5}]}
    gateways = []
    for _ in range(size):
        config = {"models": {"small": model}}
        if gateways:
            base = f"http://127.0.0.1:{gateways[0].mock.port}"
            config["providers"] = {
                name: {"base_url": base + path, "key_env": "OUR_KEY"}
                for name, path in PROVIDERS.items()}
        gateways.append(Gateway(script, "--keys", "--ledger", ledger,
                                config=config))
    return gateways


def add(ledger):
    return subprocess.run(
        [SURETY, "keys", "add", "team", "--day", BUDGET, "--ledger", ledger],
        cwd=FOLDER, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=True).stdout.decode().strip()


def test_laws():
    generator = random.Random(6)
    ledger = tempfile.mktemp(dir=FOLDER, suffix=".db")
    gateways = fleet(ledger, 3)
    secret = add(ledger)
    answered, statuses, lock = [], [], threading.Lock()

    def client(seed):
        own = random.Random(seed)
        for _ in range(40):
            gateway = own.choice(gateways)
            try:
                got = Response(gateway.send(request(
                    model="small", max_tokens=9, headers=(
                        "Authorization: Bearer " + secret,))))
            except OSError:
                continue
            with lock:
                statuses.append(got.status)
                if got.status == 200:
                    answered.append(got.header("surety-run"))
                dies = got.status == 200 and len(answered) == 15
            if dies:
                gateways[generator.randrange(3)].process.send_signal(
                    signal.SIGKILL)

    clients = [threading.Thread(target=client, args=(i,)) for i in range(8)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    codes = [gateway.end() for gateway in gateways]
    same("one was killed, and no other", sorted(codes), [-9, 0, 0])
    calls = len(gateways[0].mock.logged())
    for gateway in gateways:
        gateway.mock.end()
    with sqlite3.connect(ledger) as rows:
        done = {run for run, in rows.execute(
            "SELECT run FROM attempts WHERE state = 'done'")}
        cost = rows.execute("SELECT max(cost_picousd) FROM attempts"
                            ).fetchone()[0]
        spent = rows.execute("SELECT max(picousd) FROM key_spent").fetchone()[0]
    check("many were answered, and the budget ended it",
          len(answered) >= 15 and 429 in statuses, statuses)
    same("each answered request has its row",
         [run for run in answered if run not in done], [])
    budget = float(BUDGET) * 1e12
    check("what was settled is within the budget", spent <= budget, spent)
    check("what the calls cost is within the budget",
          0 < calls * cost <= budget, (calls, cost))
    check("what was answered was settled, but for the dead one's",
          spent >= (len(answered) - 8) * cost, (spent, len(answered), cost))


avoid_midnight()
run_tests(test_laws)
