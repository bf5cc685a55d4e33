# SPDX-License-Identifier: Apache-2.0
"""fastjsonschema as a peer: peer_python.py SCHEMA INSTANCES, in the words of
bench.c."""

import json
import re
import sys
import time

try:
    import fastjsonschema
except ImportError:
    print(json.dumps({"error": "fastjsonschema is not installed"}))
    sys.exit(0)

# Keywords that it would pass over in silence.
LATER = re.compile(r'"(\$dynamicRef|\$recursiveRef|unevaluated\w+|'
                   r'prefixItems|dependentSchemas)"')


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema_text = file.read()
    with open(sys.argv[2], "rb") as file:
        whole = file.read()
    mark = {"jsonl": b"\n", "seq": b"\x1e"}.get(sys.argv[2].split(".")[-1])
    texts = ([text for text in whole.split(mark) if text] if mark else [whole])

    # Nobody else here asserts formats, so every one of them is let through.
    formats = dict.fromkeys(
        re.findall(r'"format"\s*:\s*"([^"]+)"', schema_text),
        lambda text: True)

    def compile_schema():
        return fastjsonschema.compile(json.loads(schema_text),
                                      formats=formats, use_default=False)

    def is_valid(value):
        try:
            validate(value)
        except fastjsonschema.JsonSchemaValueException:
            return False
        return True

    def parse():
        for text in texts:
            json.loads(text)

    def check():
        for value in values:
            is_valid(value)

    def check_bytes():
        for text in texts:
            is_valid(json.loads(text))

    if LATER.search(schema_text):
        print(json.dumps({"error": "knows drafts 4 to 7 only"}))
        return
    try:
        validate = compile_schema()
        values = [json.loads(text) for text in texts]
        verdicts = "".join("01"[is_valid(value)] for value in values)
    except Exception as error:  # whatever it meets, the others go on
        print(json.dumps({"error": str(error)[:200]}))
        return
    print(json.dumps({"verdicts": verdicts}), flush=True)
    works = {"parse": parse, "check": check, "bytes": check_bytes,
             "compile": compile_schema}
    for line in sys.stdin:
        name, ms = line.split()
        if name not in works:
            print(-1, flush=True)
            continue
        start, used = time.perf_counter_ns(), time.process_time_ns()
        passes = spent = 0
        while passes == 0 or spent < int(ms) * 1_000_000:
            works[name]()
            passes += 1
            spent = time.perf_counter_ns() - start
        used = time.process_time_ns() - used
        print(min(spent, used) / passes, flush=True)


main()
