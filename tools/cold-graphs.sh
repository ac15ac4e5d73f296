#!/usr/bin/env bash
# Measures first graphs: starts each program on an empty data folder, asks for one
# graph and prints how long it took, the processor time of the server and the
# machine's load. Programs take turns, so that all have the same connection.
#
#   tools/cold-graphs.sh ROUNDS PROGRAM...
set -euo pipefail

rounds=$1
shift
graphs=(
  maven/packages/org.springframework.boot%3Aspring-boot-starter-web/versions/3.2.2
  npm/packages/jest/versions/29.7.0
)

# ask URL: a server that sends callers away while it works is asked again.
ask() {
  local code
  while :; do
    code=$(curl -s -o "$folder/answer" -w '%{http_code}' --max-time 900 "$1")
    [ "$code" = 503 ] || break
    sleep 0.2
  done
  [ "$code" = 200 ] || { echo "$1: $code $(cat "$folder/answer")" >&2; return 1; }
}

measure() { # PROGRAM GRAPH
  folder=$(mktemp -d)
  "$1" serve --demo --data "$folder/data" --listen 127.0.0.1:0 --https 127.0.0.1:0 >"$folder/log" 2>&1 &
  local server=$! start end nodes ticks
  running=$server
  until grep -q '^ready ' "$folder/log"; do
    kill -0 "$server" || { cat "$folder/log" >&2; return 1; }
    sleep 0.1
  done
  # shellcheck source=/dev/null
  . "$folder/data/demo.env"
  start=$(date +%s.%N)
  ask "$STOA_URL/v3/systems/$2:dependencies"
  end=$(date +%s.%N)
  nodes=$(grep -o '"relation"' "$folder/answer" | wc -l)
  ticks=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
  awk -v graph="$2" -v program="$1" -v took="$(awk "BEGIN { print $end - $start }")" -v nodes="$nodes" \
    -v cpu="$(awk "BEGIN { print $ticks / $(getconf CLK_TCK) }")" -v load="$(cut -d' ' -f1 /proc/loadavg)" \
    'BEGIN { printf "%s  %s  %d nodes  %.1f s  (processor %.1f s, load %s)\n", graph, program, nodes, took, cpu, load }'
  stop
}

# stop ends the server that is running, if any.
running=
folder=
stop() {
  if [ -n "$running" ]; then
    kill "$running" || true
    wait "$running" || true
    rm -rf "$folder"
    running=
  fi
}
trap stop EXIT

for _ in $(seq "$rounds"); do
  for graph in "${graphs[@]}"; do
    for program in "$@"; do measure "$program" "$graph"; done
  done
done
