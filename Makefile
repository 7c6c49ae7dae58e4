# The front door. Everything is done by CMake presets; this file only spells the common wishes.
#
#   make run            build, and fit the bundled stream (NYC flights) with privacy
#   make test           build, and run every test
#   make test-extended  also sanitizers (address, undefined behaviour, threads) and fuzzers, 60 s each
#   make bench          benchmarks: a table against the targets, all figures in build/bench.json
#   make peers          other software in the same run: docs/results/peers.md (installs it under build/peers)
#   make results        every figure and CSV of docs/results, again: about 15 minutes of one core
#   make build          the release build: build/release/rivulet
#   make python         the Python package in the build tree, with an environment to use it in: build/venv
#   make format lint    clang-format, clang-tidy
JOBS ?= $(shell nproc)

VENV = build/venv

.PHONY: configure build python run test test-extended bench peers results format format-check lint setup setup-extended clean

setup:
	@scripts/setup.sh

setup-extended:
	@scripts/setup.sh extended

configure: setup
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log

build: configure
	@cmake --build --preset release -j $(JOBS)

# The program and the demo only: nobody waits for tests to be compiled who wants to see a result.
run: configure
	@cmake --build --preset release -j $(JOBS) --target rivulet flights_demo
	build/release/rivulet fit data/flights.csv.gz --config data/flights.toml --releases build/flights-releases.jsonl
	@printf "\n%s releases are in build/flights-releases.jsonl; the last one:\n" "$$(wc -l < build/flights-releases.jsonl)"; tail -n 1 build/flights-releases.jsonl
	@build/release/flights_demo data/flights.csv.gz data/flights.toml

# Everything Python needs, pinned, in an environment of its own.
$(VENV)/.ready: python/requirements-test.txt | setup
	@echo "rivulet set-up: making the Python environment $(VENV)" >&2
	@python3 -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-test.txt
	@touch $@

python: setup $(VENV)/.ready
	@cmake --preset release -DRIVULET_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(VENV)/bin/python >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset release -j $(JOBS) --target rivulet_python rivulet_python_stub rivulet

test: python
	@cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

test-extended: setup-extended test
	cmake --preset asan && cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)
	cmake --preset tsan && cmake --build --preset tsan -j $(JOBS) --target kernel_test regression_test sketch_test
	ctest --preset tsan -R '^(kernel|regression|sketch)_test$$'
	cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS) --target csv_fuzzer config_fuzzer libsvm_fuzzer model_fuzzer
	fuzz/run.sh 60 build/fuzz
	cmake -S . -B build/asan-python -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRIVULET_PREBUILT=$(CURDIR)/build/release -DRIVULET_SANITIZE=address,undefined -DPython_EXECUTABLE=$(CURDIR)/$(VENV)/bin/python
	cmake --build build/asan-python -j $(JOBS) --target rivulet_python
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 MPLBACKEND=Agg PYTHONPATH=build/asan-python/python RIVULET_BUILD=build/release \
	  $(VENV)/bin/python -m pytest tests/python/test_inputs.py tests/python/test_stream.py tests/python/test_threads.py tests/python/test_durable.py
	RIVULET_WHOLE_WHEEL=1 PYTHONPATH=build/release/python RIVULET_BUILD=build/release $(VENV)/bin/python -m pytest tests/python/test_install.py

bench: build python
	python3 bench/run_benchmarks.py build/release build/bench.json
	build/release/high_dimension
	PYTHONPATH=build/release/python $(VENV)/bin/python bench/python_ingest.py build/release/ingest_bench

# Only what is compared is built.
peers: configure
	@cmake --build --preset release -j $(JOBS) --target rivulet kernel_bench scaling_bench
	bench/peers/run.sh

RESULTS = streams profiles horizons table1 geometry opt
results: configure
	@cmake --build --preset release -j $(JOBS) --target $(RESULTS)
	@for experiment in $(RESULTS); do printf "\n$$experiment\n"; build/release/$$experiment --out docs/results || exit 1; done

format: setup-extended
	scripts/format.sh

format-check: setup-extended
	scripts/format.sh --check

lint: setup-extended build
	scripts/lint.sh build/release

clean:
	rm -rf build
