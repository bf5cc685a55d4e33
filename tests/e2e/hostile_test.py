# SPDX-License-Identifier: Apache-2.0
"""The tool against inputs that mean harm, or merely are harmful: each ends in
a bounded time, in bounded memory and on a small stack (hostile_run.py), with a
message that names the limit or the place.

Not tested here, for this version has no part that they could harm: partial
values and streams (a read cut at every boundary, framing inside strings),
repairs that would invent data, prompts with a schema's text in them, and what
providers, gateways and ledgers meet. That every allocation may fail is tested
in tests/fault; that threads share a schema, in
tests/unit/schema_threads_test.c."""

import json
import os
import re
import shutil
import subprocess

from cli_run import FOLDER, run_tests, write
from hostile_run import (SANITIZED, check, ends, hostile, is_clean, judged,
                         skip, validated)

MIB = 1 << 20
INTEGER = {"type": "integer"}


def prepare():
    """The contracts that the tests use."""
    write("any.json", {})
    write("point.json", {"type": "object", "required": ["x"],
                         "properties": {"x": {"type": "integer",
                                              "maximum": 10}}})


# -- the reader ----------------------------------------------------------------

def depth():
    for name, part in (("[", "["), ('{"a":', '{"a":')):
        text = part * 10_000_000 if part == "[" else part * 2_000_000
        column = len(part) * 512 + 1
        for place in ("whole", "embedded"):
            ends(f"depth: {len(text):,} bytes of {name}, {place}",
                 judged(text, "--extract", place), 1, "json_parse"
                 if place == "whole" else "")
        write("deep.json", text)
        ends(f"depth: {len(text):,} bytes of {name} as an instance",
             hostile("validate", "any.json", "deep.json"), 1,
             f"deep.json:1:{column}:", "depth_max of 512")
        ends(f"depth: {len(text):,} bytes of {name} as a schema",
             hostile("validate", "deep.json", "any.json"), 2, "deep.json",
             "limit")
    for levels, code in ((511, 0), (512, 0), (513, 1)):
        for opened, closed in (("[", "]"), ('{"a":', "}")):
            inner = "" if opened == "[" else "1"
            text = opened * levels + inner + closed * levels
            ends(f"depth: {levels} of {opened}", judged(text, "--extract",
                                                        "whole"),
                 code, *(["depth_max of 512"] if code else []),
                 out=b"" if code else text.encode() + b"\n")


def strings():
    """Escapes, UTF-8 and zero bytes, in a key and in a value."""
    bad = {
        r"\u12G4": b'"\\u12G4"', r"\x41": b'"\\x41"', "\\": b'"\\',
        "an open string": b'"abc', "a cut escape": b'"\\u12',
        "overlong": b'"\xC0\x80"', "a long overlong": b'"\xF0\x80\x80\xAF"',
        "a surrogate's bytes": b'"\xED\xA0\x80"', "F5": b'"\xF5\x80\x80\x80"',
        "above U+10FFFF": b'"\xF4\x90\x80\x80"', "a cut one": b'"\xE2\x82"',
        "a lone continuation": b'"\x80"', "FF": b'"\xFF"',
        "a raw zero byte": b'"a\0b"', "a raw line feed": b'"a\nb"',
        "a raw escape": b'"\x1B[31m"', "a lone surrogate": b'"\\ud800"',
        "surrogates the wrong way": b'"\\udc00\\ud800"',
        "a cut pair": b'"\\ud83d\\u"'}
    for name, text in bad.items():
        ends(f"strings: {name}, as a value",
             judged(b'{"a":\n' + text + b"}", "--extract", "whole"), 1,
             "stdin:2:", "json_parse")
        if text.count(b'"') == 2:
            ends(f"strings: {name}, as a key",
                 judged(b"{\n" + text + b":1}", "--extract", "whole"), 1,
                 "stdin:2:", "json_parse")
    ends("strings: an escaped zero is kept",
         judged('{"a\\u0000b":"c\\u0000d"}'), 0,
         out=b'{"a\\u0000b":"c\\u0000d"}\n')
    text = b'"' + b'\\"\\\\' * (4 * MIB) + b'"'
    ends("strings: 16 MiB of escapes", judged(text, "--extract", "whole"), 0,
         out=text + b"\n")
    long = b'"' + b"a" * (16 * MIB) + b'"'
    ends("strings: 16 MiB", judged(long, "--extract", "whole"), 0,
         out=long + b"\n")
    ends("strings: 16 MiB and one", judged(b'"a' + long[1:], "--extract",
                                           "whole"), 1, "string_len_max")
    for size, code in ((65535, 0), (65536, 0), (65537, 1)):
        ends(f"strings: a key of {size} bytes",
             judged('{"' + "k" * size + '":1}', "--extract", "whole"), code,
             *(["key_len_max of 65536"] if code else []))


