#!/bin/sh
# Stops what up.sh started; the data stay in RUN.
set -u
cd "$(dirname "$0")"
RUN=${RUN:-$PWD/run}
[ -f "$RUN/proxy.pid" ] && kill "$(cat "$RUN/proxy.pid")" && rm "$RUN/proxy.pid"
for data in wiki directory; do stoa stop --data "$RUN/$data"; done
