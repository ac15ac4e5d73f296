#!/usr/bin/env bash
# Prints the flags that go compiles with, one a line, as GOFLAGS takes them for measured and test. What make run
# and make test compile alike is compiled once: the second command of the README finds what the first has left.
# Usage: compile-flags.sh full|small|measured|test
set -euo pipefail
cd "$(dirname "$0")/.."
# Tables for a debugger, which no binary of ours keeps, are a fifth of a compiler's time.
plain=-dwarf=false
case ${1-} in
# Without the patterns of full: go test compares each with each package of each test, minutes for all of them.
measured) printf '%s\n' "-gcflags=all=$plain" ;;
# Inlining is a quarter of a compiler's time. Tests take no longer without it where the standard library and the
# database keep theirs.
test) printf '%s\n' "\"-gcflags=all=-l $plain\"" "-gcflags=std=$plain" "-gcflags=modernc.org/...=$plain" ;;
full)
  printf '%s\n' "-gcflags=all=$plain"
  sed -nE "s/^([^#].*)/-gcflags=\1=-l $plain/p" tools/cold-packages.txt
  ;;
# Without inlining a tenth smaller; the database keeps its speed.
small) printf '%s\n' "-gcflags=all=-l $plain" "-gcflags=modernc.org/...=$plain" ;;
*)
  echo "compile-flags.sh: ${1-} is neither full, small, measured nor test" >&2
  exit 2
  ;;
esac
