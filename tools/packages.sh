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
watched="$module/test/(lab|linear|simulation)"
# What takes more than ten seconds of a processor, the longest first; one that waits stands beside
# one that computes, and no three that link the whole program in a row.
long_raced="test/lab tools/newservice internal/service/events internal/lab/server internal/service/generate internal/app
  internal/service/articles internal/app/cli internal/forge internal/service/pipelines internal/service/packages
  test/linear internal/service/pipelines/execute internal/service/calendar internal/platform/deliver internal/lab
  internal/service/articles/markdown internal/service/analytics internal/service/packages/resolve
  internal/console/manual internal/service/packages/source"
long_plain="test/browser test/simulation test/conformance test/product test/crash test/kits test/stories test/cluster
  test/mutate test/adversary test/matrix test/soak test/openapi"

# first FOLDER... puts the packages of these folders before the others.
first() {
  awk -v module="$module" -v folders="$*" 'BEGIN { n = split(folders, long) }
    { listed[NR] = $0; there[$0] = 1 }
    END {
      for (i = 1; i <= n; i++) { p = module "/" long[i]; if (p in there) { print p; delete there[p] } }
      for (i = 1; i <= NR; i++) if (listed[i] in there) print listed[i]
    }'
}

case "${1-}" in
  # shellcheck disable=SC2086 # the folders are words
  raced) { go list ./test/... | grep -xE "$watched"; go list ./... | grep -vE "^$module/test(/|\$)"; } | first $long_raced ;;
  # shellcheck disable=SC2086
  plain) go list ./test/... | grep -vxE "$module/test/(lab|linear)" | first $long_plain ;;
  *) echo "packages.sh: say raced or plain" >&2; exit 2 ;;
esac
