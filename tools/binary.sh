#!/usr/bin/env bash
# Builds a binary as it is released. Everything that builds one does it through this script: make,
# the release, the image, the action of CI and goreleaser.
# Usage: binary.sh full|plain|small VERSION -o FILE (GOOS and GOARCH name another system; an empty
# version is that of git). Goreleaser adds -ldflags and the package, which are settled here.
set -euo pipefail
kind=$1 version=$2
shift 2
out=
while [ $# -gt 0 ]; do
  case $1 in
  -o) out=$2; shift 2 ;;
  -ldflags=* | ./cmd/stoa) shift ;;
  *) echo "binary.sh: $1 is unknown" >&2; exit 2 ;;
  esac
done
[ -n "$out" ] || { echo "binary.sh: -o FILE is missing" >&2; exit 2; }
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/.."
[ -n "$version" ] || version=$(git describe --tags --always --dirty 2>/dev/null || echo development)
export CGO_ENABLED=0

# What is packed lies in the folder of the repository: two builds at once take turns, where the
# system has a command for that.
mkdir -p .cache/build
exec 9>.cache/build/lock
if command -v flock >/dev/null; then flock 9; fi

# The program that runs local models is a module of its own (engine/), linked dynamically, and
# travels inside the static one.
if [ "$kind" = full ]; then
  (cd engine && ../tools/build.sh stoa-engine -trimpath -buildvcs=false -gcflags=all=-dwarf=false -ldflags '-s -w' \
    -o ../internal/service/generate/backend/local/built/stoa-engine ./cmd/stoa-engine)
fi
# What it packs is packed on this system.
flags=()
while IFS= read -r flag; do flags+=("$flag"); done < <(env -u GOOS -u GOARCH tools/flags.sh "$kind" "$version")
[ ${#flags[@]} -gt 0 ] || exit 1
tools/build.sh "$(basename "$out")" "${flags[@]}" -o "$out" ./cmd/stoa
