# SPDX-License-Identifier: Apache-2.0
# The newcomer's verbs; Meson does the work (meson.build).
#
#   make           build the library and the tool: build/surety
#   make run       build, then show the tool at work
#   make test      build, run every test, end with "N passed, N failed"
#   make bench     measure beside others, ten minutes (docs/performance.md)
#   make fault     fail every allocation of every unit test: half an hour
#   make mutate    change 200 places of the sources, one at a time, and name the
#                  changes that no test notices; at most an hour
#   make soak      gateways under load and faults, SOAK_REQUESTS requests
#   make sim       worlds of the simulators, of the seeds 1 to SIM_SEEDS
#   make race      run what has threads under the thread sanitizer
#   make fuzz      search for crashing inputs, SECS seconds a target
#   make install   install below PREFIX (and DESTDIR)
#   make setup     install what Debian packages are missing, nothing else
#   make symbols   write the lists of exported symbols and the ABI anew, after a
#                  review
#   make deb       build the Debian packages below $(BUILD)/debian
#   make amalgamation   the core as one file: $(BUILD)/amalgamation/surety.c, .h
#   make clean     remove what was built
#
# Each verb first installs what Debian packages it needs and does not find.
BUILD = build
PREFIX = /usr/local
SECS = 60
SETUP = tools/setup.sh
MESON_FLAGS =
TALLY_FLAGS =
BENCH_FLAGS =
MUTATE_FLAGS =
SOAK_REQUESTS = 100000
SOAK_SECONDS = 3600
SOAK_SEED = 17
SIM_SEEDS = 100000
RACE_TESTS = schema_threads_test schema_prefix_test run_forms_test \
    mock_server_test serve_server_test serve_tls_test gate_test keys_test.py \
    gateway_test.py gateway_fleet_test.py gateway_hostile_test.py \
    gateway_keys_test.py gateway_listen_test.py gateway_live_test.py \
    gateway_observe_test.py gateway_pass_test.py gateway_routes_test.py \
    gateway_rows_test.py gateway_soak_test.py gateway_tls_test.py \
    gateway_tools_test.py gateway_ui_test.py

all: setup $(BUILD)/build.ninja
	@ninja -C $(BUILD)

setup:
	@$(SETUP) build

$(BUILD)/build.ninja: | setup
	meson setup --prefix='$(PREFIX)' $(MESON_FLAGS) $(BUILD)

run:
	@$(SETUP) build run
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@ninja -C $(BUILD) surety systems
	@tools/tour.sh $(BUILD)

test:
	@$(SETUP) build test
	@$(MAKE) --no-print-directory all
	@python3 tools/tally.py $(TALLY_FLAGS) $(BUILD)

# What is measured has a build of its own, optimised. The table names whatever
# could not be had, and goes on.
bench:
	@$(SETUP) build
	@$(SETUP) bench || echo "bench: goes on without what is missing" >&2
	@python3 bench/install.py build-bench/bench/peers || true
	@meson setup --buildtype=release build-bench \
	    $(if $(wildcard build-bench/build.ninja),--reconfigure) >/dev/null
	@ninja -C build-bench --quiet surety bench tests/fuzz/almost-print
	@python3 bench/bench.py $(BENCH_FLAGS) build-bench
	@python3 bench/repair.py build-bench
	@python3 bench/gateway.py build-bench

fault: all
	@for test in $(BUILD)/tests/unit/*_test; do \
	    case $$test in *extract_linear_test) continue ;; esac; \
	    echo "$$test --fault-all"; $$test --fault-all || exit 1; done

mutate:
	@$(SETUP) build test
	@python3 tools/mutate.py $(MUTATE_FLAGS)

# A failure names the seed and the request.
soak:
	@$(SETUP) build soak
	@$(MAKE) --no-print-directory all
	@python3 tests/e2e/gateway_soak_test.py $(BUILD)/surety \
	    $(BUILD)/tests/e2e/libsoak_clock.so --seed $(SOAK_SEED) \
	    --requests $(SOAK_REQUESTS) --seconds $(SOAK_SECONDS)

# A failure names the seed.
sim: all
	@for test in sim_test gate_test; do \
	    $(BUILD)/tests/sim/$$test --seeds 1 $(SIM_SEEDS) || exit 1; done

# A program ends at its first race, and its test fails with both places.
race:
	@$(SETUP) build test
	@[ -e build-race/build.ninja ] || meson setup -Db_sanitize=thread \
	    -Db_lundef=false build-race >/dev/null
	@TSAN_OPTIONS=halt_on_error=1 python3 tools/tally.py $(TALLY_FLAGS) \
	    build-race --timeout-multiplier 5 $(RACE_TESTS)

fuzz:
	@$(SETUP) build fuzz
	@tools/fuzz.sh $(SECS)

# A relative DESTDIR is one of this folder, and may have spaces in its name.
install: FROM = $(if $(filter /%,$(DESTDIR)),,$(CURDIR)/)
install: all
	@meson configure $(BUILD) -Dprefix='$(PREFIX)'
	@DESTDIR='$(if $(DESTDIR),$(FROM))$(DESTDIR)' \
	    meson install -C $(BUILD) --quiet

symbols: all
	@python3 tests/api/symbols.py --write $(BUILD)/libsurety.so
	@for name in run render serve; do python3 tests/api/symbols.py \
	    --write $(BUILD)/libsurety-$$name.so || exit 1; done
	@python3 tests/api/abi.py --write

# dpkg-buildpackage writes beside its sources, so it gets a copy of them.
deb:
	@$(SETUP) build deb
	@python3 tests/api/debian.py --make $(BUILD)/debian

amalgamation: setup $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet tests/api/surety.c
	@mkdir -p $(BUILD)/amalgamation
	@cp $(BUILD)/tests/api/surety.c $(BUILD)/tests/api/surety.h \
	    $(BUILD)/amalgamation

clean:
	@rm -rf $(BUILD) build-*

.PHONY: all setup run test bench fault mutate soak sim race fuzz install \
    symbols deb amalgamation clean
