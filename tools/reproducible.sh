#!/usr/bin/env bash
# Builds the binary with its engine program twice, in two folders, and compares
# the bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/elsewhere"
tar -C "$root" --exclude=./.git --exclude=./.cache --exclude=./bin --exclude=./stoa-data --exclude=node_modules -cf - . | tar -C "$work/elsewhere" -xf -
program=internal/service/generate/backend/local/built/stoa-engine
build() { # FOLDER OUTPUT PACKAGE FLAG...
  (cd "$1" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$2" "${@:4}" "$3")
}
for folder in "$root" "$work/elsewhere"; do
  build "$folder/engine" "$folder/$program" ./cmd/stoa-engine -ldflags '-s -w'
  build "$folder" "$work/stoa.$(basename "$folder").bin" ./cmd/stoa -tags stoa_engine -ldflags '-s -w -X main.version=check'
done
set -- "$work"/stoa.*.bin
if ! cmp -s "$1" "$2"; then
  echo "two builds of the same sources differ:"
  sha256sum "$1" "$2" | sed "s|$work/||"
  exit 1
fi
echo "two builds are the same: $(sha256sum "$1" | cut -c1-16)…, $(du -m "$1" | cut -f1) MB"
