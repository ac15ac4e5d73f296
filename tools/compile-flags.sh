#!/usr/bin/env bash
# Prints the flags that go compiles with, one a line. What make run and make test compile alike is compiled
# once: the second command of the README finds what the first has left.
# Usage: compile-flags.sh full|small|test
set -euo pipefail
cd "$(dirname "$0")/.."
# Tables for a debugger, which no binary of ours keeps, are a fifth of a compiler's time.
plain=-dwarf=false
case ${1-} in
# Not those of full: go test compares each pattern with each package of each test, minutes for all of them.
test) printf '%s\n' "-gcflags=all=$plain" ;;
full)
  printf '%s\n' "-gcflags=all=$plain"
  sed -nE "s/^([^#].*)/-gcflags=\1=-l $plain/p" tools/cold-packages.txt
  ;;
# Without inlining a tenth smaller; the database keeps its speed.
small) printf '%s\n' "-gcflags=all=-l $plain" "-gcflags=modernc.org/...=$plain" ;;
*)
  echo "compile-flags.sh: ${1-} is neither full, small nor test" >&2
  exit 2
  ;;
esac
