#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page /ui of surety serve: gateway_ui_test.py [SURETY]. Who gets it, what
its questions answer, and the page in Chromium, driven by WebDriver, where there
is one. With SURETY_SHOTS=FOLDER it leaves pictures of each view there."""

import http.client
import json
import os
import subprocess

from cli_run import ENV, SURETY, check, run_tests, same, skip
from gateway_run import BAD_TEXT, GOOD_TEXT, SCHEMA, Gateway, schema_members
from mock_run import WAIT, Response, request
from page_browser import Browser
from process import until

MARKUP = '<img src=x onerror="document.title=\'owned\'"><script>' \
         "document.title='owned'</script>"
HOSTILE = json.dumps({"title": MARKUP, "hours": "\u00e4<b>four</b>"})
SCRIPT = {"then": "repeat", "replies": [
    {"text": HOSTILE}, {"text": GOOD_TEXT},
    {"text": GOOD_TEXT},
    {"text": BAD_TEXT}, {"text": BAD_TEXT}, {"text": BAD_TEXT}]}
JSON = {"Content-Type": "application/json"}


def get(gateway, path, body=None, method=None, **headers):
    """Status, head and text of a request to the page."""
    link = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    link.request(method or ("GET" if body is None else "POST"), path,
                 None if body is None else json.dumps(body),
                 headers if body is None else {**JSON, **headers})
    answer = link.getresponse()
    text = answer.read().decode()
    link.close()
    return answer.status, answer.headers, text


def asks(gateway, question, **body):
    status, _, text = get(gateway, "/ui/api/" + question, body)
    same(question + " is answered", status, 200)
    return json.loads(text)


def filled(*arguments, script=None):
    """A gateway with a ledger and three runs: valid after a re-ask, valid at
    once, rejected."""
    gateway = Gateway(script or SCRIPT, "--ledger", "ledger.db", *arguments,
                      config={"ledger": {"raw": True}})
    for _ in range(0 if script else 3):
        gateway.call(model="openai:m", **schema_members("openai"))
    return gateway


def test_access():
    """Only a client on this machine, by the machine's own name, gets it."""
    with Gateway(SCRIPT) as gateway:
        status, head, page = get(gateway, "/ui")
        check("the page is there", status == 200 and "<title>" in page, page)
        check("it may load nothing of others", "default-src 'none'"
              in head["Content-Security-Policy"])
        for name in ("page.js", "page.css"):
            same(name, get(gateway, "/ui/" + name)[0], 200)
            check(name + " is on the page", "/ui/" + name in page, page)
        check("nothing on it is from elsewhere", "://" not in page, page)
        for name in ("/ui/no", "/ui/../ui/page", "/ui/ui.c", "/ui/api/no"):
            same(name, get(gateway, name)[0], 404)
        for host, status in (("localhost", 200), ("LOCALHOST:1", 200),
                             ("127.0.0.1:99", 200), ("[::1]:99", 200),
                             ("evil.example", 403), ("127.0.0.1.evil.example",
                                                     403),
                             ("localhost.evil.example:80", 403), ("", 403)):
            for path, body in (("/ui", None), ("/ui/page.js", None),
                               ("/ui/api/now", {})):
                same(f"{path} by {host!r}",
                     get(gateway, path, body, Host=host)[0], status)
        for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
            same(f"behind a proxy with {header}",
                 get(gateway, "/ui", **{header: "1.2.3.4"})[0], 403)
        for site, status in (("same-origin", 200), ("cross-site", 403),
                             ("same-site", 403), ("none", 403)):
            same(f"a question from {site}",
                 get(gateway, "/ui/api/now", {}, Sec_Fetch_Site=site)[0],
                 status)
        same("a question as a form", get(
            gateway, "/ui/api/now", {}, Content_Type="text/plain")[0], 403)
        for what, path, method, allow in (
                ("a question by GET", "/ui/api/now", "GET", "POST"),
                ("a post to the page", "/ui", "POST", "GET, HEAD"),
                ("a preflight", "/ui/api/now", "OPTIONS", "POST")):
            status, head, _ = get(gateway, path, method=method)
            same(what, (status, head["Allow"]), (405, allow))
        same("no Allow where a method is right",
             get(gateway, "/ui")[1]["Allow"], None)
        same("no body", get(gateway, "/ui/api/now", method="POST",
                            **JSON)[0], 400)
        same("the ledger is off", asks(gateway, "overview"), {"ledger": False})
    with Gateway(SCRIPT, "--ui", "off") as gateway:
        same("the page can be off", get(gateway, "/ui")[0], 404)
        same("with its questions", get(gateway, "/ui/api/now", {})[0], 404)


