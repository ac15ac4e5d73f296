#!/usr/bin/env bash
# Builds the program that make test names in STOA_TEST_BINARY, as Build does when nothing is named.
# Usage: build.sh FILE FLAGS...
set -euo pipefail
file=$1
shift
cd "$(dirname "$0")/../.."
mkdir -p "$(dirname "$file")"
exec go build "$@" -ldflags '-s -w' -o "$file" ./cmd/stoa
