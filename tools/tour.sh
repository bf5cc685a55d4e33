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

say 'For programs: one JSON report a reply (the contract surety/report)'
show 1 surety check -c credibility/analysis-result --report json \
    credibility-eleven.md

say 'More: surety --help, surety contracts list, README.md'
exit $failed
