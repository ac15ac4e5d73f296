#!/bin/sh
# Ends the lab, and says in the job's summary what clients did that a good one does not.
set -eu
dir=${RUNNER_TEMP:?}/stoa
kill "$(cat "$dir/pid")"
rm "$dir/pid"
worlds=0 findings=0
for report in "${STOA_CONDUCT_REPORTS:?}"/*.sarif; do
  [ -e "$report" ] || continue
  worlds=$((worlds + 1))
  findings=$((findings + $(tr ',' '\n' < "$report" | grep -c '"ruleId"' || true)))
done
echo "Conduct of clients: $findings findings in $worlds worlds." >> "${GITHUB_STEP_SUMMARY:?}"
