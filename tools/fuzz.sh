#!/usr/bin/env bash
# Fuzzes every target of the repository, one after the other, each for the given time. What a target finds is written
# to its testdata/fuzz and is run by every test from then on: commit it.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
only=${2:-}
failed=0
count=0
while IFS=: read -r file target; do
  [ -z "$only" ] || [[ "$file:$target" == *$only* ]] || continue
  count=$((count + 1))
  printf '%-60s %s\n' "$(dirname "$file")" "$target"
  module=.
  [[ "$file" != engine/* ]] || module=engine
  if ! out=$(cd "$module" && go test "./$(dirname "${file#"$module"/}")" -run '^$' -fuzz "^$target\$" -fuzztime "$time" 2>&1); then
    failed=$((failed + 1))
    printf '%s\n' "$out" | tail -n 40
  fi
done < <(git grep -oE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sed 's/func //' | sort)
echo "fuzz: $count targets, $time each, $failed failed"
[ "$failed" -eq 0 ]
