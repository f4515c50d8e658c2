#!/bin/sh
# Puts a copy of the embedded database in the place of a damaged or lost one, while the service is stopped.
# restore-embedded.sh DATA_DIRECTORY DATABASE_FILE
set -eu
umask 077
data=$1 file=$2

mkdir -p "$data"
if [ -e "$data/pglite" ]; then mv "$data/pglite" "$data/pglite.$(date +%s)"; fi
tar -xpf "$file" -C "$data"

npm run -s signer -- accept-restored-database --state "$data/signer"
