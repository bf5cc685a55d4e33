#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one commit costs beside another, both measured by bench.py --json:

    compare.py OLD.json NEW.json [--most RATIO]

A row is the geometric mean of new/old over its sets, of Surety's figures. With
--most it fails if a row is above that. Measure both on one machine, one after
the other; a row of small sets moves by some per cent from run to run."""

import argparse
import json
import math
import statistics
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def of_surety(run):
    return {(one["row"], one["set"], one["unit"]): one["least"]
            for one in run["figures"] if one["tool"].lower() == "surety"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--most", type=float, default=math.inf)
    options = parser.parse_args()
    old, new = read(options.old), read(options.new)
    print(f"old: {old['where']}\nnew: {new['where']}\n")
    print(f"{'row':<36} {'sets':>4} {'ratio':>6} {'worst':>6} on")
    before, rows = of_surety(old), {}
    for key, least in of_surety(new).items():
        if before.get(key):
            rows.setdefault(key[0], []).append((least / before[key], key[1]))
    above = []
    for row, ratios in rows.items():
        mean = math.exp(statistics.fmean(math.log(one[0]) for one in ratios))
        worst, name = max(ratios)
        print(f"{row:<36} {len(ratios):>4} {mean:>6.3f} {worst:>6.3f} {name}")
        if mean > options.most:
            above.append(row)
    if not rows:
        sys.exit("compare: the two have no row in common")
    if above:
        sys.exit(f"compare: above {options.most}: {', '.join(above)}")


main()
