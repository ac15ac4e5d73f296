#!/usr/bin/env bash
# Prints the flags that go compiles with, one a line. make run and make test have the same ones, so that
# the second command of the README finds compiled what the first has compiled.
# Usage: compile-flags.sh full|small
set -euo pipefail
cd "$(dirname "$0")/.."
# Tables for a debugger, which no binary of ours keeps, are a fifth of a compiler's time.
plain=-dwarf=false
case ${1-} in
full)
  printf '%s\n' "-gcflags=all=$plain"
  sed -nE "s/^([^#].*)/-gcflags=\1=-l $plain/p" tools/cold-packages.txt
  ;;
# Without inlining a tenth smaller; the database keeps its speed.
small) printf '%s\n' "-gcflags=all=-l $plain" "-gcflags=modernc.org/...=$plain" ;;
*)
  echo "compile-flags.sh: ${1-} is neither full nor small" >&2
  exit 2
  ;;
esac
