#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Node.js binding as its users have it: packed, installed into an empty
folder, where it is compiled against the libraries of the build and tested by
bindings/node/test: node_test.py BUILD SURETY. Zod, TypeScript and the AI SDK
come from npm into the build folder, once; what needs them is skipped
without."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(HERE, "..", "docs"))
from document import follow, Reader  # noqa: E402
from tap import check, finish, same, skip, skip_all  # noqa: E402

BUILD, SURETY = (os.path.abspath(one) for one in sys.argv[1:])
ROOT = os.path.dirname(os.path.dirname(HERE))
BINDING = os.path.join(ROOT, "bindings", "node")
FOLDER = os.path.join(BUILD, "node-binding")
PACKAGES = ["zod@4.6.7", "typescript@7.0.2", "@types/node@26.6.6"]
# Of each specification of its models: v2, v3, v4.
SDK = ["ai5@npm:ai@5.0.277", "ai6@npm:ai@6.0.325", "ai7@npm:ai@7.0.173",
       "openai2@npm:@ai-sdk/openai@2.0.130", "@ai-sdk/openai@4.0.77",
       "@ai-sdk/anthropic@4.0.105", "zod@4.6.7"]
QUIET = ["--no-audit", "--no-fund", "--fetch-retries=0",
         "--fetch-timeout=20000"]
FILES = {"README.md", "addon.c", "addon.h", "ask.c", "ask.h", "build.mjs",
         "core.cjs", "functions.c", "functions.h", "index.cjs", "index.d.cts",
         "index.d.ts", "index.js", "json.cjs", "judge.c", "messages.c",
         "messages.h", "models.cjs", "package.json", "run.c", "run.cjs",
         "sdk.cjs", "stream.cjs", "tools.cjs", "validators.cjs", "wire.cjs"}
TSC = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022",
       "--types", "node"]


def environment():
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("SURETY_", "npm_"))}
    return env | {"HOME": FOLDER, "SURETY": SURETY,
                  "SURETY_LIBRARY_PATH": BUILD, "CFLAGS": "-Werror",
                  "SURETY_INCLUDE_PATH": os.path.join(ROOT, "include")}


ENV = environment()


def run(*command, cwd=FOLDER, timeout=120, **env):
    return subprocess.run(command, cwd=cwd, env=ENV | env, text=True,
                          capture_output=True, timeout=timeout, check=False)


def why_not():
    """What is missing for all of it; None: nothing."""
    for program in ("node", "npm", "cc"):
        if not shutil.which(program):
            return f"no {program}"
    version = run("node", "--version", cwd=BUILD).stdout
    if int(re.match(r"v(\d+)", version)[1]) < 18:
        return f"Node.js {version.strip()} is older than 18"
    if os.environ.get("SURETY_SANITIZE", "none") != "none":
        return "Node.js cannot load a library with a sanitizer"
    return None


