#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over the product's sources, two files at a time.
#
#   scripts/lint.sh [build directory] [file ...]     default: build/release, every .cc file below src/ that it compiles
#
# The build directory must have been configured: its compile_commands.json says how each file is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
if (( $# > 0 )); then shift; fi
database="$build/compile_commands.json"
if [[ ! -f "$database" ]]; then
  echo "lint: $database does not exist; configure first: cmake --preset release" >&2
  exit 2
fi
tidy=${CLANG_TIDY:-clang-tidy}
if ! command -v "$tidy" >/dev/null; then
  echo "lint: $tidy is not installed; scripts/setup.sh extended installs it" >&2
  exit 2
fi

files=("$@")
if (( ${#files[@]} == 0 )); then
  mapfile -t files < <(sed -n "s|^ *\"file\": \"$PWD/\(src/.*\)\",*$|\1|p" "$database" | sort -u)
fi
if (( ${#files[@]} == 0 )); then
  echo "lint: $database names no file below src/" >&2
  exit 2
fi

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
status=0
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P 2 "$tidy" -p "$build" --quiet >"$reports/out" 2>"$reports/err" || status=$?
# A header's finding is reported by every file that includes it: once is enough.
mapfile -t findings < <(grep -E '^[^ ].*: (warning|error): ' "$reports/out" | sort -u)
if (( ${#findings[@]} > 0 )); then
  printf '%s\n' "${findings[@]}"
elif (( status != 0 )); then
  cat "$reports/out" "$reports/err" >&2
fi
echo "lint: ${#files[@]} files, ${#findings[@]} findings"
(( ${#findings[@]} == 0 && status == 0 ))
