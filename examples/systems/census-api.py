#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that answers as the Census API does (https://api.census.gov/data),
with the figures of a CSV file, so that the census agent can be tried and tested
without a network and without a key:

    census-api.py FIGURES.csv [--port N] [--key KEY] [--fail STATUS] [--times N]

The columns of the file are year, state, county, NAME and a variable each; rows
without a county are states, those without a state the United States. With --key
a request needs that key; with --fail the first N requests get that status."""

import argparse
import csv
import http.server
import json
import urllib.parse

LEVELS = {"us": [], "state": ["state"], "county": ["state", "county"]}
LABELS = {
    "B01003": ("Total Population", "Estimate!!Total"),
    "B19013": ("Median Household Income in the Past 12 Months",
               "Estimate!!Median household income"),
}
PAGE = "<html><head><title>{0}</title></head><body>{0}: {1}</body></html>"


class Refusal(Exception):
    """An answer that is not rows: status, text, further headers."""

    def __init__(self, status, text="", **headers):
        super().__init__(text)
        self.status, self.text, self.headers = status, text, headers


class Figures:
    """The rows of the file."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.variables = list(self.rows[0])[4:]
        self.years = {row["year"] for row in self.rows}

    def table(self, variable):
        return variable.split("_")[0]

    def groups(self):
        tables = sorted({self.table(name) for name in self.variables})
        return {"groups": [{"name": name, "description":
                            LABELS.get(name, (name,))[0]} for name in tables]}

    def group(self, table):
        found = [name for name in self.variables if self.table(name) == table]
        if not found:
            raise Refusal(404, PAGE.format("404", "no such group"))
        concept, label = LABELS.get(table, (table, table))
        return {"variables": {name: {"label": label, "concept": concept,
                                     "predicateType": "int", "group": table}
                              for name in found}}

    def geography(self):
        return {"default": [{"isDefault": "true"}],
                "fips": [{"name": level, "geoLevelDisplay": code} | (
                    {"requires": ["state"], "wildcard": ["state"]}
                    if level == "county" else {})
                    for level, code in zip(LEVELS, ("010", "040", "050"))]}

    def fetch(self, year, query):
        names = ",".join(query.get("get", [])).split(",")
        for name in names:
            if name != "NAME" and name not in self.variables:
                raise Refusal(400, f"error: error: unknown variable '{name}'")
        level, _, wanted = query.get("for", [""])[0].partition(":")
        within = dict(part.split(":", 1) for text in query.get("in", [])
                      for part in text.split())
        if level not in LEVELS or not set(within) <= set(LEVELS[level][:-1]):
            # The API's own words.
            raise Refusal(400,
                          "error: unknown/unsupported geography heirarchy")
        rows = []
        for row in self.rows:
            code = row.get(level, "1")
            if (row["year"] == year and self.level(row) == level
                    and wanted in ("*", code)
                    and all(row[name] in (value, *value.split(","))
                            or value == "*" for name, value in within.items())):
                rows.append([row[name] or None for name in names]
                            + [row.get(name, "1")
                               for name in LEVELS[level] or ["us"]])
        if not rows:
            raise Refusal(204)
        return [names + (LEVELS[level] or ["us"])] + rows

    @staticmethod
    def level(row):
        return "county" if row["county"] else "state" if row["state"] else "us"


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        try:
            answer = json.dumps(self.answer()).replace("], [", "],\n[")
            self.send(200, answer, "application/json")
        except Refusal as no:
            self.send(no.status, no.text, "text/html", **no.headers)

    def answer(self):
        server, url = self.server, urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        if server.failures:
            server.failures -= 1
            raise Refusal(server.status, "Please try again later.")
        _, root, year, *rest = urllib.parse.unquote(url.path).split("/") + [""]
        rest = "/".join(rest).rstrip("/")
        if (root != "data" or year not in server.figures.years
                or not rest.startswith("acs/acs5")):
            raise Refusal(404, PAGE.format("404", "not found"))
        if rest.endswith("/groups.json"):
            return server.figures.groups()
        if rest.endswith("/geography.json"):
            return server.figures.geography()
        if "/groups/" in rest:
            return server.figures.group(rest.rsplit("/", 1)[1][:-5])
        if server.key and "key" not in query:
            raise Refusal(302, Location="/data/missing_key.html")
        if server.key and query["key"] != [server.key]:
            raise Refusal(200, PAGE.format(
                "Invalid Key", "a valid key must be included with each request"
            ))
        return server.figures.fetch(year, query)

    def send(self, status, text, kind, **headers):
        body = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("figures")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key")
    parser.add_argument("--fail", type=int, default=503)
    parser.add_argument("--times", type=int, default=0)
    given = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", given.port), Handler)
    server.figures, server.key = Figures(given.figures), given.key
    server.status, server.failures = given.fail, given.times
    print(f"census-api: listening on http://127.0.0.1:{server.server_port}",
          flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


main()
