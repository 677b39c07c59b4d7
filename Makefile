# SPDX-License-Identifier: Apache-2.0
#
# The commands people type. All building is CMake's (CMakePresets.json); what a command
# needs and the machine lacks, tools/setup installs. `make help` lists the commands.

PREFIX       ?= /usr/local
DESTDIR      ?=
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
CTEST_ARGS   ?=
BENCH_ARGS   ?=
CHAOS_ARGS   ?=
SEEDS        ?= 20000
SECONDS      ?= 0
SEED         ?=
DEMO_ARGS    ?=

# Whoever says `make cluster` asks for it; a folder of programs that is given stays.
real_server = KIN_KUBE_APISERVER='$(or $(filter-out 0,$(KIN_KUBE_APISERVER)),1)'

.DEFAULT_GOAL := all
.PHONY: all debug check cluster asan tsan coverage fuzz chaos simulate lint format run bench install uninstall clean help
# Each command is a sequence, and uses all cores by itself.
.NOTPARALLEL:

# $(call build,PRESET) configures and builds; $(call test,PRESET) runs its tests.
build = cmake --preset $(1) && cmake --build --preset $(1)
test  = ctest --preset $(1) $(CTEST_ARGS)
# For commands that do not need the tests: these are configured only if the machine has what they need.
configure = cmake --preset release -D KIN_BUILD_TESTS=AUTO -D KIN_BUILD_BENCH=AUTO

all: ## build libraries and command, optimized (build/release); the tests, too, if their libraries are there
	@tools/setup build
	@$(configure) && cmake --build --preset release

debug: ## build unoptimized, with lock rank and invariant checks (build/debug)
	@tools/setup check
	@$(call build,debug)

check: ## run all tests of the default build; CTEST_ARGS="-R map" picks some
	@tools/setup check
	@$(call build,release)
	@$(call test,release)

cluster: ## run the tests at a real kube-apiserver, which is built if it is not there (Go, ten minutes)
	@tools/setup check
	@$(call build,release)
	@$(real_server) tools/kube-apiserver --build
	@$(real_server) ctest --preset release -R '^(integration\.kube_apiserver|e2e\.real_cluster)' $(CTEST_ARGS)

asan: ## run all tests under AddressSanitizer and UBSan
	@tools/setup check
	@$(call build,asan)
	@$(call test,asan)

tsan: ## run all tests under ThreadSanitizer
	@tools/setup check
	@$(call build,tsan)
	@$(call test,tsan)

coverage: ## run all tests, then print how much of each source file they ran
	@tools/setup check
	@$(call build,coverage)
	@tools/coverage --reset build/coverage
	@$(call test,coverage)
	@tools/coverage build/coverage

fuzz: ## run each fuzzer for FUZZ_SECONDS (60)
	@tools/setup fuzz
	@$(call build,fuzz)
	@tools/fuzz --build build/fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

chaos: ## a million events and ten thousand faults for 20 informers; CHAOS_ARGS="--seed 7"
	@tools/setup check
	@cmake --preset release && cmake --build --preset release --target kin-chaos
	@build/release/tests/kin-chaos $(CHAOS_ARGS)

simulate: ## prove that the simulation finds planted defects, then run SEEDS (20000); SEED=42 repeats one and explains its failure
	@tools/setup check
	@cmake --preset release && cmake --build --preset release --target kin-simulate
	@$(if $(SEED),,build/release/tests/kin-simulate --prove)
	@build/release/tests/kin-simulate $(if $(SEED),--seed $(SEED),--seeds $(SEEDS) --seconds $(SECONDS))

lint: ## check format, layers, thread annotations; clang-tidy and cppcheck
	@tools/setup lint
	@tools/lint

format: ## format all C files in place
	@tools/setup lint
	@tools/lint --fix

run: ## build the command and see informers at work on a simulated cluster; DEMO_ARGS="--for 20s"
	@tools/setup build
	@$(configure) && cmake --build --preset release --target kinform_cli
	@build/release/bin/kinform demo $(DEMO_ARGS)

bench: ## measure, next to client-go where Go is present; BENCH_ARGS="--quick"
	@tools/setup bench
	@$(call build,release)
	@bench/run $(BENCH_ARGS)

install: ## install command and libraries into PREFIX (/usr/local), below DESTDIR
	@tools/setup build
	@$(configure) && cmake --build --preset release --target kinform_installed
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

uninstall: ## remove from PREFIX what `make install` puts there
	@$(configure) && cmake --build --preset release --target kinform_installed
	@DESTDIR='$(DESTDIR)' tools/uninstall build/release '$(PREFIX)'

clean: ## remove everything that was built
	@rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
