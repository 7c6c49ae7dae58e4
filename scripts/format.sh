#!/usr/bin/env bash
# Formats all C++ sources with clang-format (.clang-format).
#
#   scripts/format.sh            rewrites files in place
#   scripts/format.sh --check    changes nothing; lists what would change and exits 1 if anything would
set -euo pipefail
cd "$(dirname "$0")/.."

format=${CLANG_FORMAT:-clang-format}
if ! command -v "$format" >/dev/null; then
  echo "format: $format is not installed; scripts/setup.sh extended installs it" >&2
  exit 2
fi

folders=()
for folder in include src tests bench fuzz experiments python; do
  if [[ -d "$folder" ]]; then folders+=("$folder"); fi
done
mapfile -d '' -t files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cc' -o -name '*.inc' \) -print0 | sort -z)

case "${1:-}" in
  "")
    "$format" -i --style=file "${files[@]}"
    echo "format: ${#files[@]} files formatted"
    ;;
  --check)
    unformatted=0
    for file in "${files[@]}"; do
      if ! "$format" --style=file "$file" | cmp -s - "$file"; then
        echo "$file"
        unformatted=$((unformatted + 1))
      fi
    done
    echo "format: ${#files[@]} files, $unformatted to format"
    (( unformatted == 0 ))
    ;;
  *)
    echo "format: unknown argument $1; give none or --check" >&2
    exit 2
    ;;
esac
