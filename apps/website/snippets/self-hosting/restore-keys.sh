#!/bin/sh
# Restores a signer's state that was lost, as the signer's user. It remembers nothing from before.
# TIME is what another clock says, in UTC, such as 2026-01-31T09:30Z.
# restore-keys.sh SIGNER_STATE SECRETS_DIRECTORY TIME
set -eu
[ $# -eq 3 ] || { echo "usage: sh restore-keys.sh SIGNER_STATE SECRETS_DIRECTORY TIME" >&2; exit 1; }
umask 077
state=$1 secrets=$2 time=$3

# The command of the Debian package, or else of the npm package that is installed in this folder.
signer() {
  if command -v keyhearth-signer > /dev/null; then keyhearth-signer "$@"; else npx --no keyhearth signer "$@"; fi
}

# The copy must be whole, and keys of another signer are never replaced.
for file in root-key keyring; do
  cmp -s "$secrets/$file" "$secrets/$file" || { echo "$secrets has no $file" >&2; exit 1; }
  if [ -e "$state/$file" ] && ! cmp -s "$secrets/$file" "$state/$file"; then
    echo "$state holds the keys of another signer; name another directory" >&2
    exit 1
  fi
done

mkdir -p "$state"
cp -p "$secrets/root-key" "$secrets/keyring" "$state"
[ ! -e "$secrets/courier" ] || cp -p "$secrets/courier" "$state"

signer accept-restored-database "$time" --state "$state"
