#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Debian packages from a copy of the sources, without a warning;
lintian finds no error in them; unpacked, they are what a program needs.

    debian.py FOLDER           the test, below FOLDER
    debian.py --make FOLDER    only builds them there, with the unit tests
"""

import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip, skip_all  # noqa: E402
from place import Place, code_of  # noqa: E402

SOURCE = os.path.realpath(os.path.join(HERE, "..", ".."))
FOLDER = os.path.abspath(sys.argv[-1])
PACKAGES = {"libsurety0", "libsurety-render0", "libsurety-run0",
            "libsurety-serve0", "libsurety-dev", "surety"}
# Nothing of the tester's own settings reaches the build of a package.
ENV = {name: value for name, value in os.environ.items()
       if name in ("HOME", "LANG", "PATH", "TMPDIR")}


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          stdin=subprocess.DEVNULL, **more)


def lacking():
    """Why packages cannot be built here; empty: they can."""
    for tool in ("dpkg-buildpackage", "dh"):
        if not shutil.which(tool):
            return f"there is no {tool}"
    said = run("dpkg-checkbuilddeps", cwd=SOURCE)
    return said.stdout.strip() if said.returncode else ""


def copy():
    """A copy of the sources: dpkg-buildpackage writes into and beside them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    sources = os.path.join(FOLDER, "sources")
    shutil.copytree(SOURCE, sources, symlinks=True,
                    ignore=shutil.ignore_patterns(
                        ".git", "build", "build-*", "__pycache__"))
    return sources


def build(options):
    """dpkg-buildpackage's process."""
    return run("dpkg-buildpackage", "--build=binary", "--no-sign", cwd=copy(),
               env={**ENV, "DEB_BUILD_OPTIONS": options}, timeout=3600)


def contents(package):
    """The paths in a package."""
    listed = run("dpkg-deb", "--contents", package).stdout
    return {line.split()[5].removeprefix(".") for line in listed.splitlines()}


def check_contents(packages):
    for name, paths in (
            ("libsurety0", [r"/usr/lib/[\w-]+/libsurety\.so\.0"]),
            *((f"libsurety-{name}0",
               [rf"/usr/lib/[\w-]+/libsurety-{name}\.so\.0"])
              for name in ("render", "run", "serve")),
            ("libsurety-dev", [
                r"/usr/include/surety\.h", r"/usr/lib/.*/libsurety\.a",
                r"/usr/lib/.*/pkgconfig/surety\.pc",
                r"/usr/lib/.*/cmake/surety/surety-config\.cmake",
                r"/usr/include/surety/contracts/maverick\.h",
                r"/usr/lib/.*/libsurety-contracts\.a",
                r"/usr/share/man/man3/surety\.3\.gz",
                r"/usr/share/man/man3/surety_doc_read\.3\.gz",
                r"/usr/share/doc/libsurety-dev/examples/01-judge\.c"]),
            ("surety", [r"/usr/bin/surety",
                        r"/usr/share/man/man1/surety-check\.1\.gz",
                        r"/usr/share/surety/contracts/surety/report\.json"])):
        have = contents(packages[name])
        lost = [path for path in paths
                if not any(re.fullmatch(path, one) for one in have)]
        same(f"{name} has what it is for", lost, [])
        same(f"{name}: nothing outside of /usr", [
            path for path in have if not path.startswith("/usr")
            and path != "/"], [])
    control = run("dpkg-deb", "--field", packages["libsurety0"],
                  "Depends").stdout
    check("libsurety0 depends on the libraries that it stands on",
          all(one in control for one in ("libgmp10", "libidn2-0",
                                         "libpcre2-8-0")), control)
    for name, ones in (("libsurety-run0", ["libcurl4", "libsqlite3-0"]),
                       ("libsurety-render0", ["libpangocairo-1.0-0"]),
                       ("libsurety-serve0", ["libssl3"]),
                       ("surety", ["libcurl4", "libpangocairo-1.0-0",
                                   "ca-certificates"])):
        fields = {field: run("dpkg-deb", "--field", packages[name],
                             field).stdout for field in ("Depends",
                                                         "Recommends")}
        check(f"{name} recommends what it loads when it is needed, and does "
              "not depend on it", all(one in fields["Recommends"] and one not
                                      in fields["Depends"] for one in ones),
              fields)


def unpack(packages):
    """All packages in one folder, as if it were the system's."""
    root = os.path.join(FOLDER, "root")
    for name in sorted(PACKAGES):
        run("dpkg-deb", "--extract", packages[name], root)
    return Place(root, "/usr")


