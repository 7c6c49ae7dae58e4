#!/usr/bin/env bash
# Runs every fuzzer for a while and fails on any finding.
#
#   fuzz/run.sh SECONDS BUILD_DIRECTORY        e.g. fuzz/run.sh 60 build/fuzz
#
# New inputs and findings go to BUILD_DIRECTORY/fuzz-work; the seeds beside this script are only read.
set -euo pipefail

if (( $# != 2 )) || ! [[ "$1" =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: $0 SECONDS BUILD_DIRECTORY" >&2
  exit 2
fi
seconds=$1
build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

for name in batch csv libsvm ndjson config model; do
  fuzzer="$build/${name}_fuzzer"
  if [[ ! -x "$fuzzer" ]]; then
    echo "$fuzzer: not built; configure with the preset fuzz first" >&2
    exit 2
  fi
  longest=4096
  seeds=("$here/corpus/$name")
  if [[ "$name" == model ]]; then
    longest=131072  # whole files
    seeds+=("$here/../tests/fixtures/format1")
  fi
  work="$build/fuzz-work/$name"
  mkdir -p "$work/corpus" "$work/findings"
  echo "== ${name}_fuzzer for ${seconds} s"
  "$fuzzer" -max_total_time="$seconds" -max_len="$longest" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
    -dict="$here/$name.dict" -artifact_prefix="$work/findings/" "$work/corpus" "${seeds[@]}" ||
    { echo "${name}_fuzzer: found something, see $work/findings" >&2; exit 1; }
done
echo "no findings"
