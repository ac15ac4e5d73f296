#!/usr/bin/env bash
# Builds the binary with its engine program twice, in two folders, and compares
# the bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/elsewhere"
tar -C "$root" --exclude=./.git --exclude=./.cache --exclude=./bin --exclude=./stoa-data --exclude=node_modules -cf - . | tar -C "$work/elsewhere" -xf -
for folder in "$root" "$work/elsewhere"; do
  "$folder/tools/binary.sh" full check -o "$work/stoa.$(basename "$folder").bin"
done
set -- "$work"/stoa.*.bin
if ! cmp -s "$1" "$2"; then
  echo "two builds of the same sources differ:"
  sha256sum "$1" "$2" | sed "s|$work/||"
  exit 1
fi
echo "two builds are the same: $(sha256sum "$1" | cut -c1-16)…, $(du -m "$1" | cut -f1) MB"
