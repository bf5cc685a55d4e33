#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/systems/user-story against surety mock and from its recording: the
iterations and what each hands on, the log, prose, refusals, broken replies,
and what is wrong with a call: systems_user_story_test.py [SURETY]."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import check, gives, run_tests, same, surety, write  # noqa: E402
from run_mock import Mock  # noqa: E402
from systems_run import (given, is_careful, is_small,  # noqa: E402
                         recording, script, system)

IDS = ("user-roles", "interactive-elements", "validation", "accessibility",
       "performance", "security", "responsive-web", "responsive-native",
       "language-support", "locale-formatting", "cultural-appropriateness",
       "analytics")
STORY = "As a user I want to log in"
LINE = re.compile(r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\] "
                  r"\[(ERROR|WARN|INFO|DEBUG)\] (.*)")


def agent(iterations, story=STORY, model="m-openai:story-1", level="debug",
          more=()):
    model = ("-m", model) if model else ()
    return system("user-story", "--mode", "individual", "--iterations",
                  iterations, *model, *more, stdin=story,
                  env={"LOG_LEVEL": level})


def came_of(reply):
    """The line of the log that says what an iteration came to."""
    count = len(reply["changesApplied"])
    return (f"{count} change{'' if count == 1 else 's'}, confidence "
            f"{json.dumps(reply.get('confidence', 'not given'))}".replace(
                '"', ""))


def output(story="Better.", *changes, **more):
    return {"enhancedStory": story, "changesApplied": list(changes)} | more


def change(category="validation", description="Added a rule", **more):
    return {"category": category, "description": description} | more


def log_of(result):
    """(level, text) of each line; a line that is none of the log's is None."""
    found = [LINE.fullmatch(line) for line in result.err.splitlines()]
    return [match and match.groups() for match in found]


def mocked(*replies, **more):
    return Mock(*({"json": reply} if isinstance(reply, dict) and
                  "enhancedStory" in reply else reply for reply in replies),
                **more)


def test_example():
    """The script and the recording that the guide shows."""
    wanted = script("user-story")["replies"]
    last = wanted[1]["json"]["enhancedStory"]
    with Mock(*wanted):
        live = agent("validation,accessibility", given("story.txt"))
        gives("S2.10 each iteration's reply is checked", live, 0, last + "\n")
        log = log_of(live)
        check("S2.18 with LOG_LEVEL=debug every change is in the log",
              [text for _, text in log] == [
                  line for name, reply in zip(("validation", "accessibility"),
                                              wanted)
                  for line in [f"{name}: {came_of(reply['json'])}"] + [
                      f"{one['category']}: {one['description']}"
                      + (f" ({one['location']})" if "location" in one else "")
                      for one in reply["json"]["changesApplied"]]], live)
        check("S2.2 changes are reported with their category and place",
              ("DEBUG", "accessibility: Added labels and autocomplete "
               "(form fields)") in log, live)
        for protocol in ("anthropic", "gemini", "responses"):
            gives(f"the same through the protocol {protocol}",
                  agent("validation,accessibility", given("story.txt"),
                        f"m-{protocol}:story-1", "silent"), 0, last + "\n")
    replayed = agent("validation,accessibility", given("story.txt"),
                     recording("user-story"))
    gives("from the recording, without a server", replayed, 0, live.out)
    same("with the same log", log_of(replayed), log)


def test_prompt():
    """The script fits nothing else, so an answer shows what was sent."""
    wants = ["Say how each input is checked", STORY, '"enhancedStory"',
             '"changesApplied"', '"location": "form fields"', "0.85"]
    with Mock({"when": {"contains": wants}, "json": output()}):
        gives("S2.8 the system prompt asks for the format, with its example",
              agent("validation"), 0, "Better.\n")
    with mocked(output("The first."),
                {"when": {"contains": "The first."},
                 "json": output("The second.")},
                {"when": {"contains": "The second."},
                 "json": output("The third.")}):
        gives("each story goes into the next iteration",
              agent("security,analytics,security"), 0, "The third.\n")
    every = [{"when": {"nth": i + 1}, "json": output(f"Story {i}.")}
             for i in range(len(IDS))]
    with Mock(*every):
        gives("all twelve iterations", agent(",".join(IDS)), 0, "Story 11.\n")


