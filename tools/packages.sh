#!/usr/bin/env bash
# Prints the packages that make test runs with the race detector (raced) and without it (plain), the
# long ones first, so that the cores end together.
#
# Plain are the suites of the whole program: the detector makes them take three times as long. Those
# with many clients at once are watched all the same, and the simulation is run both ways. make race
# watches everything.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$(go list -m)
raced="$module/test/(lab|linear|simulation)"
case "${1-}" in
  raced) go list ./test/... | grep -xE "$raced"; go list ./... | grep -vE "^$module/test(/|\$)" ;;
  plain) go list ./test/... | grep -vxE "$module/test/(lab|linear)" ;;
  *) echo "packages.sh: say raced or plain" >&2; exit 2 ;;
esac
