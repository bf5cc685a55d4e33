# SPDX-License-Identifier: Apache-2.0
"""Chromium as a test drives it, by WebDriver (w3.org/TR/webdriver2). Where it
is not installed, `missing` names the reason."""

import base64
import http.client
import json
import os
import shutil
import subprocess
import tempfile
import time

from tap import check

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WAIT_S = 120


class Browser:
    """A window of a browser that ends with it."""

    def __init__(self):
        program = shutil.which("chromium") or shutil.which("google-chrome")
        driver = shutil.which("chromedriver")
        self.missing = None
        self.process = None
        if not program or not driver:
            self.missing = "no Chromium with its driver"
            return
        self.home = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "TMPDIR": self.home, "HOME": self.home,
                 "XDG_CONFIG_HOME": self.home, "XDG_CACHE_HOME": self.home})
        self.port = 0
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rsplit(" ", 1)[1].strip(". \n"))
                break
        self.session = ""
        options = {"binary": program, "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu",
            "--hide-scrollbars", "--disable-dev-shm-usage",
            "--user-data-dir=" + os.path.join(self.home, "profile")]}
        try:
            made = self.send("POST", "", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": options}}})
            self.session = "/" + made["sessionId"]
        except (OSError, RuntimeError, http.client.HTTPException) as error:
            self.missing = f"Chromium does not run here: {error}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.process:
            return
        if self.session:
            self.send("DELETE", "")
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def send(self, method, path, body=None):
        if self.missing:
            return None
        link = http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=WAIT_S)
        link.request(method, "/session" + self.session + path,
                     None if body is None else json.dumps(body),
                     {"Content-Type": "application/json"})
        answer = link.getresponse()
        value = json.loads(answer.read())["value"]
        link.close()
        if answer.status != 200:
            raise RuntimeError(value["message"])
        return value

    def open(self, url):
        self.send("POST", "/url", {"url": url})

    def script(self, text):
        return self.send("POST", "/execute/sync", {"script": text, "args": []})

    def until(self, name, condition):
        """Waits until the condition of JavaScript holds."""
        end = time.monotonic() + WAIT_S
        holds = bool(self.missing)
        while not holds and time.monotonic() < end:
            holds = self.script("return !!(" + condition + ")")
            if not holds:
                time.sleep(0.05)
        if not self.missing:
            check(name, holds, holds or self.script(
                "return document.body.innerText"))

    def find(self, selector):
        found = self.send("POST", "/element", {"using": "css selector",
                                               "value": selector})
        return "/element/" + found[ELEMENT]

    def click(self, selector):
        self.send("POST", self.find(selector) + "/click", {})

    def type(self, selector, text):
        self.send("POST", self.find(selector) + "/value", {"text": text})

    def look(self, width, scheme):
        """Sets the width of the page, and whether it is light or dark."""
        for command, params in (
                ("Emulation.setDeviceMetricsOverride",
                 {"width": width, "height": 900, "deviceScaleFactor": 1,
                  "mobile": width < 600}),
                ("Emulation.setEmulatedMedia",
                 {"features": [{"name": "prefers-color-scheme",
                                "value": scheme}]})):
            self.send("POST", "/goog/cdp/execute",
                      {"cmd": command, "params": params})

    def picture(self, path):
        """Writes a picture of the whole page."""
        made = self.send("POST", "/goog/cdp/execute", {
            "cmd": "Page.captureScreenshot",
            "params": {"captureBeyondViewport": True}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(made["data"]))