def numbers():
    for name, text in (("100,000 digits", "9" * 100_000),
                       ("a megabyte of digits", "9" * MIB),
                       ("a megabyte of decimals", "0." + "3" * MIB),
                       ("100,000 digits of exponent", "1e" + "9" * 100_000)):
        ends(f"numbers: {name}", judged(text, "--extract", "whole"), 1,
             "stdin:1:1:", "number_len_max of 1000")
    for size, code in ((999, 0), (1000, 0), (1001, 1)):
        ends(f"numbers: {size} digits", judged("7" * size, "--extract",
                                               "whole"), code,
             *(["number_len_max of 1000"] if code else []))
    for text in ("-0", "1E400", "9007199254740993", "0.1", "1e999999999",
                 "-1e-999999999", "123456789012345678901234567890.5",
                 "9223372036854775808", "1e" + "9" * 900):
        ends(f"numbers: {text[:32]} is kept as it is",
             judged(text, "--extract", "whole"), 0, out=text.encode() + b"\n")
    ends("numbers: 2^53 + 1 is not 2^53",
         validated({"const": 9007199254740992}, "9007199254740993"), 1,
         "error[const]")
    for text, code in (("1e999999999", 1), ("-1e999999999", 0),
                       ("1e-999999999", 0), ("10.0000000000000000001", 1),
                       ("1e" + "9" * 900, 1)):
        ends(f"numbers: {text[:32]} against a maximum of 10",
             validated({"maximum": 10}, text), code,
             *(["error[maximum]"] if code else []))
    ends("numbers: 1e999999999 is an integer",
         validated(INTEGER, "1e999999999"), 0)
    for text in ("NaN", "Infinity", "-Infinity", "nan1", "0x10", "+1", "01",
                 ".5", "1.", "1e", "1e+", "-", "--1", "1_000", "1,5", "1n"):
        ends(f"numbers: {text} is none", validated({}, text), 1,
             "hostile.json:1:", "json_parse")
        ends(f"numbers: {text} is none in a reply",
             judged(f'{{"x":{text}}}', "--extract", "whole"), 1, "stdin:1:",
             "json_parse")


def objects():
    ends("objects: a key again, by its escape",
         judged('{"x":1,\n"\\u0078":2}'), 0, "stdin:2:1: warning"
         "[duplicate_key]", '"x"', out=b'{"x":2}\n')
    ends("objects: the last of two is the one that is judged",
         judged('{"x":1,"x":99}', contract="point.json"), 1, "duplicate_key",
         "99 is greater", "stdin:1:12:")
    many = ",".join(f'"k{i:06}":{i}' for i in range(100_000))
    ends("objects: 100,000 keys", judged("{" + many + "}"), 0)
    ends("objects: 100,000 keys, each twice",
         judged("{" + many + "," + many + "}"), 0, "duplicate_key")
    ends("objects: one key 1,000,000 times",
         judged("{" + ",".join(['"a":1'] * 1_000_000) + "}"), 0,
         "duplicate_key", out=b'{"a":1}\n')
    ends("objects: duplicates nested 500 deep",
         judged('{"a":1,"a":' * 500 + "1" + "}" * 500), 0, "duplicate_key")


