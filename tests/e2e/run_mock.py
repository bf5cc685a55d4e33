# SPDX-License-Identifier: Apache-2.0
"""A mock model server for the tests of surety run, and a configuration with a
provider for each protocol that reaches it."""

import json
import os
import re
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import ENV, FOLDER, SURETY, write  # noqa: E402

CANARY = "sk-canary-4f1c9a7be2d08356"
PROTOCOLS = {"openai": "/v1", "responses": "/v1", "anthropic": "/v1",
             "gemini": "/v1beta"}
KEYS = {"MOCK_KEY": CANARY}


class Mock:
    """surety mock with a script, as a context; `url` where it listens."""

    def __init__(self, *replies, **script):
        script["replies"] = list(replies)
        self.script = write("mock.json", script)

    def __enter__(self):
        self.process = subprocess.Popen(
            [SURETY, "mock", "--script", self.script, "--port", "0", "--quiet"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=FOLDER,
            env=ENV)
        line = b""
        until = time.monotonic() + 100
        while b"\n" not in line and time.monotonic() < until:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                got = os.read(self.process.stdout.fileno(), 4096)
                if not got:
                    break
                line += got
        found = re.search(rb"127\.0\.0\.1:(\d+)", line)
        if not found:
            self.process.kill()
            raise RuntimeError(f"no mock: {line!r}")
        self.url = f"http://127.0.0.1:{found[1].decode()}"
        configure(self.url)
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        try:
            self.process.wait(100)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def configure(url, **members):
    """Writes surety.json with the providers m-openai, m-anthropic, ..."""
    config = {"providers": {}, "retry": {"first": 0.01, "most": 0.05}}
    for protocol, path in PROTOCOLS.items():
        config["providers"]["m-" + protocol] = {
            "protocol": protocol, "base_url": url + path,
            "key_env": "MOCK_KEY"}
    config.update(members)
    write("surety.json", config)
    return json.dumps(config)
