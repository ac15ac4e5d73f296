#!/bin/sh
# The client under test: makes a list and reads it.
set -eu
list=$(curl -sSf -H "Authorization: Bearer $STOA_TOKEN" -H 'Content-Type: application/json' \
  -d "{\"title\":\"${1:-milk}\"}" "$STOA_URL/tasks/v1/users/@me/lists" | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')
curl -sSf -o /dev/null -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/tasks/v1/lists/$list/tasks?maxResults=5"
