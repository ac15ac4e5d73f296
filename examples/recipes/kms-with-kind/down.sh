#!/bin/sh
# Ends what up.sh has started. What was encrypted cannot be read any more.
set -eu
cd "$(dirname "$0")"
RUN=${RUN:-$PWD/run}
if command -v kind > /dev/null; then kind delete cluster --name stoa; fi
stoa stop --data "$RUN/data"
rm -rf "$RUN"