def test_keys():
    """A key of the role admin opens the page from anywhere, no other does, and
    a browser on this machine needs none."""
    with Gateway(SCRIPT, "--keys", "--ledger", "keys.db") as gateway:
        def add(*arguments):
            run = subprocess.run(
                [SURETY, "keys", "add", *arguments, "--ledger", "keys.db",
                 "--config", gateway.config], cwd=gateway.folder,
                env={**ENV, "OUR_KEY": "sk-ours"}, capture_output=True,
                text=True, check=True)
            return "Bearer " + run.stdout.strip()
        away = {"Host": "gateway.example"}
        for name, key, status in (("of the role admin", add("boss", "--admin"),
                                   200), ("of another", add("team"), 403),
                                  ("that is none", "Bearer sk-x", 401)):
            for path, body in (("/ui", None), ("/ui/api/now", {})):
                same(f"{path} with a key {name}", get(
                    gateway, path, body, Authorization=key, **away)[0], status)
        same("without a key, by another name", get(gateway, "/ui", **away)[0],
             403)
        same("without a key, here", get(gateway, "/ui")[0], 200)
        same("and its questions", get(gateway, "/ui/api/overview", {})[0], 200)


def test_questions():
    with filled("--threads", "3") as gateway:
        total = asks(gateway, "overview")["stats"]["total"]
        same("the sums", [total[name] for name in (
            "runs", "first_try", "second_try", "rejected", "calls")],
             [3, 1, 1, 1, 6])
        runs = asks(gateway, "runs")["runs"]
        same("the newest run first", [one["ending"] for one in runs],
             ["rejected", "valid", "valid"])
        same("runs that are not valid",
             asks(gateway, "runs", ending="problem")["runs"], runs[:1])
        same("of another model", asks(gateway, "runs", model="x")["runs"], [])
        first = asks(gateway, "run", run=runs[2]["run"])["attempts"]
        same("its attempts", [one["ok"] for one in first], [False, True])
        error = first[0]["errors"][0]
        same("the error's bytes",
             HOSTILE.encode()[error["start"]:error["end"]].decode(),
             json.dumps("\u00e4<b>four</b>"))
        status, _, text = get(gateway, "/ui/api/run", {"run": "no"})
        check("a run that is none", status == 404 and "no run no" in text, text)
        got = asks(gateway, "check", reply=BAD_TEXT, schema=json.dumps(SCHEMA))
        same("the bench", (got["ok"], got["issues"][0]["keyword"]),
             (False, "maximum"))
        status, _, text = get(gateway, "/ui/api/check",
                              {"reply": "1", "schema": '{"type":\n7}'})
        check("a schema that is none",
              status == 422 and json.loads(text)["error"]["line"] == 2, text)


def test_under_way():
    """Requests of all threads are shown while they wait, and the page's own
    questions are none of them."""
    late = {"replies": [{"when": {"model": "late"}, "text": "late",
                         "delay_ms": 600000, "repeat": True}]}
    with filled("--threads", "4", script=late) as gateway:
        links = [gateway.send(request(model="late")) for _ in range(12)]
        def now():
            return json.loads(get(gateway, "/ui/api/now", {})[2])["requests"]

        until(lambda: len(now()) == 12, WAIT)
        shown = now()
        same("all are shown", {one["model"] for one in shown}, {"late"})
        same("each once", len({one["run"] for one in shown}), 12)
        for link in links:
            link.close()
        check("and gone when they end", until(lambda: not now(), WAIT))


