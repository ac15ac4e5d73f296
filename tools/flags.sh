#!/usr/bin/env bash
# Makes the files that a binary carries packed, and prints the flags of go build for
# it, one a line, for the folder of the repository.
# Usage: flags.sh full|plain|small VERSION (plain is full without the engine of local models, for
# systems that cannot run it)
set -euo pipefail
cd "$(dirname "$0")/.."
kind=$1 version=$2
compile=(-trimpath -buildvcs=false)
while IFS= read -r flag; do compile+=("$flag"); done < <(tools/compile-flags.sh "${kind/plain/full}")
go run "${compile[@]}" ./tools/pack >&2

# The metrics engine names the Kubernetes client and never calls it: with the real one
# the binary has 79 packages and 3.3 MB more. That is said here and not in go.mod,
# where go mod tidy would look for the packages that only the engine's tests need.
mkdir -p .cache/build
cp go.sum .cache/build/stoa.sum
{ cat go.mod; echo 'replace k8s.io/client-go => ./tools/without/client-go'; } >.cache/build/stoa.mod

case $kind in
full) tags=packed,stoa_engine ;;
plain) tags=packed ;;
small) tags=packed,small ;;
*) echo "flags.sh: $kind is neither full, plain nor small" >&2; exit 2 ;;
esac
printf '%s\n' "${compile[@]}" -modfile=.cache/build/stoa.mod -tags="$tags"
# Functions begin at 16 bytes instead of 32, which is 0.7 MB; what aligns its loops keeps that.
printf '%s\n' -ldflags="-s -w -funcalign=16 -X main.version=$version"
