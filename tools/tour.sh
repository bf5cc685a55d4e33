#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A tour of the tool on real input. First five systems (examples/systems): a
# reply as each gets it from its model, checked, and the system itself at work
# over HTTP with a model server that answers from a script. Then repair,
# streams, the whole job and its ledger, and a client's request through the
# gateway. Run by `make run`.
#
#     tools/tour.sh BUILD
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
PATH=$build:$build/examples/systems:$PATH
cd "$root/examples/replies" || exit 1
unset SURETY_CONTRACTS
bold= dim= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi
failed=0
scratch=$(mktemp -d)
mock= api= gateway=
trap 'stop; rm -rf "$scratch"' EXIT

# say TEXT: what comes next.
say() {
    printf '\n%s%s%s\n' "$bold" "$1" "$plain"
}

# show CODE COMMAND...: prints the command, runs it, and sees that it ends with
# the exit code the tour promises.
show() {
    want=$1
    shift
    line=$(printf '%s ' "$@" | sed -n '1{s/ *$//;p;};2{s/.*/.../;p;q;}')
    printf '%s$ %s%s\n' "$dim" "$line" "$plain"
    "$@" 2>&1
    got=$?
    printf '%s(exit code %s)%s\n' "$dim" "$got" "$plain"
    if [ "$got" -ne "$want" ]; then
        printf 'tour: expected the exit code %s\n' "$want"
        failed=1
    fi
}

# serve PROTOCOL SCRIPT: starts a model server that answers from a script, and
# writes a surety.json that calls it "here".
serve() {
    rm -f "$scratch/mock.log"
    surety mock --script "$2" --for 120 --quiet >"$scratch/mock.log" &
    mock=$!
    while kill -0 $mock 2>/dev/null && ! [ -s "$scratch/mock.log" ]; do
        sleep 0.05
    done
    url=$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$scratch/mock.log")
    cat >"$scratch/surety.json" <<END
{ "providers": { "here": { "protocol": "$1", "base_url": "$url" } } }
END
}

# stop: ends the gateway, the model server, and that of the Census API.
stop() {
    for server in $gateway $mock $api; do
        { kill "$server" && wait "$server"; } 2>/dev/null
    done
    mock= api= gateway=
}

# system CODE INPUT PROGRAM ARGUMENT...: one of the five, where surety.json
# stands; INPUT is the file on its standard input, or - for none.
system() {
    want=$1 input=$2
    shift 2
    [ "$input" = - ] && input=/dev/null
    cd "$scratch" || exit 1
    show "$want" "$@" <"$input"
    cd "$root/examples/replies" || exit 1
}

inputs=$root/examples/inputs scripts=$root/examples/scripts

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

say '1. Trend analysis: a report with every mistake at its place'
show 1 surety check -c trend/iteration-response trend-broken.md
say '   The same as the list that goes back to the agent'
show 1 surety check -c trend/iteration-response --report plain trend-broken.md
say '   A tool of the agent, which asks a database of claims'
systems=$root/examples/systems
export CLAIMS_DB="$scratch/claims.db" CSV_FOLDER="$scratch/exports"
mkdir "$CSV_FOLDER"
show 0 "$systems/claims-data.py" "$CLAIMS_DB"
show 0 surety tools "$systems/trend-tools.json" get_trend_data_tool \
    '{"group_by_dimensions": "service_category", "top_n": 3}'
say '   The loop: calls of tools, phases, corrections carried on, coverage'
serve openai "$scripts/trend.json"
system 0 - trend -m here:some-model --tools "$systems/trend-tools.json" \
    --ledger "$scratch/trend.db" "$(cat "$inputs/trend.txt")"
stop
show 0 ls -s "$CSV_FOLDER"
say '   What its ledger knows: which dimensions were explored'
show 0 surety stats --ledger "$scratch/trend.db" --show runs,errors,coverage \
    --expect dimensions_explored=claim_type,region,age_group,service_category

say '2. Code maintenance: only a block tagged json counts; others are skipped'
show 0 surety check -c maverick/fixer-result fixer-python-first.md
say '   A rule across fields, which JSON Schema alone does not say'
show 1 surety check -c maverick/fixer-result fixer-no-details.md
say '   A reply that was cut off is never taken for complete'
show 1 surety check -c maverick/fixer-result fixer-cut-off.md
say '   The agent: structured output first, then the text'
serve anthropic "$scripts/maverick.json"
system 0 - maverick -m here:some-model UnifiedReviewer \
    "$(cat "$inputs/review.txt")"
