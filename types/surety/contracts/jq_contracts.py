#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints those of the contracts that have rules or derived members, which are
jq programs: jq_contracts.py FOLDER CONTRACT..."""

import json
import os
import sys

for path in sys.argv[2:]:
    with open(os.path.join(sys.argv[1], path), encoding="utf-8") as file:
        own = json.load(file).get("x-surety", {})
    if "rules" in own or "derive" in own:
        print(path)
