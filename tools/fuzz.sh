#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target for SECS seconds each, from the seeds of
# tests/fuzz/corpus, under the address and undefined sanitizers. New inputs are
# kept below build-fuzz/found and are no part of the project; a crashing one
# is written there as crash-*, and its reduced form belongs into the corpus.
#
#     tools/fuzz.sh [SECS [TARGET...]]
set -eu
cd "$(dirname "$0")/.."
secs=${1:-60}
[ $# -gt 0 ] && shift
build=build-fuzz
export UBSAN_OPTIONS=print_stacktrace=1

if [ ! -e "$build/build.ninja" ]; then
    CC=clang CXX=clang++ meson setup -Dfuzz=true -Db_lundef=false \
        -Db_sanitize=address,undefined "$build"
fi
ninja -C "$build"
if [ $# -eq 0 ]; then
    for path in tests/fuzz/corpus/*/; do
        set -- "$@" "$(basename "$path")"
    done
fi
passed=0
failed=0
for target; do
    found=$build/found/$target
    mkdir -p "$found"
    echo "fuzz: $target for $secs s"
    if "$build/tests/fuzz/fuzz_$target" -max_total_time="$secs" -timeout=10 \
        -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$found/" "$found" "tests/fuzz/corpus/$target" \
        >"$found.log" 2>&1; then
        grep -E '^stat::number_of_executed_units' "$found.log" || true
        passed=$((passed + 1))
    else
        tail -n 40 "$found.log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