def test_valid():
    for name, reply, lines in (
            ("S2.6 no changes", output(), []),
            ("S2.6 a change without a place", output("B.", change()),
             [("DEBUG", "validation: Added a rule")]),
            ("S2.7 a confidence of 0", output(confidence=0), []),
            ("S2.7 a confidence of 1", output(confidence=1.0), []),
            ("unknown members are left out", output(more=1), [])):
        with mocked(reply):
            result = agent("validation")
            gives(name, result, 0, reply["enhancedStory"] + "\n")
            same(f"{name}: the log", log_of(result),
                 [("INFO", "validation: " + came_of(reply))] + lines)
    fenced = "Here it is:\n```json\n" + json.dumps(output("F.")) + "\n```\n"
    for name, text in (("a fence", fenced), ("prose around it",
                       "Sure! " + json.dumps(output("F.")) + " Done.")):
        with Mock({"text": text, "repeat": True}):
            gives(f"S2.9 the value is found in {name}", agent("validation"), 0,
                  "F.\n")


def test_fallback():
    """Two kinds of malformed replies, one way to treat them."""
    prose = "As a user I want to log in, and wrong passwords are told."
    with Mock({"text": f"\n {prose}\n\n"}):
        result = agent("validation")
        gives("S2.11 prose becomes the story, with a warning", result, 0,
              prose + "\n")
        log = log_of(result)
        check("S2.12 without changes, and one line says so",
              log[0][0] == "WARN" and log[0][1].startswith("validation: ")
              and log[1:] == [("INFO", "validation: 0 changes, confidence not "
                               "given")], result)
    bad = json.dumps(output("Better.", {"category": "validation"}),
                     separators=(",", ":"))
    with Mock({"text": bad}):
        result = agent("validation", level="warn")
        gives("S2.13 so does JSON of another shape", result, 0, bad + "\n")
        check("S2.3 the warning names iteration and reason",
              re.search(r"\[WARN\] validation: .*description", result.err),
              result)
    for name, reply, says in (
            ("S2.5 a story that is empty", output(""), "0 characters"),
            ("S2.5 no story", {"changesApplied": []}, "enhancedStory"),
            ("S2.6 no list of changes", {"enhancedStory": "S."},
             "changesApplied"),
            ("S2.6 a change without a category", output(
                "S.", {"description": "d"}), "category"),
            ("S2.6 a change with an empty description", output(
                "S.", change(description="")), ""),
            ("S2.7 a confidence above 1", output(confidence=85), "85"),
            ("S2.7 a confidence that is a text", output(confidence="0.5"),
             '"0.5"')):
        with Mock({"json": reply}):
            result = agent("validation")
            gives(f"{name}: is logged", result, 0, None, ["[WARN] validation: ",
                                                        says])
    with Mock({"text": bad}, {"when": {"contains": "wrong passwords"},
                              "json": output("Never.")},
              {"when": {"contains": "Better."}, "json": output("Best.")}):
        gives("an iteration goes on from there",
              agent("validation,security"), 0, "Best.\n")
    with Mock({"text": "An error: a long text is a story all the same. "
                       + "x" * 200}):
        check("a long text with the word error: is a story",
              agent("validation").code == 0)


def test_no_fallback():
    long = "Error: " + "é" * 150
    for name, reply, parts in (
            ("an empty reply", {"text": ""}, ["validation: ", "empty"]),
            ("a blank reply", {"text": " \n\t "}, ["validation: "]),
            ("an apology", {"text": "Sorry, I cannot help with that."},
             ["(Sorry, I cannot help with that.)"]),
            ("an error as text", {"text": long},
             ["(" + long[:100] + ")"]),
            ("a refusal by the API", {"refusal": "I will not."},
             ["refuses", "I will not."]),
            ("a story that is cut off", {"text": "As a user I wa",
                                         "finish": "length"}, ["cut off"])):
        with Mock(reply, then="repeat"):
            gives(f"{name} is no story", agent("validation"), 1, "", parts)


def test_kept():
    """What was done stays, whatever a later iteration comes to."""
    first = output("First.", change(), confidence=0.5)
    second = output("Second.", change("security", "Limited the tries"))
    for name, reply, code, says in (
            ("is no story", {"text": "Error: overloaded"}, 1,
             "(Error: overloaded)"),
            ("gets no reply", {"status": 401}, 3, "HTTP 401"),
            ("is refused", {"refusal": "No."}, 1, "refuses")):
        with mocked(first, second, reply, reply):
            gives(f"a third iteration that {name} loses no iteration before it",
                  agent("validation,security,analytics"), code, "Second.\n",
                  ["[ERROR] analytics: ", says])
        with mocked(first, second, reply, reply):
            result = agent("validation,security,analytics", more=("--json",))
            found = json.loads(result.out or "{}")
            check(f"{name}: S2.14 the result has changes and confidence by "
                  "iteration", result.code == code and found.get("story")
                  == "Second." and [
                      (one.get("iteration"), one.get("verdict"),
                       one.get("confidence"), one.get("changesApplied"))
                      for one in found["iterations"][:2]] == [
                      ("validation", "valid", 0.5, first["changesApplied"]),
                      ("security", "valid", None, second["changesApplied"])]
                  and found["iterations"][2]["iteration"] == "analytics"
                  and says.strip("()") in found["iterations"][2]["message"]
                  + result.err, result)
    with mocked({"text": "Error: overloaded"}):
        result = agent("validation", more=("--json",))
        same("where nothing was done there is no story", (
            result.code, json.loads(result.out)["story"]), (1, None))
    with mocked({"text": "As a user I want prose."}):
        same("a fallback is named", json.loads(agent(
            "validation", more=("--json",)).out)["iterations"],
             [{"iteration": "validation", "verdict": "fallback",
               "confidence": None, "changesApplied": []}])


