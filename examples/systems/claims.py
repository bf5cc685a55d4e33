#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tools by which the model of `trend` asks a database of claims
(trend-tools.json, docs/systems.md):

    claims.py TOOL      does one call: arguments on standard input as JSON, the
                        result on standard output

They read the database that CLAIMS_DB names (claims-data.py makes one), and
write CSV files into the folder CSV_FOLDER. A tool that fails says on standard
error what to do instead, for the model to read, and ends with 1. SQL is made of
the names below alone; whatever the model says is bound as a parameter."""

import csv
import hashlib
import json
import os
import sqlite3
import sys
from urllib.parse import quote

DIMENSIONS = ("year", "claim_type", "service_category", "region",
              "provider_group", "age_group")
COMPARES = {"=": "= ?", "!=": "!= ?", ">": "> ?", ">=": ">= ?", "<": "< ?",
            "<=": "<= ?", "like": "LIKE ?", "is null": "IS NULL",
            "is not null": "IS NOT NULL", "between": "BETWEEN ? AND ?"}
TOP = 999          # rows of a result
VALUES_MAX = 100   # of one filter
FILTERS_MAX = 20
FILES_MAX = 100    # CSV files in the folder: a model cannot fill the disk


class Wrong(Exception):
    """What the model is told."""


# ---- the database ------------------------------------------------------------

def query(sql, values=()):
    """The names of the columns, and the rows."""
    path = os.environ.get("CLAIMS_DB", "")
    try:
        database = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
        database.execute("PRAGMA case_sensitive_like = ON")
        found = database.execute(sql, values)
        return [one[0] for one in found.description], found.fetchall()
    except sqlite3.Error as error:
        raise Wrong(f"the database CLAIMS_DB ({path or 'not set'}) cannot be "
                    f"read: {error}; no other arguments change that") from None


def dimension(name):
    """The name, if it is one of a dimension."""
    if name in DIMENSIONS:
        return name
    raise Wrong(f"there is no dimension {json.dumps(name)}; there are: "
                + ", ".join(DIMENSIONS))


def condition(one):
    """A filter as SQL and the values to bind."""
    if not isinstance(one, dict) or not isinstance(one.get("operator"), str):
        raise Wrong("a filter is an object with dimension_name, operator and "
                    f"value, not {json.dumps(one)}")
    name, value = dimension(one.get("dimension_name")), one.get("value")
    compare = " ".join(one["operator"].lower().split())
    values = value if isinstance(value, list) else [value]
    if compare == "in":
        sql = f"{name} IN ({', '.join('?' * len(values))})"
    elif compare == "ilike":
        sql = f"lower({name}) LIKE lower(?)"
    elif compare in COMPARES:
        sql = f"{name} {COMPARES[compare]}"
    else:
        raise Wrong(f"there is no operator {json.dumps(compare)}; there are: "
                    + ", ".join((*COMPARES, "ilike", "in")))
    if "null" in compare:
        values = []
    elif sql.count("?") != len(values) or not 0 < len(values) <= VALUES_MAX \
            or any(type(item) not in (str, int, float) for item in values):
        raise Wrong(f"the operator {compare} on {name} does not take the value "
                    + json.dumps(value)[:100])
    return sql, values


def rows_of(given):
    """The columns and rows that group_by_dimensions, filters and top_n ask
    for, and how many rows there are without top_n."""
    names = [dimension(name.strip()) for name in
             given.get("group_by_dimensions", "").split(",") if name.strip()]
    try:
        filters = json.loads(given.get("filters") or "[]")
    except ValueError as error:
        raise Wrong(f"filters is no JSON: {error}") from None
    if not isinstance(filters, list) or len(filters) > FILTERS_MAX:
        raise Wrong(f"filters is a JSON list of at most {FILTERS_MAX} objects")
    if len(set(names)) < len(names):
        raise Wrong("a dimension stands twice in group_by_dimensions")
    where = [condition(one) for one in filters]
    each = "cost / members"
    if "year" in names:
        columns = [*names, "sum(claims) AS claims",
                   f"round(sum({each}), 2) AS cost_per_member",
                   "round(sum(cost) / sum(claims), 2) AS cost_per_claim"]
        order = names
    else:
        columns = [*names, *(f"sum(claims * (year = {year})) AS claims_{year}, "
                             f"round(sum({each} * (year = {year})), 2) AS "
                             f"cost_per_member_{year}"
                             for year in (2022, 2023)),
                   f"round(sum({each} * ((year = 2023) - (year = 2022))), 2) "
                   "AS change_per_member"]
        order = ["change_per_member DESC", *names]
    found, rows = query(
        f"SELECT {', '.join(columns)} FROM claims JOIN members USING (year)"
        + (" WHERE " if where else "") + " AND ".join(sql for sql, _ in where)
        + f" GROUP BY {', '.join(names) or 'NULL'} ORDER BY {', '.join(order)}",
        [value for _, values in where for value in values])
    return found, rows[:given.get("top_n", TOP)], len(rows)


# ---- the tools ---------------------------------------------------------------


def get_trend_data_tool(given):
    names, rows, count = rows_of(given)
    return {"columns": names, "rows": rows, "rows_in_all": count}


def list_available_dimensions_tool(_):
    return {"dimensions": DIMENSIONS}


def get_dimension_values_tool(given):
    name = dimension(given["dimension_name"])
    _, rows = query(
        f"SELECT DISTINCT {name} FROM claims ORDER BY 1 LIMIT {TOP}")
    return {"dimension_name": name, "values": [row[0] for row in rows]}


def save_query_to_csv_tool(given):
    """Writes the rows as RFC 4180 has it, to a file of its own: its name has a
    hash of the query, so the same query is not saved again."""
    folder = os.environ.get("CSV_FOLDER", "")
    names, rows, _ = rows_of(given)
    if not rows:
        raise Wrong("no rows, so no file: use other filters")
    asked = [given.get(one) for one in ("group_by_dimensions", "filters",
                                        "top_n")]
    grouped = [name for name in names if name in DIMENSIONS][:3]
    digest = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:12]
    name = f"{'_'.join(grouped) or 'ungrouped'}_{digest}.csv"
    path = os.path.join(folder, name)
    made = False
    try:
        if sum(one.endswith(".csv") for one in os.listdir(folder)) >= FILES_MAX:
            raise Wrong(f"the folder has {FILES_MAX} CSV files, and takes no "
                        "more")
        with open(path, "x", encoding="utf-8", newline="") as file:
            made = True
            csv.writer(file).writerows([names, *rows])
    except FileExistsError:
        raise Wrong(f"these rows are in {name} already: save others") from None
    except OSError as error:
        if made:
            os.remove(path)
        raise Wrong(f"the folder CSV_FOLDER ({folder or 'not set'}) takes no "
                    f"file: {error.strerror}; no other arguments change "
                    "that") from None
    return {"file": name, "rows": len(rows)}


TOOLS = {tool.__name__: tool for tool in (
    get_trend_data_tool, list_available_dimensions_tool,
    get_dimension_values_tool, save_query_to_csv_tool)}


def main(arguments):
    try:
        if len(arguments) == 1 and arguments[0] in TOOLS:
            print(json.dumps(TOOLS[arguments[0]](json.load(sys.stdin))))
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except Wrong as error:
        print(error, file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
