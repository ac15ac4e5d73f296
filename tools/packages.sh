#!/usr/bin/env bash
# Prints the packages with tests: all of them for make test, or those that make race watches (raced), the
# long ones first, so that the cores end together.
#
# Watched is what starts goroutines or locks memory that they share, deliveries, and the suites with many
# clients at once, which drive all services through it. What is only atomic needs no lock and has none that
# could be missed. make race-all watches everything.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$(go list -m)
suites="$module/(test/(lab|linear|simulation)|internal/platform/deliver)"
shares='^[[:space:]]*go (func|[A-Za-z_.]+\()|\.Go\(|\<sync\.(Mutex|RWMutex|Cond|WaitGroup)'
# What takes more than ten seconds of a processor, the longest first; one that waits stands beside
# one that computes, and no three that link the whole program in a row.
long="test/lab test/browser test/simulation test/conformance test/product tools/newservice internal/service/events
  test/crash test/kits internal/lab/server internal/service/generate internal/app test/stories test/cluster
  internal/service/articles internal/app/cli internal/forge internal/service/pipelines internal/service/packages
  test/linear internal/service/pipelines/execute internal/service/calendar internal/platform/deliver internal/lab
  internal/service/articles/markdown internal/service/analytics internal/service/packages/resolve test/mutate
  internal/console/manual internal/service/packages/source test/adversary test/matrix test/soak test/openapi"

# tested prints the packages with tests: import path and folder.
tested() {
  go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./... ./test/... | sort -u
}

# raced chooses from the lines of tested.
raced() {
  while read -r package folder; do
    if [[ $package =~ ^$suites$ ]]; then echo "$package $folder"
    elif [[ $package == "$module/test" || $package == "$module/test/"* ]]; then continue
    elif find "$folder" -maxdepth 1 -name '*.go' ! -name '*_test.go' -exec grep -lE "$shares" {} + | grep -q .; then
      echo "$package $folder"
    fi
  done
}

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
  all) tested | cut -d' ' -f1 | first $long ;;
  # shellcheck disable=SC2086
  raced) tested | raced | cut -d' ' -f1 | first $long ;;
  *) echo "packages.sh: say all or raced" >&2; exit 2 ;;
esac