def sizes():
    ends("sizes: 4,000,000 empty arrays",
         judged("[" + ",".join(["[]"] * 4_000_000) + "]", "--report", "json"),
         0)
    ends("sizes: 10,000,000 empty arrays",
         judged("[" + ",".join(["[]"] * 10_000_000) + "]", "--extract",
                "whole"), 1, "values_max")
    full = 32 * MIB
    for size, code in ((full, 0), (full + 1, 1)):
        text = b"1" + b" " * (size - 1)
        ends(f"sizes: a reply of {size} bytes", judged(text), code,
             *([f"{full}"] if code else []))
        write("large.json", text)
        ends(f"sizes: an instance of {size} bytes",
             hostile("validate", "any.json", "large.json"), code,
             *([f"text_bytes_max of {full}"] if code else []))
    if SANITIZED:
        skip("sizes: no memory", "the sanitizer needs it")
        return
    run = hostile("check", "-c", "any.json",
                  stdin="[" + ",".join(["[1,2]"] * 4_000_000) + "]",
                  memory=48 * MIB)
    ends("sizes: no memory", run, 4, "out of memory", out=b"")


def encodings():
    mark = "\ufeff".encode()
    ends("encodings: a byte order mark", judged(mark + b'{"x":1}'), 0,
         out=b'{"x":1}\n')
    ends("encodings: a byte order mark, as an instance",
         validated({}, mark + b"1"), 0)
    ends("encodings: a byte order mark, as a schema",
         validated(mark + b"{}", "1"), 0)
    ends("encodings: a byte order mark in the middle",
         judged(b"[1," + mark + b"2]", "--extract", "whole"), 1, "stdin:1:4:")
    for name in ("utf-16", "utf-16-be", "utf-32"):
        ends(f"encodings: {name}", judged('{"x":1}'.encode(name)), 1,
             "stdin")
        ends(f"encodings: {name}, as an instance",
             validated({}, '{"x":1}'.encode(name)), 1, "hostile.json:1:")
        ends(f"encodings: {name}, as a schema",
             validated('{"type":"null"}'.encode(name), "1"), 2,
             "hostile.schema.json:1:")
    for name, text in (("leading", 'x{"a":1}'), ("trailing", '{"a":1}x'),
                       ("two documents", '{"a":1}\n{"b":2}'),
                       ("a zero byte behind", '{"a":1}\0')):
        ends(f"encodings: {name}, strictly", validated({}, text), 1,
             "hostile.json:")
        ends(f"encodings: {name}, in a reply", judged(text), 0,
             out=b'{"a":1}\n')
    ends("encodings: carriage returns count as lines do elsewhere",
         judged(b'a\r\n```json\r\n{"x":\r\n99}\r\n```\r\n',
                contract="point.json"), 1, "stdin:4:1:")
    ends("encodings: a lone carriage return is a line's end too",
         judged(b'a\r```json\r{"x":\r99}\r```\r', contract="point.json"), 1,
         "stdin:4:1:")
    ends("encodings: bytes that are no UTF-8 around the JSON",
         judged(b'\xFF\xFE\xC0\n```json\n{"x":1}\n```\n\xED\xA0\x80'), 0,
         out=b'{"x":1}\n')
    ends("encodings: zero bytes around the JSON",
         judged(b'\0\0\n```json\n{"x":1}\n```\n\0'), 0, out=b'{"x":1}\n')
    listed = subprocess.run(["locale", "-a"], capture_output=True, text=True,
                            check=False).stdout.split()
    german = [name for name in listed if name.startswith("de_DE")]
    if not german:
        skip("encodings: a decimal comma", "no locale de_DE")
        return
    ends("encodings: a decimal comma",
         hostile("check", "-c", "any.json", stdin="[1.5,1e3]",
                 env={"LC_ALL": german[0]}), 0, out=b"[1.5,1e3]\n")


# -- extraction ----------------------------------------------------------------

