#!/usr/bin/env bash
# Looks the dependencies up in the Go vulnerability database.
# VULNDB may name a database: an https address or a file:// folder. Where no
# database answers, that is said in one line and the modules are verified
# against go.sum instead: an offline machine can still run the check.
set -euo pipefail
cd "$(dirname "$0")/.."
govulncheck=$(tools/tool.sh govulncheck golang.org/x/vuln/cmd/govulncheck)
arguments=()
[ -z "${VULNDB:-}" ] || arguments+=(-db "$VULNDB")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for module in . engine; do
  [ "$status" -ne 0 ] || (cd "$module" && "$govulncheck" "${arguments[@]}" ./...) >>"$log" 2>&1 || status=$?
done
case $status in
  0) echo "vulnerabilities: none known in what we call" ;;
  3) cat "$log"; exit 1 ;;
  *)
    # Only an unreachable database is excused; every other failure is ours.
    if [ -z "${VULNDB:-}" ] && grep -qiE 'dial tcp|no such host|timeout|unreachable|refused|HTTP GET|vuln\.go\.dev' "$log"; then
      echo "vulnerabilities: NOT CHECKED, the database cannot be reached (set VULNDB to one that can)"
      go mod verify
    else
      cat "$log"
      exit 1
    fi
    ;;
esac
