# SPDX-License-Identifier: Apache-2.0
"""TAP for the tests that are Python: `check` a condition, `skip` with a reason,
and `finish` at the end, which writes the plan and exits."""

import sys

_points = []


def check(name, holds, detail=""):
    """One TAP line; detail is shown only where it does not hold."""
    _points.append(bool(holds))
    if not holds:
        for line in str(detail).splitlines():
            print(f"# {line}")
    name = name.replace("\n", "\\n")
    print(f"{'ok' if holds else 'not ok'} {len(_points)} - {name}", flush=True)
    return bool(holds)


def same(name, got, want):
    """Whether got is want; shows both where not."""
    return check(name, got == want, f"got  {got!r}\nwant {want!r}")


def skip(name, reason):
    _points.append(True)
    print(f"ok {len(_points)} - {name} # SKIP {reason}", flush=True)


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def finish():
    print(f"1..{len(_points)}")
    sys.exit(0 if _points and all(_points) else 1)