stop

say '3. User stories: a percentage for a share, null for what is absent'
show 1 surety check -c user-story/iteration-output --no-fallback \
    story-confidence.md
say '   Plain prose: the contract falls back on the text itself, and says so'
show 0 surety check -c user-story/iteration-output story-prose.md
say '   The agent: a story on standard input, each iteration on the last one'
serve openai "$scripts/user-story.json"
system 0 "$inputs/story.txt" env LOG_LEVEL=debug user-story -m here:some-model \
    --mode individual --iterations validation,accessibility
stop

say '4. Census answers: refused, and fallen back on with given variables'
show 0 surety check -c census/agent-output --var steps=4 census-pie.txt
say '   The agent calls the Census API, here a server with invented figures;'
printf '   a figure that no call gave is no answer\n'
serve gemini "$scripts/census.json"
"$systems/census-api.py" "$inputs/census.csv" >"$scratch/api.log" &
api=$!
while kill -0 $api 2>/dev/null && ! [ -s "$scratch/api.log" ]; do
    sleep 0.05
done
CENSUS_API=$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$scratch/api.log")
export CENSUS_API
system 0 - census -m here:some-model --tools "$systems/census-tools.json" \
    --folder "$scratch/census" \
    'What are the ten most populous counties of California?'
stop
show 0 ls -s "$scratch/census"

say '5. Credibility analysis: JSON in the middle of prose'
show 1 surety check -c credibility/analysis-result credibility-eleven.md
say '   Three models at once: one is busy, one never right; what they agree on'
serve openai "$scripts/credibility.json"
system 0 - credibility --consensus vote \
    -m here:steady -m here:busy -m here:lost "$(cat "$inputs/posts.txt")"
stop

say '6. Almost-JSON is a mistake, unless you say how much may be repaired'
show 1 surety check -c credibility/analysis-result credibility-almost.md
say '   The form and the values; every repair is reported'
show 0 surety check -c credibility/analysis-result --repair align \
    credibility-almost.md
say '   A reply that was cut off is no value; --partial gives its beginning'
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
say '   A recorded model breaks the contract, is shown where, and corrects it'
show 0 surety run -c user-story/iteration-output --retries 1 \
    -m replay:../recordings/story.jsonl --ledger "$scratch/ledger.db" \
    -v --show-prompt --show-reply 'As a user I want to log in.'
say '   The same over HTTP: a server that is busy, then answers in prose'
cat >"$scratch/script.json" <<'END'
{ "replies": [
    { "status": 429, "headers": { "Retry-After": "0" } },
    { "text": "I give it 7.5 points." },
    { "json": { "score": 7.5, "summary": "Mostly sound." } } ] }
END
serve anthropic "$scratch/script.json"
show 0 surety run --config "$scratch/surety.json" -m here:some-model \
    -c simple/analysis --ledger "$scratch/ledger.db" -v \
    'How credible is this account?'
stop
say '   What the ledger has of it'
show 0 surety stats --ledger "$scratch/ledger.db"
say '   And with a real model: surety run -c ... -m openai:NAME (or anthropic:,'
printf '   gemini:, ollama:, ...), its key in the environment: docs/run.md\n'
say '9. The gateway: a client of OpenAI that only has another base URL'
printf '   The model first answers with words for the hours; the client never\n'
printf '   sees that reply, because the gateway asks again with the error\n'
cat >"$scratch/script.json" <<'END'
{ "replies": [ { "text": "{\"title\": \"Lamp\", \"hours\": \"a few\"}" },
               { "text": "{\"title\": \"Lamp\", \"hours\": 4}" } ] }
END
serve openai "$scratch/script.json"
surety serve --listen 127.0.0.1:0 --config "$scratch/surety.json" \
    --ledger none --log "$scratch/access.jsonl" >"$scratch/gateway.log" &
gateway=$!
while kill -0 $gateway 2>/dev/null && ! [ -s "$scratch/gateway.log" ]; do
    sleep 0.05
done
base=$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$scratch/gateway.log")
cd "$root/examples/gateway" || exit 1
show 0 cat request.json
show 0 curl -sS -i -w '\n' --fail-with-body \
    "$base/v1/chat/completions" -d @request.json
say '   What its log has of the request: no prompt, no reply, no key'
stop
show 0 cat "$scratch/access.jsonl"

say 'More: surety --help, surety contracts list, README.md'

exit $failed
