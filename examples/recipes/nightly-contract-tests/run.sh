#!/bin/sh
# The tests of a client in three languages, against one lab.
set -eu
cd "$(dirname "$0")"
(cd go && go test -count=1 ./...)
(cd node && npm install --offline --no-audit --no-fund --silent && node --test)
(cd python && python3 -m venv .venv && .venv/bin/pip install --quiet --no-index --disable-pip-version-check \
  ../../../../kit/python && .venv/bin/python -m unittest)