def test_hang_up():
    """Clients that go away leave nothing behind, also where the gateway ends
    with their questions; too many questions are refused, not kept."""
    words = [f"{i:04}" for i in range(300)]
    slow = json.dumps({"reply": json.dumps(words), "schema": json.dumps(
        {"items": {"anyOf": [{"const": word} for word in words]}})})
    head = ("POST /ui/api/{} HTTP/1.1\r\nHost: localhost\r\nConnection: close"
            "\r\nContent-Type: application/json\r\nContent-Length: {}"
            "\r\n\r\n{}")
    with filled("--threads", "2") as gateway:
        def send(question, body):
            return gateway.send(head.format(question, len(body),
                                            body).encode())
        for i in range(60):
            send(("now", "overview", "runs", "check")[i % 4], "{}").close()
        links = [send("check", slow) for _ in range(40)]
        answers = {Response(link).status for link in links[20:]}
        check("questions are answered or refused", answers <= {200, 503},
              answers)
        for link in links[:20]:
            link.close()
        same("the gateway serves", gateway.call(model="openai:m").status, 200)
        kept = [send("check", slow) for _ in range(10)]
        same("and ends, with questions open", gateway.end(), 0)
        for link in kept:
            link.close()


def shots(browser, name):
    """Pictures of a view, if they are wanted."""
    folder = os.environ.get("SURETY_SHOTS")
    for scheme in ("light", "dark") if folder else ():
        for width in (390, 1440):
            browser.look(width, scheme)
            browser.picture(os.path.join(folder,
                                         f"{name}-{scheme}-{width}.png"))
    browser.look(1440, "light")


def test_browser():
    with filled() as gateway, Browser() as browser:
        if browser.missing:
            skip("the page in a browser", browser.missing)
            return
        page = f"http://127.0.0.1:{gateway.port}/ui"
        browser.open(page)
        browser.until("the sums are shown", "document.body.innerText"
                      ".includes('Valid at first try')")
        check("the failures are shown", browser.script(
            "return document.getElementById('errors').innerText"
            ".includes('/hours')"))
        shots(browser, "overview")
        for width in (390, 1440):
            browser.look(width, "light")
            check(f"it fits {width} pixels", browser.script(
                "return document.documentElement.scrollWidth <= innerWidth"))
        check("a failure has its models", "m (3)" in browser.script(
            "return document.querySelector('#errors').textContent"))
        browser.click("nav a[href='#runs']")
        browser.until("the runs are listed",
                      "document.querySelectorAll('#list tbody tr').length == 3")
        shots(browser, "runs")
        browser.click("#list tbody tr:last-child a")
        browser.until("a run is shown",
                      "document.querySelectorAll('#attempts article').length"
                      " == 2")
        same("the error is underlined", browser.script(
            "return document.querySelector('#attempts mark').textContent"),
             json.dumps("\u00e4<b>four</b>", ensure_ascii=True))
        check("a reply stays text", browser.script(
            "return document.querySelector('#attempts pre').textContent")
            == HOSTILE)
        same("and is no markup", browser.script(
            "return document.querySelectorAll("
            "'#attempts img, #attempts script, #attempts b').length"), 0)
        same("nor executed", browser.script("return document.title"),
             "Surety gateway")
        shots(browser, "run")
        browser.click("nav a[href='#bench']")
        browser.until("the contracts are listed",
                      "document.getElementById('named').options.length > 3")
        browser.type("#reply", '{"title": "' + MARKUP.replace('"', "'")
                     + '", "hours": 400}')
        browser.type("#schema", json.dumps(SCHEMA, indent=1))
        browser.click("#check button")
        browser.until("the bench has a report",
                      "document.querySelector('#report mark')")
        same("the error is underlined there", browser.script(
            "return document.querySelector('#report mark').textContent"), "400")
        check("and explained", browser.script(
            "return document.querySelector('#report .issues').innerText"
            ".includes('maximum')"))
        same("nothing was executed", browser.script("return document.title"),
             "Surety gateway")
        shots(browser, "bench")
        same("every field has a label", browser.script(
            "return [...document.querySelectorAll('select, textarea')]"
            ".filter(one => !one.labels.length).length"), 0)
    with Gateway(SCRIPT) as gateway, Browser() as browser:
        browser.open(f"http://127.0.0.1:{gateway.port}/ui")
        browser.until("the page says that the ledger is off",
                      "document.getElementById('notice').innerText"
                      ".includes('The ledger is off')")
        shots(browser, "off")


run_tests(test_access, test_keys, test_questions, test_under_way,
          test_hang_up, test_browser)
