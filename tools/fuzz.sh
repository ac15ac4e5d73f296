#!/usr/bin/env bash
# Fuzzes every target of the repository for the given time, one on each processor. What a target finds is written to
# its testdata/fuzz and is run by every test from then on: commit it.
set -euo pipefail
cd "$(dirname "$0")/.."
export FUZZ_TIME=${1:-20s}
only=${2:-}

fuzz_target() {
  local file=${1%:*} target=${1##*:} module=. out
  [[ "$file" != engine/* ]] || module=engine
  printf '%-60s %s\n' "$(dirname "$file")" "$target"
  for attempt in 1 2; do
    if out=$(cd "$module" && go test "./$(dirname "${file#"$module"/}")" -run '^$' -parallel 1 \
      -fuzz "^$target\$" -fuzztime "$FUZZ_TIME" 2>&1); then
      return 0
    fi
    # A target whose last input is under way when its time is over may be said to have failed so, without any input.
    if [ "$attempt" = 2 ] || ! grep -q '^ *context deadline exceeded$' <<<"$out" || grep -q 'Failing input' <<<"$out"; then
      printf '%s\n' "$out" | tail -n 40
      printf 'FAILED: %s %s\n' "$file" "$target"
      return 1
    fi
    echo "once more, the time was over in the middle of an input: $target"
  done
}
export -f fuzz_target

targets=$(git grep -oE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sed 's/func //' | sort)
[ -z "$only" ] || targets=$(grep -F -- "$only" <<<"$targets")
count=$(wc -l <<<"$targets")
if xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -c 'fuzz_target "$1"' - {} <<<"$targets"; then
  echo "fuzz: $count targets, $FUZZ_TIME each, none failed"
else
  echo "fuzz: $count targets, $FUZZ_TIME each, some FAILED: see above"
  exit 1
fi
