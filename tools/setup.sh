#!/usr/bin/env bash
# Installs what the tests need and the machine lacks. It asks nothing, touches
# nothing that is already there, and where it may not install it says what to
# install by hand.
set -euo pipefail

# found PROGRAM... succeeds when one of the programs is there.
found() {
  local program
  for program in "$@"; do
    # Files only: a function of this script may have the same name.
    if type -P "$program" >/dev/null; then return 0; fi
  done
  return 1
}

# PostgreSQL servers are usually installed outside PATH.
postgres() {
  found initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ||
    compgen -G '/usr/pgsql-*/bin/initdb' >/dev/null || compgen -G '/opt/homebrew/opt/postgresql*/bin/initdb' >/dev/null
}

# Chromium's engine without its windows takes half of the time. Debian has it; elsewhere any Chromium does.
chromium() {
  found chromium-headless-shell || { ! packaged chromium-headless-shell && found chromium chromium-browser google-chrome google-chrome-stable chrome; }
}
packaged() { found apt-cache && apt-cache show "$1" >/dev/null 2>&1; }

# Version orders are compared with the ecosystems' own tools where those are
# installed. No test needs them, so none is installed for it (ruby would be the
# cheapest, 6 MB), but a comparison that is left out is said aloud.
uncompared=()
found python3 || uncompared+=(pip)
found npm || uncompared+=(npm)
found mvn || uncompared+=(Maven)
found ruby || uncompared+=(RubyGems)
if [ "${#uncompared[@]}" -gt 0 ]; then
  echo "setup: not installed, so version orders are compared with the library only: ${uncompared[*]}"
fi

missing=()
packages=()
need() { # NAME DEBIAN_PACKAGE...
  missing+=("$1")
  shift
  packages+=("$@")
}

postgres || need "PostgreSQL 15 or newer (server)" postgresql
found git || need "git" git
found curl || need "curl" curl
# The examples in JavaScript, and the programs that models write.
found node || need "Node.js" nodejs
[ -x /usr/bin/python3 ] || need "Python 3" python3
# The race detector links C.
found gcc cc clang || need "a C compiler" gcc libc6-dev
if [ "$(uname -s)" = Linux ]; then
  found bwrap || need "bubblewrap" bubblewrap
fi
chromium || need "Chromium" chromium
# The cluster of test/cluster, 12 MB: PostgreSQL's failover, its proxy and its pool.
if found apt-get; then
  found patroni || need "Patroni" patroni python3-etcd
  found etcd || need "etcd" etcd-server
  [ -x /usr/sbin/haproxy ] || found haproxy || need "HAProxy" haproxy
  [ -x /usr/sbin/pgbouncer ] || found pgbouncer || need "pgbouncer" pgbouncer
  export RUNLEVEL=1 # what is installed is not started as a service
fi
# `tools/setup.sh kube` is for make kube-check.
if [ "${1:-}" = kube ]; then
  found etcd || need "etcd" etcd-server
  export RUNLEVEL=1
fi
# `tools/setup.sh release` is for make release-check, as root.
if [ "${1:-}" = release ]; then
  found debootstrap || need "debootstrap" debootstrap
fi
# `tools/setup.sh cluster` is for make cluster-check, which needs an S3 server as well.
tools=$(cd "$(dirname "$0")/.." && pwd)/.cache/tools
if [ "${1:-}" = cluster ] && [ ! -x "$tools/versitygw" ]; then
  echo "setup: building versitygw (some minutes)"
  mkdir -p "$tools"
  (cd "$tools" && GOBIN=$tools CGO_ENABLED=0 go install github.com/versity/versitygw/cmd/versitygw@v1.8.0)
fi

if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

as_root=()
may_install=no
if found apt-get; then
  if [ "$(id -u)" -eq 0 ]; then
    may_install=yes
  elif found sudo && sudo -n true 2>/dev/null; then
    may_install=yes
    as_root=(sudo -n)
  fi
fi

list=$(printf ', %s' "${missing[@]}")
if [ "$may_install" = no ]; then
  echo "setup: missing: ${list:2}"
  if found apt-get; then
    echo "setup: install with: sudo apt-get install --no-install-recommends ${packages[*]}"
  elif found brew; then
    echo "setup: install with: brew install postgresql@16 git curl && brew install --cask chromium"
  elif found dnf; then
    echo "setup: install with: sudo dnf install postgresql-server git curl gcc bubblewrap chromium"
  else
    echo "setup: install them with the package manager of this system"
  fi
  echo "setup: tests that need them are skipped (with CI=true they fail)"
  exit 0
fi

echo "setup: installing ${list:2}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  local wanted=("${packages[@]}")
  if packaged chromium-headless-shell; then wanted=("${wanted[@]/%chromium/chromium-headless-shell}"); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive ${RUNLEVEL:+RUNLEVEL=$RUNLEVEL} apt-get install -y -qq --no-install-recommends "${wanted[@]}" >"$log" 2>&1
}
# A fresh image has no package lists: fetch them only when the first try fails.
if ! install; then
  if ! { "${as_root[@]}" apt-get update -qq >"$log" 2>&1 && install; }; then
    echo "setup: the installation failed; the last lines were:"
    tail -n 10 "$log"
    echo "setup: tests that need ${list:2} are skipped (with CI=true they fail)"
  fi
fi
