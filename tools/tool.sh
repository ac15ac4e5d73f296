#!/usr/bin/env bash
# Prints the path of a pinned tool, building it when the pins changed.
# Usage: tool.sh NAME IMPORT_PATH
#
# The tools are a module of their own (tools/pinned/go.mod); the binary is kept under
# .cache so that the minutes of compiling are spent once per set of pins.
set -euo pipefail
name=$1
package=$2
here=$(cd "$(dirname "$0")" && pwd)
stamp=$(cat "$here/pinned/go.mod" "$here/pinned/go.sum" <(go env GOVERSION) | cksum | cut -d' ' -f1)
binary="$here/../.cache/tools/$stamp/$name"
if [ ! -x "$binary" ]; then
  echo "building $name from tools/pinned/go.mod (once)" >&2
  mkdir -p "$(dirname "$binary")"
  (cd "$here/pinned" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$binary.part" "$package")
  mv "$binary.part" "$binary"
fi
echo "$binary"