def check_programs(place):
    """The programs of docs/library.md with what the packages hold."""
    model = "exec:echo '{\"answer\": 42}'"
    for name, package, said in (
            ("check.c", "surety", "42\n"), ("ask.c", "surety-run", "42\n"),
            ("fix.c", "surety-contracts", "All tests pass.\n")):
        source = os.path.join(FOLDER, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(code_of("library.md", f"/* {name}:"))
        flags = place.words("--cflags", "--libs", package)
        for compiler in (["cc"], ["c++", "-x", "c++"]):
            target = os.path.join(FOLDER, "program")
            made = run(*compiler, source, "-x", "none", "-o", target, *flags)
            check(f"{compiler[0]} {name} with the unpacked packages",
                  made.returncode == 0, made.stdout[:2000])
            same(f"{compiler[0]} {name}: it runs", made.returncode or
                 run(target, model, env=place.env).stdout, said)


def check_unpacked(place):
    """The tool, the examples, the manual pages and the completion."""
    tool = os.path.join(place.prefix, "bin", "surety")
    same("the tool runs", run(tool, "check", "-c", "simple/message", "--",
                              os.path.join(FOLDER, "reply"),
                              env=place.env).stdout, '{"message":"hello"}\n')
    folder = os.path.join(FOLDER, "examples")
    shutil.copytree(os.path.join(place.prefix, "share/doc/libsurety-dev",
                                 "examples"), folder)
    made = run("make", "-C", folder, env=place.env)
    check("the examples build", made.returncode == 0, made.stdout[-2000:])
    for wanted in sorted(glob.glob(os.path.join(folder, "*.out"))):
        program = wanted.removesuffix(".out")
        with open(wanted, encoding="utf-8") as file:
            same(f"example {os.path.basename(program)}",
                 run(program, cwd=folder, env=place.env).stdout, file.read())
    pages = os.path.join(place.prefix, "share", "man")
    for section, page in (("1", "surety-check"), ("3", "surety_doc_read"),
                          ("3", "surety")):
        made = run("man", "-M", pages, section, page,
                   env={**ENV, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        check(f"man {section} {page}", made.returncode == 0 and
              "SEE ALSO" in made.stdout, made.stdout[:500])
    made = run("bash", "-c", f". {place.prefix}/share/bash-completion/"
               "completions/surety && complete -p surety")
    check("the completion for bash", made.returncode == 0, made.stdout)


def test():
    why = lacking()
    if why:
        skip_all(why)
    if not os.environ.get("CI"):
        skip_all("takes minutes: runs where CI is set, or by `make deb`")
    made = build(f"nocheck parallel={os.cpu_count()}")
    if not check("dpkg-buildpackage builds the packages",
                 made.returncode == 0, made.stdout[-6000:]):
        finish()
    same("without a warning of a compiler", [
        line for line in made.stdout.splitlines()
        if re.search(r"^\S+:\d+:.*\bwarning: ", line)], [])
    same("and none about symbols", [
        line for line in made.stdout.splitlines()
        if line.startswith(("dpkg-gensymbols: warning",
                            "dpkg-shlibdeps: warning: symbol"))], [])
    packages = {os.path.basename(path).split("_")[0]: path
                for path in glob.glob(os.path.join(FOLDER, "*.deb"))}
    same("the packages", sorted(name for name in packages
                                if "dbgsym" not in name), sorted(PACKAGES))
    check_contents(packages)
    place = unpack(packages)
    check_programs(place)
    with open(os.path.join(FOLDER, "reply"), "w", encoding="utf-8") as file:
        file.write('{"message": "hello"}')
    check_unpacked(place)
    if shutil.which("lintian"):
        said = run("lintian", "--fail-on", "error", "--allow-root",
                   *glob.glob(os.path.join(FOLDER, "*.changes")), env=ENV)
        check("lintian finds no error", said.returncode == 0, said.stdout)
    else:
        skip("lintian finds no error", "there is no lintian")
    shutil.rmtree(FOLDER)
    finish()


def main():
    if sys.argv[1] != "--make":
        test()
    why = lacking()
    if why:
        sys.exit(f"debian.py: {why}")
    made = build(f"parallel={os.cpu_count()}")
    with open(os.path.join(FOLDER, "log"), "w", encoding="utf-8") as file:
        file.write(made.stdout)
    if made.returncode:
        sys.exit(made.stdout[-6000:] + f"debian.py: see {FOLDER}/log")
    shutil.rmtree(os.path.join(FOLDER, "sources"))
    print("\n".join(sorted(glob.glob(os.path.join(FOLDER, "*.deb")))))


main()
