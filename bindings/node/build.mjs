// SPDX-License-Identifier: Apache-2.0
// Compiles the addon into build/surety.node, as `npm install` does. What it
// links is the installed library, found by pkg-config, or that of
// SURETY_LIBRARY_PATH and SURETY_INCLUDE_PATH (lists of folders joined by ":").
// The compiler is CC, its further flags CFLAGS and LDFLAGS.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCES = ["addon.c", "ask.c", "functions.c", "judge.c", "messages.c",
  "run.c"];
const WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
  "-Wmissing-prototypes", "-Wstrict-prototypes"];

function fail(problem, hint) {
  console.error(`surety: ${problem}\nhint: ${hint}`);
  process.exit(1);
}

function words(text) {
  return (text ?? "").split(/\s+/).filter(Boolean);
}

function folders(text) {
  return (text ?? "").split(":").filter(Boolean);
}

// The folder of node_api.h.
function nodeHeaders() {
  const require = createRequire(join(HERE, "package.json"));
  const found = [process.env.NODE_INCLUDE_PATH,
    join(dirname(dirname(process.execPath)), "include", "node"),
    "/usr/include/node", "/usr/include/nodejs/src"];
  try {
    found.push(require("node-api-headers").include_dir);
  } catch {
    // Not installed: one of the others may be.
  }
  return found.find((it) => it && existsSync(join(it, "node_api.h"))) ??
    fail("the headers of Node.js are not here (node_api.h)",
      "install libnode-dev, or `npm install node-api-headers`, or set " +
      "NODE_INCLUDE_PATH");
}

function pkgConfig(...parameters) {
  return execFileSync(process.env.PKG_CONFIG ?? "pkg-config", parameters,
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

// The flags that find the library, at build time and at run time.
function linkFlags() {
  const places = folders(process.env.SURETY_LIBRARY_PATH);
  const lacking = places.length && ["libsurety", "libsurety-run"].find((name) =>
    !places.some((it) => ["so", "dylib"].some((ending) =>
      existsSync(join(it, `${name}.${ending}`)))));
  if (lacking)
    fail(`there is no shared ${lacking} in ${places.join(":")}`,
      "SURETY_LIBRARY_PATH names the folder of libsurety.so and " +
      "libsurety-run.so");
  if (places.length)
    return [...folders(process.env.SURETY_INCLUDE_PATH).map((it) => `-I${it}`),
      ...places.flatMap((it) => [`-L${it}`, `-Wl,-rpath,${it}`]),
      "-lsurety-run", "-lsurety"];
  try {
    const where = pkgConfig("--variable=libdir", "surety");
    return [...words(pkgConfig("--cflags", "--libs", "surety", "surety-run")),
      `-Wl,-rpath,${where}`];
  } catch (error) {
    return fail(error.code === "ENOENT" ? "pkg-config is not here" :
      "the library is not installed: pkg-config finds no surety and surety-run",
    "install libsurety with its headers, and set PKG_CONFIG_PATH where it " +
    "has a folder of its own; or set SURETY_LIBRARY_PATH and " +
    "SURETY_INCLUDE_PATH");
  }
}

function compile() {
  const compiler = words(process.env.CC ?? "cc");
  const output = join(HERE, "build", "surety.node");
  const shared = process.platform === "darwin" ?
    ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared"];
  const parameters = [...compiler.slice(1), "-std=c17", "-O2", "-g", "-fPIC",
    "-pthread", "-fvisibility=hidden", "-D_POSIX_C_SOURCE=200809L",
    ...WARNINGS, ...words(process.env.CFLAGS), `-I${nodeHeaders()}`, ...shared,
    "-o", `${output}.new`, ...SOURCES.map((it) => join(HERE, it)),
    ...linkFlags(), ...words(process.env.LDFLAGS)];
  mkdirSync(dirname(output), { recursive: true });
  try {
    execFileSync(compiler[0], parameters, { stdio: "inherit" });
  } catch (error) {
    fail(error.code === "ENOENT" ? `there is no compiler ${compiler[0]}` :
      `${compiler[0]} cannot compile the addon`,
    error.code === "ENOENT" ? "install gcc or clang, or set CC" :
      "what it says above names what is missing; the headers of libsurety " +
      "must be of the version of this package");
  }
  renameSync(`${output}.new`, output);
  return output;
}

const { version } = JSON.parse(readFileSync(join(HERE, "package.json")));
console.log(`surety ${version}: ${compile()}`);
