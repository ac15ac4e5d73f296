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
for folder in "$root" "$work/elsewhere"; do
  (cd "$folder/engine" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$folder/$program" ./cmd/stoa-engine)
  mapfile -t flags < <("$folder/tools/flags.sh" full check)
  (cd "$folder" && CGO_ENABLED=0 go build "${flags[@]}" -o "$work/stoa.$(basename "$folder").bin" ./cmd/stoa)
done
set -- "$work"/stoa.*.bin
if ! cmp -s "$1" "$2"; then
  echo "two builds of the same sources differ:"
  sha256sum "$1" "$2" | sed "s|$work/||"
  exit 1
fi
echo "two builds are the same: $(sha256sum "$1" | cut -c1-16)…, $(du -m "$1" | cut -f1) MB"
