#!/bin/sh
# Starts a directory, the wiki that signs its users in there, and the proxy before it.
# What an earlier run left is stopped and made anew: its ports are other ones.
set -eu
cd "$(dirname "$0")"
RUN=${RUN:-$PWD/run}
if [ -e "$RUN/directory" ]; then
  ./down.sh || echo "not everything of the earlier run was running"
  rm -rf "$RUN/directory" "$RUN/wiki" "$RUN/proxy.pem"
fi
mkdir -p "$RUN"
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
member() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
DIRECTORY_PORT=${DIRECTORY_PORT:-$(free)} WIKI_PORT=${WIKI_PORT:-$(free)} PROXY_PORT=${PROXY_PORT:-$(free)}

# The directory: two users, one of whom is of the staff, and the wiki as its client.
directory() { stoa "$@" --data "$RUN/directory" --json; }
stoa start --wait --within 2m --data "$RUN/directory" --listen "127.0.0.1:$DIRECTORY_PORT" --offline
directory user add ada --password "correct horse battery" --email ada@example.com --display-name "Ada L." > "$RUN/ada.json"
directory user add bob --password "wrong horse battery" --email bob@example.com > "$RUN/bob.json"
directory org add staff > "$RUN/staff.json"
directory org member add staff ada >> "$RUN/staff.json"
directory client add wiki --type web --scope openid --scope profile --scope email --scope groups \
  --redirect "https://handbook.localhost:$PROXY_PORT/console/sign-in/provider/answer" > "$RUN/client.json"
(umask 077 && member client_secret < "$RUN/client.json" > "$RUN/secret")

# The wiki: an account to begin with, and the team whose host it is.
sed -e "s|@RUN@|$RUN|" -e "s|@WIKI_PORT@|$WIKI_PORT|" -e "s|@PROXY_PORT@|$PROXY_PORT|" \
  -e "s|@DIRECTORY_PORT@|$DIRECTORY_PORT|" -e "s|@CLIENT_ID@|$(member client_id < "$RUN/client.json")|" \
  wiki.yaml.in > "$RUN/wiki.yaml"
stoa start --wait --within 2m --config "$RUN/wiki.yaml" --data "$RUN/wiki" --offline
stoa user add editor --admin --data "$RUN/wiki" --json > "$RUN/editor.json"
stoa team add handbook --owner editor --data "$RUN/wiki" --json > "$RUN/team.json"
stoa token issue --user editor --service articles --team handbook --data "$RUN/wiki" --json > "$RUN/token.json"

# The proxy.
go build -o "$RUN/proxy" ./proxy
"$RUN/proxy" "127.0.0.1:$PROXY_PORT" "http://127.0.0.1:$WIKI_PORT" "$RUN/proxy.pem" > "$RUN/proxy.log" 2>&1 &
echo $! > "$RUN/proxy.pid"
echo "https://handbook.localhost:$PROXY_PORT/articles" > "$RUN/address"
for _ in $(seq 600); do [ -s "$RUN/proxy.pem" ] && break; sleep 0.1; done
echo "the wiki is at $(cat "$RUN/address"), its certificate in $RUN/proxy.pem"
