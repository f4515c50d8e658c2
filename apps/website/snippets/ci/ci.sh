#!/bin/sh
# Starts Keyhearth with an empty database, runs a command against it, and stops it: sh ci.sh npm test
# Run it where keyhearth is installed, or name another command that starts the service in START_COMMAND.
set -eu

port=${PORT:-3000}

# What answers there would be taken for the service that starts here.
if curl -s -o /dev/null "http://127.0.0.1:$port/"; then
  echo "port $port is in use; set PORT to another one" >&2
  exit 1
fi

directory=$(mktemp -d)
KEYHEARTH_DATA_DIR="$directory/keyhearth" HOST=127.0.0.1 PORT="$port" \
  ${START_COMMAND:-node_modules/.bin/keyhearth start} >"$directory/log" 2>&1 &
service=$!
trap 'kill "$service" 2>/dev/null || true; wait "$service" || true; rm -rf "$directory"' EXIT

# The first start creates the database and a root organization. It is ready when it says so.
seconds=120
until curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; do
  seconds=$((seconds - 1))
  if [ "$seconds" = 0 ] || ! kill -0 "$service" 2>/dev/null; then
    cat "$directory/log" >&2
    exit 1
  fi
  sleep 1
done

export KEYHEARTH_URL="http://127.0.0.1:$port"
export KEYHEARTH_ROOT_KEY="$directory/keyhearth/root-api-key.json"
"$@"
