# The front door. Everything is done by CMake presets; this file only spells the common wishes.
#
#   make run            build, and fit the bundled stream (NYC flights) with privacy
#   make test           build, and run every test
#   make test-extended  also sanitizers (address, undefined behaviour, threads), fuzzers, 60 s each, and a million pairs of hostile rows
#   make bench          benchmarks: a table against the targets, all figures in build/bench.json
#   make peers          other software in the same run: docs/results/peers.md (installs it under build/peers)
#   make results        every figure and CSV of docs/results, again: about 15 minutes of one core
#   make build          the release build: build/release/rivulet
#   make python         the Python package in the build tree, with an environment to use it in: build/venv
#   make format lint    clang-format, clang-tidy
#
# QUICK=1 with bench, peers or results runs the same programs with tiny sizes, under build/quick: it shows that they run, publishes
# nothing and installs no other software. With test-extended it configures the sanitizers' and the fuzzers' builds and compiles one file.
JOBS ?= $(shell nproc)

VENV = build/venv
VENV_PYTHON = $(VENV)/bin/python
RELEASE = build/release
QUICK_OUT = build/quick
QUICK_FLAG = $(if $(QUICK),--quick)

# BUILT=1 is for the tests, which run these targets on a tree that is built: nothing is installed, configured or compiled then, and a
# program that would be built is only looked up among the build's targets.
ifdef BUILT
setup setup-extended configure build python: ;
BUILD = @ninja -C $(RELEASE) -t query
else
BUILD = @cmake --build --preset release -j $(JOBS) --target
endif

.PHONY: configure build python run test test-extended bench peers results format format-check lint setup setup-extended clean

ifndef BUILT
setup:
	@scripts/setup.sh

setup-extended:
	@scripts/setup.sh extended

configure: setup
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log

build: configure
	@cmake --build --preset release -j $(JOBS)

# Everything Python needs, pinned, in an environment of its own.
$(VENV)/.ready: python/requirements-test.txt | setup
	@echo "rivulet set-up: making the Python environment $(VENV)" >&2
	@python3 -m venv $(VENV)
	@$(VENV_PYTHON) -m pip install --quiet --disable-pip-version-check -r python/requirements-test.txt
	@touch $@

python: setup $(VENV)/.ready
	@cmake --preset release -DRIVULET_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(VENV_PYTHON) >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset release -j $(JOBS) --target rivulet_python rivulet_python_stub rivulet
endif

# The program and the demo only: nobody waits for tests to be compiled who wants to see a result.
run: OUT = $(if $(QUICK),$(QUICK_OUT),build)
run: configure
	$(BUILD) rivulet flights_demo $(if $(BUILT),>/dev/null)
	@mkdir -p $(OUT)
	$(RELEASE)/rivulet fit data/flights.csv.gz --config data/flights.toml --releases $(OUT)/flights-releases.jsonl
	@printf "\n%s releases are in $(OUT)/flights-releases.jsonl; the last one:\n" "$$(wc -l < $(OUT)/flights-releases.jsonl)"; tail -n 1 $(OUT)/flights-releases.jsonl
	@$(RELEASE)/flights_demo data/flights.csv.gz data/flights.toml

test: python
	@cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

SANITIZED_BY_THREADS = kernel_test regression_test sketch_test
FUZZERS = csv_fuzzer config_fuzzer libsvm_fuzzer ndjson_fuzzer model_fuzzer
ifdef QUICK
# The file is one where GCC's warnings about std::regex once stopped the build.
test-extended: setup-extended
	cmake --preset asan -B $(QUICK_OUT)/asan >/dev/null
	cmake --build $(QUICK_OUT)/asan -j $(JOBS) --target tests/input/CMakeFiles/input_test.dir/libsvm_grammar_test.cc.o
	cmake --preset tsan -B $(QUICK_OUT)/tsan >/dev/null
	@ninja -C $(QUICK_OUT)/tsan -t query $(SANITIZED_BY_THREADS) >/dev/null
	if command -v clang++ >/dev/null; then cmake --preset fuzz -B $(QUICK_OUT)/fuzz >/dev/null && ninja -C $(QUICK_OUT)/fuzz -t query $(FUZZERS) >/dev/null; fi
else
test-extended: setup-extended test
	cmake --preset asan && cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)
	cmake --preset tsan && cmake --build --preset tsan -j $(JOBS) --target $(SANITIZED_BY_THREADS)
	ctest --preset tsan -R '^(kernel|regression|sketch)_test$$'
	cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS) --target $(FUZZERS)
	fuzz/run.sh 60 build/fuzz
	cmake -S . -B build/asan-python -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRIVULET_PREBUILT=$(CURDIR)/build/release -DRIVULET_SANITIZE=address,undefined -DPython_EXECUTABLE=$(CURDIR)/$(VENV_PYTHON)
	cmake --build build/asan-python -j $(JOBS) --target rivulet_python
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 MPLBACKEND=Agg PYTHONPATH=build/asan-python/python RIVULET_BUILD=build/release \
	  $(VENV_PYTHON) -m pytest tests/python/test_inputs.py tests/python/test_stream.py tests/python/test_threads.py tests/python/test_durable.py tests/python/test_rows_alone.py
	RIVULET_ORACLE_PAIRS=100000 $(RELEASE)/line_oracle_test
	PYTHONPATH=$(RELEASE)/python $(VENV_PYTHON) tests/python/row_oracle.py --pairs 1000000
	RIVULET_WHOLE_WHEEL=1 PYTHONPATH=build/release/python RIVULET_BUILD=build/release $(VENV_PYTHON) -m pytest tests/python/test_install.py
endif

bench: OUT = $(if $(QUICK),$(QUICK_OUT),build)
bench: build python
	python3 bench/run_benchmarks.py $(RELEASE) $(OUT)/bench.json $(QUICK_FLAG)
	$(RELEASE)/high_dimension $(QUICK_FLAG)
	PYTHONPATH=$(RELEASE)/python $(VENV_PYTHON) bench/python_ingest.py $(RELEASE)/ingest_bench $(QUICK_FLAG)

# Only what is compared is built. The quick form needs NumPy and SciPy, which the package's own environment has.
peers: $(if $(QUICK),python,configure)
	$(BUILD) rivulet kernel_bench scaling_bench $(if $(BUILT),>/dev/null)
	$(if $(QUICK),RELEASE=$(RELEASE) PYTHON=$(VENV_PYTHON) PEERS_WORK=$(QUICK_OUT)/peers )bench/peers/run.sh $(QUICK_FLAG)

RESULTS = streams profiles horizons table1 geometry opt
results: OUT = $(if $(QUICK),$(QUICK_OUT)/results,docs/results)
results: configure
	$(BUILD) $(RESULTS) $(if $(BUILT),>/dev/null)
	@mkdir -p $(OUT)
	@for experiment in $(RESULTS); do printf "\n$$experiment\n"; $(RELEASE)/$$experiment --out $(OUT) $(QUICK_FLAG) || exit 1; done

format: setup-extended
	scripts/format.sh

format-check: setup-extended
	scripts/format.sh --check

lint: setup-extended build
	scripts/lint.sh $(RELEASE)

clean:
	rm -rf build