def replies():
    """Prose that is all beginnings. What is said differs; that it is said at
    once, does not."""
    megabytes = 10_000_000
    for name, part in (
            ("backticks", "`"), ("fence lines", "```\n"), ("tildes", "~~~\n"),
            ("braces", "{"), ("braces and quotes", '{"'),
            ("open members", '{"a":"'), ("quotes", "> "),
            ("quoted fences", "> ```\n"), ("lists", "- "),
            ("fences in lists", "- ```json\n"), ("reasoning", "<think>"),
            ("reasoning again and again", "<think></think>"),
            ("escapes", '"\\'), ("blank lines", "\n"), ("zero bytes", "\0"),
            ("markers", "Final Answer: "), ("closings", "]}"),
            ("values cut off", '{"a":1,'), ("open fences", "```json\n"),
            ("growing fences", None)):
        text = part and part * (megabytes // len(part))
        if part is None:
            text = "\n".join("`" * i + "json" for i in range(3, 4000))
        for options in ((), ("--pick", "last"),
                        ("--extract", "marker", "--marker", "Final Answer:"),
                        ("--extract", "fence,fence-any", "--pick", "last")):
            ends(f"replies: {len(text):,} bytes of {name} {options}",
                 judged(text, *options), 1, "stdin", out=b"")
    for name, part in (("good blocks", '```json\n{"x":1}\n```\n'),
                       ("good values", '{"x":1} ')):
        for pick in ("first", "last"):
            ends(f"replies: 10 MB of {name}, {pick}",
                 judged(part * (megabytes // len(part)), "--pick", pick), 0,
                 out=b'{"x":1}\n')
    for name, part in (("bad blocks", '```json\n{"x":99}\n```\n'),
                       ("bad values", '{"x":99} ')):
        ends(f"replies: 10 MB of {name}",
             judged(part * (megabytes // len(part)), contract="point.json"), 1,
             "error[maximum]")


def empties():
    for name, text in (("nothing", b""), ("white space", b" \r\n\t"),
                       ("a byte order mark", "\ufeff".encode())):
        ends(f"empties: {name}", judged(text), 1, "error[extraction]",
             out=b"")
        ends(f"empties: {name}, extracted", hostile("extract", stdin=text), 1,
             "error[extraction]", out=b"")
    ends("empties: nothing as an instance", validated({}, ""), 1,
         "hostile.json:1:1:")
    ends("empties: nothing as a schema", validated("", "1"), 2,
         "hostile.schema.json:1:1:")
    ends("empties: no records", hostile("check", "-c", "any.json", "--jsonl"),
         0, "0 replies", out=b"")


def several():
    two = 'Like {"x":99}, or:\n```json\n{"x":2}\n```\nor {"x":3}'
    ends("several: the one that is valid",
         judged(two, "--extract", "embedded", contract="point.json"), 0,
         out=b'{"x":2}\n')
    run = judged(two, "--extract", "embedded", "--report", "json",
                 contract="point.json")
    check("several: the report has its span", json.loads(run.err)["span"] ==
          {"start": two.index('{"x":2'), "end": two.index('{"x":2') + 7}, run)
    quoted = ('The schema is ```{"type":"object"}``` and\n```json\n'
              '{"x":1}\n```\n')
    ends("several: a quoted schema first",
         judged(quoted, contract="point.json"), 0, out=b'{"x":1}\n')
    ends("several: text that looks like the frames of a stream",
         judged('{"x":1,"s":"data: [DONE]\\n\\n{\\"finish_reason\\":\\"stop'
                '\\"}"}', contract="point.json"), 0)


def truncation():
    """A reply cut at every byte is valid only where it is whole again."""
    reply = ('Sure.\n\n```json\n{"x": 7, "s": "a\\"}b\\u00e9 \u20ac", '
             '"l": [1, {"y": [true, null, -1.5e3]}]}\n```\nDone.\n').encode()
    complete = reply.index(b"\n```\n") + len(b"\n```")
    closed = reply.index(b"\n```\n")
    records = b"".join(json.dumps(reply[:end].decode(errors="replace"))
                       .encode() + b"\n" for end in range(len(reply) + 1))
    run = hostile("check", "-c", "point.json", "--jsonl", stdin=records)
    reports = [json.loads(line) for line in run.out.splitlines()]
    check("truncation: one report a cut", len(reports) == len(reply) + 1, run)
    wrong = [end for end, report in enumerate(reports)
             if report["ok"] and end < closed
             or report["ok"] != (end >= closed) and end >= complete
             or not report["ok"] and report["stage"] not in
             ("extraction", "json_parse")]
    check("truncation: none is valid inside the JSON", not wrong, wrong)
    for end in (10, 20, 40, closed - 1):
        ends(f"truncation: at byte {end}, in bytes",
             judged(reply[:end], contract="point.json"), 1, "stdin",
             "error[extraction]", out=b"")
    fence = hostile("check", "-c", "point.json", "--jsonl", "--extract",
                    "fence", stdin=records)
    reports = [json.loads(line) for line in fence.out.splitlines()]
    wrong = [end for end, report in enumerate(reports)
             if report["ok"] != (end >= complete)]
    check("truncation: a block is none before it is closed", not wrong, wrong)


def terminal():
    """Nothing that a reply says reaches a terminal as a command."""
    codes = ("\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\r", "\b", "\x7f",
             "\x00", "\u202e", "\x85")
    for code in codes:
        text = f'{code}\n```json\n{{"x": 99, "k{code}": "{code}"}}\n```\n'
        for form in ("text", "plain", "github", "sarif", "json"):
            for reply in (text, text.replace("99", "1"),
                          json.dumps({"x": code, code: 1})):
                run = judged(reply, "--report", form, contract="closed.json")
                # JSON escapes what JSON must, which DEL and C1 are not.
                told = run.err if form in ("text", "plain", "github") else \
                    re.sub("[\x7f-\x9f]", "", run.err.decode()).encode()
                check(f"terminal: {code!r} in a reply, {form}",
                      run.code == 1 and is_clean(told) and not run.out,
                      repr(run))
    name = "a\x1b[2Jb.md"
    ends("terminal: in the name of a file that is not there",
         hostile("check", "-c", "any.json", name), 4, "cannot be read")
    write(name, '{"x":99}')
    for form in ("text", "plain", "github", "sarif", "json"):
        ends(f"terminal: in the name of a file, {form}",
             hostile("check", "-c", "point.json", "--report", form, name), 1)
    ends("terminal: in an option", hostile("check", "--\x1b[2J"), 2)
    ends("terminal: in a command", hostile("\x1b[2J"), 2)
    ends("terminal: in a contract's name", hostile("check", "-c", "\x1b[2J"),
         2)
    ends("terminal: in an option's value",
         hostile("check", "-c", "any.json", "--report", "\x1b[2J"), 2)
    ends("terminal: in a place's name",
         hostile("check", "-c", "any.json", "--extract", "\x1b[2J"), 2)
    ends("terminal: in a variable",
         hostile("check", "-c", "any.json", "--var", "\x1b[2J"), 2)
    ends("terminal: in a reference's document",
         hostile("validate", "--resolve", "\x1b[2J", "any.json", "any.json"),
         2)
    write("control.json", json.dumps({"type": "\u001b[2J"})
          .replace("\\u001b", "\x1b"))
    ends("terminal: raw in a contract",
         hostile("check", "-c", "control.json"), 2)
    write("control.json", {"properties": {"\x1b[2J": {"type": "\x1b[2J"}},
                           "$schema": "\x1b[2J"})
    for arguments in (("check", "-c", "control.json"),
                      ("contracts", "lint", "control.json"),
                      ("validate", "control.json", "any.json")):
        ends(f"terminal: escaped in a contract, {arguments[0]}",
             hostile(*arguments), 2)
    write("titled.json", {"title": "\x1b[2J", "type": "string",
                          "pattern": "\x1b\\[2J", "description": "\x1b[2J",
                          "x-surety": {"deprecated": "\x1b[2J"}})
    for form in ("text", "plain", "github", "sarif", "json"):
        ends(f"terminal: escaped in a notice, {form}",
             judged('"a"', "--report", form, contract="titled.json"), 1)
    os.makedirs(os.path.join(FOLDER, "contracts"))
    shutil.copy(os.path.join(FOLDER, "titled.json"),
                os.path.join(FOLDER, "contracts", "titled.json"))
    run = hostile("contracts", "list")
    check("terminal: escaped in a listing", run.code == 0
          and is_clean(run.out), repr(run))
    shutil.rmtree(os.path.join(FOLDER, "contracts"))


def prepare_terminal():
    write("closed.json", {"type": "object", "properties": {"x": {
        "type": "integer", "maximum": 10}}, "additionalProperties": False})


run_tests(prepare, prepare_terminal, depth, strings, numbers, objects, sizes,
          encodings, replies, empties, several, truncation, terminal)
