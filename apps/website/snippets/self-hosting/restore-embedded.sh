#!/bin/sh
# Puts a copy of the embedded database in the place of a damaged or lost one, while the service is stopped.
# restore-embedded.sh DATA_DIRECTORY DATABASE_FILE
set -eu
[ $# -eq 2 ] || { echo "usage: sh restore-embedded.sh DATA_DIRECTORY DATABASE_FILE" >&2; exit 1; }
umask 077
data=$1 file=$2

# The command of the Debian package, or else of the npm package that is installed in this folder.
signer() {
  if command -v keyhearth-signer > /dev/null; then keyhearth-signer "$@"; else npx --no keyhearth signer "$@"; fi
}

# A running service would go on with the files that are moved away, and lose what it writes. It keeps this file. One
# that was killed leaves it, and its next start removes it, also a start that fails.
if ls "$data"/keyhearth.lock.* > /dev/null 2>&1; then
  echo "stop the service that uses $data first; if it was killed, start it once and stop it" >&2
  exit 1
fi

# A copy that cannot be read changes nothing.
mkdir -p "$data"
draft=$(mktemp -d "$data/pglite.XXXXXX")
trap 'rm -rf "$draft"' EXIT
tar -xpf "$file" -C "$draft"
if [ -e "$data/pglite" ]; then mv "$data/pglite" "$data/pglite.$(date +%s).$$"; fi
mv "$draft/pglite" "$data/pglite"
mv -f "$draft/keyhearth.json" "$data"

signer accept-restored-database --state "$data/signer"
