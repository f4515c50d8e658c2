#!/bin/sh
# Copies the embedded database of a service that is stopped.
# back-up-embedded.sh DATA_DIRECTORY DATABASE_FILE
set -eu
[ $# -eq 2 ] || { echo "usage: sh back-up-embedded.sh DATA_DIRECTORY DATABASE_FILE" >&2; exit 1; }
umask 077
data=$1 file=$2

# A running service keeps this file. One that was killed leaves it, and removes it at its next start and stop.
if ls "$data"/keyhearth.lock.* > /dev/null 2>&1; then
  echo "stop the service that uses $data first; if it was killed, start it and stop it once" >&2
  exit 1
fi

# The copy gets its name when it is whole, so an earlier one stays until then.
trap 'rm -f "$file.new"' EXIT
tar -cf "$file.new" -C "$data" pglite keyhearth.json
mv -f "$file.new" "$file"