def install():
    """Packs the binding, and installs it into an empty folder."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    source = os.path.join(FOLDER, "source")
    shutil.copytree(BINDING, source)
    packed = run("npm", "pack", "--silent", cwd=source)
    if not check("npm pack", packed.returncode == 0, packed.stderr):
        finish()
    name = os.path.join(source, packed.stdout.split()[-1])
    with tarfile.open(name) as archive:
        same("the package has what it needs and no more",
             {os.path.relpath(one, "package")
              for one in archive.getnames()}, FILES)
    app = os.path.join(FOLDER, "app")
    os.mkdir(app)
    with open(os.path.join(app, "package.json"), "w", encoding="utf-8") as file:
        json.dump({"name": "app", "private": True}, file)
    made = run("npm", "install", *QUIET, "--offline", "--foreground-scripts",
               name, cwd=app)
    if "headers of Node.js are not here" in made.stderr:
        skip_all("no headers of Node.js")
    if not check("it installs into an empty folder without a network, and "
                 "compiles without a warning", made.returncode == 0 and
                 "warning:" not in made.stdout + made.stderr,
                 made.stdout + made.stderr):
        finish()
    return app


def packages(name, wanted_list):
    """The folder with these packages; None and why not."""
    folder = os.path.join(BUILD, name)
    stamp = os.path.join(folder, "installed")
    wanted = "\n".join(wanted_list)
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == wanted:
                return os.path.join(folder, "node_modules"), None
    os.makedirs(folder, exist_ok=True)
    try:
        made = subprocess.run(
            ["npm", "install", *QUIET, "--ignore-scripts", "--no-save",
             "--prefix", folder, *wanted_list], cwd=folder, capture_output=True,
            timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None, "npm takes too long"
    if made.returncode:
        return None, f"npm cannot install {', '.join(wanted_list)}"
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return os.path.join(folder, "node_modules"), None


def link(app, modules):
    for name in ("zod", "typescript", "@types", "undici-types"):
        if os.path.isdir(os.path.join(modules, name)):
            shutil.copytree(os.path.join(modules, name),
                            os.path.join(app, "node_modules", name),
                            symlinks=True)


def link_sdk(app, modules):
    """Links the AI SDK, whose own packages stay beside it."""
    os.makedirs(os.path.join(app, "node_modules", "@ai-sdk"), exist_ok=True)
    for name in ("ai5", "ai6", "ai7", "openai2", "@ai-sdk/openai",
                 "@ai-sdk/anthropic"):
        os.symlink(os.path.join(modules, name),
                   os.path.join(app, "node_modules", name))


def test_file(app, name):
    """A file's tests, each as a point."""
    done = run("node", "--expose-gc", "--test-reporter=tap",
               os.path.join("test", name), cwd=app, timeout=240)
    points = re.findall(r"^(not ok|ok) \d+ - (.*?)(?: # SKIP ?(.*))?$",
                        done.stdout, re.M)
    for result, point, skipped in points:
        if skipped:
            skip(f"{name}: {point}", skipped)
        else:
            check(f"{name}: {point}", result == "ok", done.stdout[-6000:])
    plan = re.search(r"^1\.\.(\d+)$", done.stdout, re.M)
    check(f"{name}: all of it ran", plan and int(plan[1]) == len(points) > 0
          and done.returncode == (1 if "\nnot ok" in done.stdout else 0),
          f"{done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


def test_examples(app, has_zod):
    """The page's programs print what is below them."""
    with open(os.path.join(BINDING, "README.md"), encoding="utf-8") as file:
        page = file.read()
    examples = re.findall(r"^```js (\S+)\n(.*?)^```\n```text\n(.*?)^```$", page,
                          re.S | re.M)
    same("every program of the page is run", len(examples),
         len(re.findall("^```js ", page, re.M)))
    for name, code, wanted in examples:
        point = f"README.md: {name}"
        if "zod" in code and not has_zod:
            skip(point, "no zod")
            continue
        with open(os.path.join(app, name), "w", encoding="utf-8") as file:
            file.write(code)
        same(point, run("node", name, cwd=app).stdout, wanted)


def test_types(app, modules):
    shutil.copy(os.path.join(BINDING, "test", "types.mts"), app)
    shutil.copy(os.path.join(BINDING, "test", "types.cts"), app)
    done = run("node", os.path.join(modules, "typescript", "bin", "tsc"), *TSC,
               "types.mts", "types.cts", cwd=app)
    check("TypeScript infers what it must, and refuses what it must",
          done.returncode == 0, done.stdout + done.stderr)


def copy_package(app, name):
    """An installation of its own, to be spoiled; where its package is."""
    package = os.path.join(FOLDER, name, "node_modules", "surety")
    shutil.copytree(os.path.join(app, "node_modules", "surety"), package)
    return package


def loads(package):
    return run("node", "-e", "require('surety')",
               cwd=os.path.dirname(os.path.dirname(package))).stderr


def test_versions(app):
    package = copy_package(app, "old")
    name = os.path.join(package, "package.json")
    with open(name, encoding="utf-8") as file:
        text = file.read()
    version = json.loads(text)["version"]
    with open(name, "w", encoding="utf-8") as file:
        file.write(text.replace(f'"version": "{version}"',
                                '"version": "0.987.0"'))
    said = loads(package)
    check("another version of the library is refused, and both are reported",
          "version 0.987.0" in said and f"version {version}" in said, said)
    os.remove(os.path.join(package, "build", "surety.node"))
    said = loads(package)
    check("an addon that is missing is reported", "npm rebuild surety" in said,
          said)


def test_build(app):
    package = copy_package(app, "broken")
    half = os.path.join(FOLDER, "half")
    os.mkdir(half)
    os.symlink(os.path.join(BUILD, "libsurety.so"),
               os.path.join(half, "libsurety.so"))
    for name, env, wanted in (
            ("no library", {"SURETY_LIBRARY_PATH": "", "PKG_CONFIG": "false"},
             "the library is not installed"),
            ("no shared library", {"SURETY_LIBRARY_PATH": "/none"},
             "there is no shared libsurety in /none"),
            ("half of the library", {"SURETY_LIBRARY_PATH": half},
             f"there is no shared libsurety-run in {half}"),
            ("no pkg-config", {"SURETY_LIBRARY_PATH": "",
                               "PKG_CONFIG": "/none/pkg-config"},
             "pkg-config is not here"),
            ("no compiler", {"CC": "/none/cc"}, "there is no compiler"),
            ("no headers of the library", {"SURETY_INCLUDE_PATH": "/none",
                                           "CFLAGS": "-nostdinc", "CC": "cc"},
             "cc cannot compile the addon")):
        done = run("node", "build.mjs", cwd=package, **env)
        check(f"{name}: said, with what to do", done.returncode == 1 and
              f"surety: {wanted}" in done.stderr and "hint: " in done.stderr,
              done.stderr[-2000:])


def test_cookbook(app):
    """What docs/cookbook.md shows of Node.js."""
    with open(os.path.join(ROOT, "docs", "cookbook.md"),
              encoding="utf-8") as file:
        text = file.read()
    with Reader(app, ENV) as reader:
        for point in follow(text, reader, ("node",), only="node"):
            check(f"docs/cookbook.md:{point.line}: {point.command}",
                  point.holds, f"shown:\n{point.shown}got:\n{point.got}")


def main():
    reason = why_not()
    if reason:
        skip_all(reason)
    app = install()
    modules, reason = packages("node-packages", PACKAGES)
    if modules:
        link(app, modules)
    shutil.copytree(os.path.join(BINDING, "test"), os.path.join(app, "test"))
    for name in ("check.test.mjs", "items.test.mjs", "run.test.mjs",
                 "life.test.mjs", "models.test.mjs", "tools.test.mjs",
                 "validators.test.mjs"):
        test_file(app, name)
    sdk, no_sdk = packages("node-sdk", SDK)
    if sdk:
        link_sdk(app, sdk)
        test_file(app, "sdk.test.mjs")
    else:
        skip("models of the AI SDK", no_sdk)
    if modules:
        test_file(app, "zod.test.mjs")
        test_types(app, modules)
    else:
        skip("Zod and types", reason)
    test_examples(app, modules)
    test_cookbook(app)
    test_versions(app)
    test_build(app)
    finish()


main()
