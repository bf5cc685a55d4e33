# SPDX-License-Identifier: Apache-2.0
"""How tests run `surety serve` in front of `surety mock`."""

import json
import os
import signal
import subprocess
import tempfile
import time

from cli_run import ENV, FOLDER, SURETY
from mock_run import CALLS, WAIT, Mock, Response, request
from process import until

PROVIDERS = {"openai": "/v1", "responses": "/v1", "anthropic": "/v1",
             "gemini": "/v1beta"}
SCHEMA = {"type": "object", "required": ["title", "hours"],
          "properties": {"title": {"type": "string"},
                         "hours": {"type": "integer", "maximum": 80}},
          "additionalProperties": False}
GOOD = {"title": "Lamp", "hours": 4}
GOOD_TEXT = '{"title":"Lamp","hours":4}'
BAD_TEXT = '{"title":"Lamp","hours":400}'


def avoid_midnight():
    """Waits where a day of UTC is about to end: with it the budgets of a day
    begin anew."""
    left = 86400 - time.time() % 86400
    if left < 120:
        time.sleep(left)


def end_process(process, how):
    """Its exit code."""
    process.send_signal(how)
    code = process.wait(timeout=WAIT)
    process.stdout.close()
    return code


class Gateway:
    """A gateway in front of a mock; ended with it."""

    def __init__(self, script, *arguments, config=None, env=None):
        self.mock = Mock(script)
        self.folder = tempfile.mkdtemp(dir=FOLDER)
        self.log = os.path.join(self.folder, "access.jsonl")
        self.config = os.path.join(self.folder, "surety.json")
        self.configure(config or {})
        self.errors = tempfile.TemporaryFile(dir=FOLDER)
        if "--ledger" not in arguments:
            arguments = ("--ledger", "none", *arguments)
        self.process = subprocess.Popen(
            [SURETY, "serve", "--listen", "127.0.0.1:0", "--config",
             self.config, "--log", self.log, *arguments], cwd=self.folder,
            env={**ENV, "OUR_KEY": "sk-ours", **(env or {})},
            stdout=subprocess.PIPE, stderr=self.errors)
        self.line = self.process.stdout.readline().decode()
        self.port = int(self.line.rsplit(":", 1)[1]) if self.line else 0

    def configure(self, config):
        base = f"http://127.0.0.1:{self.mock.port}"
        providers = {name: {"base_url": base + path, "key_env": "OUR_KEY"}
                     for name, path in PROVIDERS.items()}
        retry = {"max": 1, "first": 0.01, "most": 0.05}
        with open(self.config, "w", encoding="utf-8") as file:
            json.dump({"providers": providers, "retry": retry, **config}, file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        code = self.end()
        self.mock.end()
        if code:
            raise RuntimeError(f"ended with {code}: {self.heard()}")

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(timeout=WAIT)

    def ready(self):
        """The status and the text of /readyz."""
        got = Response(self.send(b"GET /readyz HTTP/1.1\r\nHost: a\r\n"
                                 b"Connection: close\r\n\r\n"))
        return got.status, got.body.decode().strip()

    def until_ready(self):
        """The same, once it is ready, or when that took too long."""
        until(lambda: self.ready()[0] == 200, WAIT)
        return self.ready()

    heard = Mock.heard
    dial = Mock.dial
    send = Mock.send
    logged = Mock.logged

    def call(self, client="openai", stream=False, headers=(), key="sk-client",
             **members):
        """The response to a client's call."""
        name = {"anthropic": "x-api-key: ", "gemini": "x-goog-api-key: "}
        if key:
            headers = (name.get(client, "Authorization: Bearer ") + key,
                       *headers)
        return Response(self.send(request(client, stream, headers, **members)))


def schema_members(client, schema=None, name="ticket"):
    """The members of a request that ask for the schema."""
    schema = SCHEMA if schema is None else schema
    if client == "openai":
        return {"response_format": {
            "type": "json_schema",
            "json_schema": {"name": name, "schema": schema}}}
    if client == "responses":
        return {"text": {"format": {"type": "json_schema", "name": name,
                                    "schema": schema}}}
    if client == "anthropic":
        return {"output_config": {"format": {"type": "json_schema",
                                             "schema": schema}}}
    return {"generationConfig": {"responseMimeType": "application/json",
                                 "responseJsonSchema": schema}}


def said(client, response):
    """The text of a whole answer."""
    reply = response.json()
    if client == "openai":
        return reply["choices"][0]["message"]["content"]
    if client == "responses":
        return reply["output"][-1]["content"][0]["text"]
    if client == "anthropic":
        return reply["content"][-1]["text"]
    return reply["candidates"][0]["content"]["parts"][-1]["text"]


def streamed(client, response):
    """The text of a stream."""
    text = ""
    for _, data in response.events():
        if not isinstance(data, dict):
            continue
        if client == "openai":
            for choice in data.get("choices", []):
                text += choice["delta"].get("content") or ""
        elif client == "responses":
            if data["type"] == "response.output_text.delta":
                text += data["delta"]
        elif client == "anthropic":
            text += data.get("delta", {}).get("text", "")
        else:
            for one in data.get("candidates", []):
                for part in one.get("content", {}).get("parts", []):
                    text += part.get("text", "")
    return text


def ended(client, response):
    """How a stream ended: "well", "error" (an event, and a cut), or what else
    there was."""
    events = [data for _, data in response.events()]
    last = events[-1] if events else None
    error = any(isinstance(data, dict) and (
        data.get("error") or data.get("type") == "error") for data in events)
    if error:
        return "error" if not response.whole else "an error without a cut"
    well = {"openai": last == "[DONE]",
            "responses": isinstance(last, dict) and
            last.get("type") == "response.completed",
            "anthropic": isinstance(last, dict) and
            last.get("type") == "message_stop",
            "gemini": isinstance(last, dict) and any(
                one.get("finishReason") == "STOP"
                for one in last.get("candidates", []))}[client]
    if well:
        return "well" if response.whole else "a mark without an end"
    return "silently"


def model_of(provider):
    return f"{provider}:m"


CLIENTS = tuple(CALLS)
