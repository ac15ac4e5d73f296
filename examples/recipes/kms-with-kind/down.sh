#!/bin/sh
# Ends what up.sh has started. What was encrypted cannot be read any more.
set -eu
cd "$(dirname "$0")"
RUN=${RUN:-$PWD/run}
if command -v kind > /dev/null; then kind delete cluster --name stoa; fi
# Without a server there, it was ended before.
if stoa status --data "$RUN/data" > /dev/null 2>&1; then stoa stop --data "$RUN/data"; fi
rm -rf "$RUN"
