#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A tour of the tool on real input: replies as five systems get them from their
# models, each checked against its built-in contract. Run by `make run`.
#
#     tools/tour.sh BUILD
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$(cd "$1" && pwd):$PATH
cd "$root/examples/replies" || exit 1
unset SURETY_CONTRACTS
bold= dim= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# say TEXT: what comes next.
say() {
    printf '\n%s%s%s\n' "$bold" "$1" "$plain"
}

# show CODE COMMAND...: prints the command, runs it, and sees that it ends with
# the exit code the tour promises.
show() {
    want=$1
    shift
    printf '%s$ %s%s\n' "$dim" "$*" "$plain"
    "$@" 2>&1
    got=$?
    printf '%s(exit code %s)%s\n' "$dim" "$got" "$plain"
    if [ "$got" -ne "$want" ]; then
        printf 'tour: expected the exit code %s\n' "$want"
        failed=1
    fi
}

# slowly CODE FILE COMMAND...: shows the command with the file on its standard
# input, piece by piece, as a model writes.
slowly() {
    want=$1 file=$2
    shift 2
    printf '%s$ some-model | %s%s\n' "$dim" "$*" "$plain"
    size=$(wc -c <"$file")
    {
        at=0
        while [ $((at * 12)) -lt "$size" ]; do
            dd if="$file" bs=12 skip=$at count=1 2>/dev/null || exit
            at=$((at + 1))
            sleep 0.05
        done
    } | "$@" 2>&1
    got=$?
    printf '%s(exit code %s)%s\n' "$dim" "$got" "$plain"
    if [ "$got" -ne "$want" ]; then
        printf 'tour: expected the exit code %s\n' "$want"
        failed=1
    fi
}

say '1. Trend analysis: the iteration response of an agent'
show 0 surety check -c trend/iteration-response trend-iteration.md
say '   Every mistake at its place in the reply, with what was likely meant'
show 1 surety check -c trend/iteration-response trend-broken.md
say '   The same as the list that goes back to the agent'
show 1 surety check -c trend/iteration-response --report plain trend-broken.md

say '2. Code maintenance: only a block tagged json counts; others are skipped'
show 0 surety check -c maverick/fixer-result fixer-python-first.md
say '   A rule across fields, which JSON Schema alone does not say'
show 1 surety check -c maverick/fixer-result fixer-no-details.md
say '   A reply that was cut off is never taken for complete'
show 1 surety check -c maverick/fixer-result fixer-cut-off.md
say '   Members derived from a valid value'
show 0 surety check -c maverick/grouped-review-result --derive review-grouped.md

say '3. User stories: unknown members are stripped'
show 0 surety check -c user-story/iteration-output story.md
say '   A percentage for a share, and null where a member may only be absent'
show 1 surety check -c user-story/iteration-output --no-fallback \
    story-confidence.md
say '   Plain prose: the contract falls back on the text itself, and says so'
show 0 surety check -c user-story/iteration-output story-prose.md

say '4. Census answers: the JSON after "Final Answer:"'
show 0 surety check -c census/agent-output census.txt
say '   Refused, and fallen back on with the caller'"'"'s variables'
show 0 surety check -c census/agent-output --var steps=4 census-pie.txt

say '5. Credibility analysis: JSON in the middle of prose'
show 0 surety check -c credibility/analysis-result credibility.md
show 1 surety check -c credibility/analysis-result credibility-eleven.md

say '6. Almost-JSON is a mistake, unless you say how much may be mended'
show 1 surety check -c credibility/analysis-result credibility-almost.md
say '   The form and the values; every repair is told'
show 0 surety check -c credibility/analysis-result --repair align \
    credibility-almost.md
say '   A reply that was cut off is closed by nobody; what is there can be had'
show 0 surety check -c credibility/analysis-result --partial credibility-cut.md

say '7. A reply while it is being written: each new partial value'
slowly 0 credibility.md surety check -c credibility/analysis-result --stream
say '   And the end of waiting where it can no longer become right'
slowly 1 credibility-eleven.md surety check -c credibility/analysis-result \
    --stream --commit

say 'For programs: one JSON report a reply (the contract surety/report)'
show 1 surety check -c credibility/analysis-result --report json \
    credibility-eleven.md

say '8. The whole job: prompt, model, check, ask again, value'
say '   What the model is told, with the schema as a type'
show 0 surety prompt -c credibility/analysis-result --style typescript \
    'How credible is this account?'
say '   A recorded model breaks the contract, is told exactly how, and mends it'
show 0 surety run -c user-story/iteration-output --retries 1 \
    -m replay:../recordings/story.jsonl --ledger "$scratch/ledger.db" \
    -v --show-prompt --show-reply 'As a user I want to log in.'
say '   What the ledger has of it'
show 0 python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("""SELECT number, purpose,
        model, mode, state, stage, error_count, input_tokens, output_tokens
        FROM attempt_list"""):
    print(*row)' "$scratch/ledger.db"
say '   The same over HTTP: a server that is busy, then answers in prose'
cat >"$scratch/script.json" <<'END'
{ "replies": [
    { "status": 429, "headers": { "Retry-After": "0" } },
    { "text": "I give it 7.5 points." },
    { "json": { "score": 7.5, "summary": "Mostly sound." } } ] }
END
surety mock --script "$scratch/script.json" --requests 3 --for 60 --quiet \
    >"$scratch/mock.log" &
mock=$!
while kill -0 $mock 2>/dev/null && ! [ -s "$scratch/mock.log" ]; do
    sleep 0.05
done
url=$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$scratch/mock.log")
cat >"$scratch/surety.json" <<END
{ "providers": { "here": { "protocol": "anthropic", "base_url": "$url" } } }
END
show 0 surety run --config "$scratch/surety.json" -m here:some-model \
    -c simple/analysis --ledger "$scratch/ledger.db" -v \
    'How credible is this account?'
kill $mock 2>/dev/null
wait $mock
say '   And with a real model: surety run -c ... -m openai:NAME (or anthropic:,'
printf '   gemini:, ollama:, ...), its key in the environment: docs/run.md\n'
say 'More: surety --help, surety contracts list, README.md'

exit $failed
