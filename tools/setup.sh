#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building or testing Surety needs and that
# are missing; where none is missing it does and says nothing.
#
#     tools/setup.sh SET...        SET: build, run, test, bench, soak, fuzz,
#                                      ci, more, deb
#
# One row a package: the set it belongs to, its name, what it is for. NAME:TOOL
# is not missing where TOOL can be run, wherever that comes from. NAME? is only
# asked for where this Debian has it.
set -eu

packages='
build gcc the_compiler
build libc6-dev the_headers_of_libc
build meson the_build_system
build ninja-build what_runs_the_build
build pkg-config finds_libraries
build python3 build_and_test_scripts
build libpcre2-dev regular_expressions_("pattern")
build libidn2-dev international_host_names_("idn-hostname")
build libgmp-dev exact_big_numbers
build libjq-dev the_rules_of_contracts
build libyaml-dev values_in_YAML
build libcurl4-openssl-dev calls_to_models_over_HTTPS
build libssl-dev the_gateway_by_TLS
build libsqlite3-dev the_ledger_of_attempts
build libpq-dev ledgers_in_PostgreSQL
build libcairo2-dev charts
build libpango1.0-dev the_texts_of_charts
build libxlsxwriter-dev workbooks_(xlsx)
build fonts-dejavu-core a_font_for_charts
run curl the_client_of_the_gateway_in_the_tour
test g++ the_headers_compiled_as_C++
test binutils the_list_of_exported_symbols
test libtest-json-schema-acceptance-perl the_JSON_Schema_Test_Suite
test curl clients_of_the_gateway
test openssl certificates_for_the_tests_of_TLS
test jq examples_of_the_documents
bench g++ other_parsers,_to_measure_beside
bench libsimdjson-dev a_parser_to_measure_beside
bench nghttp2-client:h2load loads_the_gateway
bench haproxy a_proxy_to_measure_the_gateway_beside_(Debian_starts_it)
bench nginx-light another_one_(Debian_starts_it,_on_port_80)
bench nodejs:node runs_validators_to_measure_beside
bench npm:npm fetches_validators_to_measure_beside
fuzz clang the_fuzzer
fuzz libclang-rt-14-dev the_run_time_of_the_fuzzer
ci clang the_second_compiler
more chromium? shows_the_page_of_the_gateway_in_a_test
more chromium-driver? drives_it
more cmake finds_the_installed_library_in_a_test
more mandoc reads_the_manual_pages_in_a_test
more man-db reads_them_too
more build-essential builds_the_Debian_packages_in_a_test
more debhelper builds_the_Debian_packages_in_a_test
more lintian reads_them
deb build-essential builds_the_Debian_packages
deb debhelper builds_the_Debian_packages
more haproxy stands_before_gateways_in_a_test
more nginx-light:nginx stands_before_gateways_too
more postgresql the_other_database_of_ledgers
soak postgresql the_database_of_the_gateways
soak python3-jsonschema judges_what_the_gateways_give
more python3-jsonschema judges_what_the_gateways_give
more python3-pydantic models_whose_schemas_are_contracts
more mypy:mypy checks_the_types_of_the_Python_package
ci libclang-rt-14-dev the_sanitizers_of_clang
ci llvm:llvm-symbolizer names_the_lines_that_they_find
'

wanted=" $* "
missing=
reasons=
if command -v dpkg-query >/dev/null 2>&1; then
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' |
        sed -n 's/^.i //p')
    while read -r set name reason; do
        case "$wanted" in *" $set "*) ;; *) continue ;; esac
        tool=${name#*:}
        if [ "$tool" != "$name" ]; then
            command -v "$tool" >/dev/null 2>&1 && continue
            name=${name%%:*}
        fi
        if [ "${name%\?}" != "$name" ]; then
            name=${name%\?}
            apt-cache show "$name" >/dev/null 2>&1 || continue
        fi
        case "
$installed
" in *"
$name
"*) continue ;; esac
        missing="$missing $name"
        reasons="$reasons  $name: $(echo "$reason" | tr _ ' ')
"
    done <<END
$(echo "$packages" | sed '/^$/d')
END
else
    for program in cc meson ninja pkg-config python3; do
        command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
    done
    [ -z "$missing" ] && exit 0
    echo "setup: this is no Debian, so install these yourself:$missing" >&2
    echo "setup: and the headers of PCRE2, libidn2, GMP, libjq, libcurl," >&2
    echo "setup: SQLite and libpq" >&2
    exit 1
fi
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1 ||
        { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
        echo "setup: packages are missing, and only root can install them:" >&2
        printf '%s' "$reasons" >&2
        echo "setup: run, then try again:  apt-get install$missing" >&2
        exit 1
    fi
    root=sudo
fi

echo "setup: installing what is missing, from Debian:"
printf '%s' "$reasons"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # the list is meant to be split
if ! { $root apt-get update -q &&
    $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $missing; } \
    >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "setup: failed; run by hand:  apt-get install$missing" >&2
    exit 1
fi
