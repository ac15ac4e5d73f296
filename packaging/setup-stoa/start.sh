#!/bin/sh
# Finds, downloads or builds the program, starts a lab and exports its variables to the
# later steps of the job.
set -eu
dir=${RUNNER_TEMP:?}/stoa
mkdir -p "$dir/bin"

if [ -n "${STOA_ACTION_BINARY:-}" ]; then
  stoa=$STOA_ACTION_BINARY
elif stoa=$(command -v stoa); then
  :
elif [ -n "${STOA_ACTION_URL:-}" ]; then
  stoa=$dir/bin/stoa
  curl -fsSL -o "$stoa" "$STOA_ACTION_URL"
  sums=sha256sum
  command -v sha256sum > /dev/null || sums="shasum -a 256" # macOS has this one
  echo "${STOA_ACTION_SHA256:?sha256 is needed with url}  $stoa" | $sums -c - > /dev/null
  chmod +x "$stoa"
elif [ -n "${STOA_ACTION_SOURCE:-}" ]; then
  stoa=$dir/bin/stoa
  "$STOA_ACTION_SOURCE/tools/binary.sh" full "" -o "$stoa"
else
  echo "::error::there is no stoa: give binary, url or source" >&2
  exit 1
fi
[ "$stoa" = "$dir/bin/stoa" ] || ln -sf "$(realpath "$stoa")" "$dir/bin/stoa"

nohup "$stoa" lab --data "$dir/lab" --listen 127.0.0.1:0 > "$dir/lab.out" 2> "$dir/lab.log" &
echo $! > "$dir/pid"
for _ in $(seq 600); do
  grep -q '^ready ' "$dir/lab.out" && break
  kill -0 "$(cat "$dir/pid")" 2> /dev/null || break
  sleep 0.1
done
if ! grep -q '^ready ' "$dir/lab.out"; then
  cat "$dir/lab.log" >&2
  echo "::error::the lab did not start" >&2
  exit 1
fi
url=$(sed -n "s/^\(export \)\{0,1\}STOA_LAB_URL='\(.*\)'$/\2/p" "$dir/lab/lab.env")
token=$(sed -n "s/^\(export \)\{0,1\}STOA_LAB_TOKEN='\(.*\)'$/\2/p" "$dir/lab/lab.env")
echo "::add-mask::$token"
{
  echo "STOA_BIN=$dir/bin/stoa"
  echo "STOA_LAB_URL=$url"
  echo "STOA_LAB_TOKEN=$token"
  echo "STOA_CONDUCT_REPORTS=$PWD/${STOA_ACTION_REPORTS:-conduct-reports}"
} >> "${GITHUB_ENV:?}"
echo "$dir/bin" >> "${GITHUB_PATH:?}"
echo "url=$url" >> "${GITHUB_OUTPUT:?}"
