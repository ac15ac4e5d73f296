#!/usr/bin/env bash
# Runs go build and says what is going on: modules that are fetched, packages that are
# compiled, the time so far. Silent when everything is there already.
# Usage: build.sh WHAT ARGUMENT... (the arguments of go build; the package is the last)
set -euo pipefail
what=$1
shift
package=${*: -1}
began=$SECONDS
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# On a terminal one line that overwrites itself, else a line every ten seconds.
say() {
  if [ -t 2 ]; then printf '\r%s: %s, %d s\033[K' "$what" "$1" $((SECONDS - began)) >&2
  elif [ $((SECONDS - said)) -ge 10 ]; then said=$SECONDS; printf '%s: %s, %d s\n' "$what" "$1" $((SECONDS - began)) >&2; fi
}

follow() { # PID WORDS: counts the lines of the log until the process ends
  while kill -0 "$1" 2>/dev/null; do
    sleep 1
    modules=$(grep -c '^go: downloading' "$log" || true)
    packages=$(grep -vc '^go: \|^#' "$log" || true)
    if [ "$packages" -gt 0 ]; then say "$packages of at most $total packages compiled"
    elif [ "$modules" -gt 0 ]; then say "$modules modules fetched"
    elif [ $((SECONDS - began)) -ge 3 ]; then say "$idle"; fi
  done
}

said=$SECONDS
total="?"
idle="looking what there is to do"
go list -deps "$package" >"$log.list" 2>"$log" &
follow $!
if wait $!; then total=$(wc -l <"$log.list"); fi
rm -f "$log.list"
: >"$log"
idle="checking what has changed, linking"
go build -v "$@" 2>"$log" &
building=$!
follow "$building"
if ! wait "$building"; then
  [ ! -t 2 ] || echo >&2
  grep -v '^go: downloading\|^[a-z0-9./_-]*$' "$log" >&2 || true
  echo "$what: the build failed after $((SECONDS - began)) s" >&2
  exit 1
fi
if [ $((SECONDS - began)) -ge 3 ]; then
  [ ! -t 2 ] || printf '\r\033[K' >&2
  echo "$what: $(grep -vc '^go: \|^#' "$log" || true) packages compiled in $((SECONDS - began)) s" >&2
fi
