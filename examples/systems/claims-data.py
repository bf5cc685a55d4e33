#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an SQLite database of invented claims of a health plan, the same every
time: claims-data.py FILE. claims.py asks it."""

import random
import sqlite3
import sys

# Type, category, claims a year of a provider group, price of one in dollars.
SERVICES = (("outpatient", "imaging", 300, 640),
            ("outpatient", "surgery", 60, 3500),
            ("outpatient", "emergency", 125, 900),
            ("outpatient", "laboratory", 600, 90),
            ("inpatient", "medical", 30, 9000),
            ("inpatient", "surgical", 20, 15000),
            ("inpatient", "maternity", 10, 8000),
            ("pharmacy", "brand", 450, 250), ("pharmacy", "generic", 1500, 25))
REGIONS = ("north-east", "north-west", "south-east", "south-west")
AGES = (("0-17", .6), ("18-44", .9), ("45-64", 1.2), ("65+", 1.3))
DEARER = ("group-03", "group-07")  # whose imaging rose: what is to be found


def make(path):
    """Members stay 100,000; prices rise by 1.5 % and claims by 1 %. Two groups
    do most of the imaging in the north-east, and take 22 % more for it."""
    with open(path, "x", encoding="utf-8"):
        pass  # an SQLite database that is there stays as it is
    chance = random.Random(2023)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE members (year INTEGER, members INTEGER)")
        database.executemany("INSERT INTO members VALUES (?, 100000)",
                             ((2022,), (2023,)))
        database.execute(
            "CREATE TABLE claims (year INTEGER, claim_type TEXT, "
            "service_category TEXT, region TEXT, provider_group TEXT, "
            "age_group TEXT, claims INTEGER, cost REAL)")
        for number in range(31):
            group = f"group-{number + 1:02}"
            for kind, category, claims, price in SERVICES:
                dear = category == "imaging" and group in DEARER
                for age, share in AGES:
                    count = claims / 4 * share * (.9 + .2 * chance.random())
                    for year in (2022, 2023):
                        later = year == 2023
                        many = round(count * (1.01 if later else 1)
                                     * (6 if dear else 1))
                        each = price * (1.015 if later else 1) \
                            * (1.22 if dear and later else 1)
                        database.execute(
                            "INSERT INTO claims VALUES (?,?,?,?,?,?,?,?)",
                            (year, kind, category, REGIONS[number // 8], group,
                             age, many, round(many * each, 2)))


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        make(arguments[0])
    except OSError as error:
        print(f"claims-data.py: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
