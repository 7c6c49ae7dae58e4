#!/usr/bin/env bash
# Installs the Debian packages Rivulet is built and tested with. Safe to run again: it installs only what is missing.
#
#   scripts/setup.sh            what the build, the tests and the demo need
#   scripts/setup.sh extended   also what `make test-extended`, `make lint` and `make format` need
set -euo pipefail

packages=(
  build-essential cmake ninja-build pkg-config   # toolchain
  libeigen3-dev                                  # dense algebra
  libboost-dev                                   # Boost.Math: Student's t, binomial bounds
  libssl-dev                                     # AES-256-CTR random bits
  libmpfr-dev libgmp-dev                         # undecided accept tests of the exact noise; test oracles
  libsqlite3-dev                                 # model files
  zlib1g-dev                                     # .csv.gz
  libsimdjson-dev                                # NDJSON rows
  libcli11-dev libtoml11-dev nlohmann-json3-dev libfmt-dev   # command line, configuration, output
  libgtest-dev libbenchmark-dev                  # tests, benchmarks
  python3-venv python3-dev                       # the Python package and its tests
  coinor-libclp-dev                              # linear programs, the oracle of the lifting tests
)
extended=(clang clang-format clang-tidy libclang-rt-14-dev)   # fuzzers, format, lint

if [[ "${1:-}" == extended ]]; then packages+=("${extended[@]}"); fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed ]] || missing+=("$package")
done

if (( ${#missing[@]} == 0 )); then exit 0; fi

as_root=()
if [[ "$(id -u)" != 0 ]]; then as_root=(sudo); fi
echo "rivulet set-up: installing missing Debian packages: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
