#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What models are told, with the command-line tool: prompt, and check
--retry-prompt: cli_prompt_test.py [SURETY]."""

from cli_run import (BAD, GOOD, POINT, check, complains, gives, run_tests,
                     same, surety, write)


def test_prompt():
    write("point.json", POINT)
    write("ask.txt", "Where is it?\n")
    base = ("prompt", "-c", "point.json")
    text = surety(*base, "Where is it?")
    gives("a prompt", text, 0)
    check("a prompt has the schema behind it",
          text.out.startswith("Where is it?\n\nAnswer with one JSON value ")
          and '"maximum"' in text.out and "x-surety" not in text.out)
    for name, call in (("from a file", surety(*base, "@ask.txt")),
                       ("from -", surety(*base, "-", stdin="Where is it?")),
                       ("from stdin", surety(*base, stdin="Where is it?"))):
        same("a prompt " + name, call.out, text.out)
    system = surety(*base, "--system")
    same("the instructions alone", "Where is it?\n\n" + system.out, text.out)
    check("a type", "type " in surety(*base, "--system", "--style",
                                      "typescript").out)
    example = surety(*base, "--example")
    same("an example is valid",
         surety("check", "-c", "point.json", stdin=example.out).code, 0)
    check("native says no place",
          "alone" not in surety(*base, "--system", "--native").out)
    check("a size", f"{len(system.out)} bytes, about" in
          surety(*base, "--system", "--size").err)


def test_words():
    write("point.json", POINT)
    write("words.txt", "For ${prompt}:\nlike ${example}\n")
    base = ("prompt", "-c", "point.json")
    example = surety(*base, "--instructions", "${example}", "--system").out
    gives("instructions of a file", surety(*base, "--instructions",
                                           "@words.txt", "${schema}"), 0,
          f"For ${{schema}}:\nlike {example}\n")
    gives("no instructions", surety(*base, "--instructions", "none", "Hi\n"),
          0, "Hi\n")
    gives("the system part", surety(*base, "--system", "--instructions", "none",
                                    "--system-template", "$${a}"), 0, "${a}")
    write("wrong.txt", "a\n b ${promt}\n")
    complains("a variable that does not exist",
              surety(*base, "--instructions", "@wrong.txt", "Hi"), 2,
              "wrong.txt:2:4: error: ${promt} is no variable of the "
              "instructions")
    complains("one of another part",
              surety(*base, "--system-template", "${reply}", "Hi"), 2,
              "--system-template:1:1: error: ${reply} is no variable of the "
              "system part")
    complains("an empty template", surety(*base, "--instructions", "", "Hi"),
              2, "the template of --instructions is empty")


def test_prompt_mistakes():
    write("point.json", POINT)
    complains("no contract", surety("prompt", "x"), 2, "-c")
    complains("two prompts", surety("prompt", "-c", "point.json", "a", "b"), 2,
              "one PROMPT")
    complains("a prompt beside --system",
              surety("prompt", "-c", "point.json", "--system", "a"), 2,
              "--system")
    complains("a file that is not there",
              surety("prompt", "-c", "point.json", "@none"), 4, "none")
    write("never.json", '{"type":"integer","minimum":2,"maximum":1}')
    complains("no example", surety("prompt", "-c", "never.json", "--example"),
              2, "no example")


def test_retry_prompt():
    write("point.json", POINT)
    write("ask.txt", "Where is it?")
    base = ("check", "-c", "point.json", "--retry-prompt")
    gives("a good reply gives its value", surety(*base, "errors", stdin=GOOD),
          0, '{"x":1}\n')
    first = surety("prompt", "-c", "point.json", "Where is it?").out
    for how, says in (("simple", "Answer again"), ("errors", "/x: 99"),
                      ("patch", "RFC 6902"), ("contract", "/x: 99")):
        call = surety(*base, how, "--prompt", "@ask.txt", stdin=BAD)
        same(f"{how}: the code", call.code, 1)
        check(f"{how}: the first prompt and what was wrong",
              call.out.startswith(first) and says in call.out[len(first):])
    complains("with --jsonl", surety(*base, "errors", "--jsonl"), 2, "--jsonl")
    complains("--prompt alone",
              surety("check", "-c", "point.json", "--prompt", "x"), 2,
              "--retry-prompt")


run_tests(test_prompt, test_words, test_prompt_mistakes, test_retry_prompt)