def test_calls():
    with Mock({"status": 429, "headers": {"retry-after": "0"}},
              {"status": 503}, {"status": 502, "html": True},
              {"json": output("Late.")}):
        gives("broken calls are repeated", agent("validation"), 0, "Late.\n")
    with Mock({"status": 401, "repeat": True}):
        gives("a wrong key is the provider's word", agent("validation"), 3, "",
              ["validation: ", "HTTP 401"])
    write("surety.json", {"default": ["replay:one.jsonl"]})
    write("one.jsonl", json.dumps({"reply": output("By default.")}))
    gives("without -m: the default of surety.json",
          agent("validation", model=None), 0, "By default.\n")
    gives("a recording that is at its end",
          agent("validation,security", model=None), 3, "By default.\n",
          ["security: ", "recording"])


def test_log():
    with mocked(output("S.", change("a\n[2026-01-01T00:00:00Z] [ERROR] b",
                                    "\x1b[31mred\x1b[0m")),
                then="repeat"):
        result = agent("validation")
        check("what a model wrote begins no line and no colour",
              len(result.err.splitlines()) == 2 and "\x1b" not in result.err,
              result)
        for level, lines in (("silent", 0), ("error", 0), ("warn", 0),
                             ("info", 1), ("debug", 2),
                             ("nonsense", 1), ("", 1)):
            same(f"LOG_LEVEL={level}",
                 len(agent("validation", level=level).err.splitlines()), lines)
    with Mock({"text": "Just prose."}, then="repeat"):
        for level, lines in (("silent", 0), ("error", 0), ("warn", 1),
                             ("info", 2), ("nonsense", 2)):
            same(f"the fallback's warning at LOG_LEVEL={level}",
                 len(agent("validation", level=level).err.splitlines()), lines)


def test_wrong_calls():
    write("surety.json", {})
    base = ("--mode", "individual", "--iterations")
    for name, arguments, story, parts in (
            ("nothing", (), STORY, IDS),
            ("another mode", ("--mode", "workflow", "--iterations",
                              "validation"), STORY, ("individual",)),
            ("no iterations", base + ("",), STORY, IDS),
            ("an unknown iteration", base + ("validation,speed",), STORY,
             IDS + ("not understood: speed",)),
            ("an empty story", base + ("validation",), "",
             ("empty story",)),
            ("a blank story", base + ("validation",), " \n\t\n",
             ("empty story",)),
            ("thirteen iterations", base + (",".join(IDS + IDS[:1]),), STORY,
             ("iterations",)),
            ("an unknown option", base + ("validation", "--fast", "yes"),
             STORY, ("not understood: --fast",)),
            ("an option in front", ("--fast", "yes") + base + ("validation",),
             STORY, ("not understood: --fast",)),
            ("an option without its value", base + ("validation", "-m"), STORY,
             ("not understood: -m",)),
            ("a word that is no option", base + ("validation", "security"),
             STORY, ("not understood: security",)),
            ("no model", base + ("validation",), STORY, ("model",)),
            ("an unknown model", base + ("validation", "-m", "nobody"), STORY,
             ('"nobody"',))):
        gives(f"{name}: is reported, and nothing is asked",
              system("user-story", *arguments, stdin=story), 2, "", parts)
    gives("a recording that is not there",
          agent("validation", model="replay:nowhere.jsonl"), 4, "",
          ["nowhere.jsonl"])
    write("surety.json", '{"models": 5}')
    gives("a configuration that is none", agent("validation"), 2, "",
          ["user-story: "])
    write("surety.json", {})
    shown = surety("contracts", "show", "user-story/iteration-output")
    check("S2.4 the schema is one contract, which the tool shows",
          '"title": "IterationOutput"' in shown.out, shown)


def test_program():
    is_careful("user-story", "--mode", "individual", "--iterations",
               "validation", "-m", recording("user-story"), stdin="A story")
    is_small("user-story")


run_tests(test_example, test_prompt, test_valid, test_fallback,
          test_no_fallback, test_kept, test_calls, test_log, test_wrong_calls,
          test_program)
