#!/bin/sh
# Copies what opens the keys in the database, as the signer's user. Run it again after the API's first start,
# which makes the file `courier`: it completes the copy, and never replaces one of another signer.
# back-up-keys.sh SIGNER_STATE SECRETS_DIRECTORY
set -eu
[ $# -eq 2 ] || { echo "usage: sh back-up-keys.sh SIGNER_STATE SECRETS_DIRECTORY" >&2; exit 1; }
umask 077
state=$1 secrets=${2%/}

# The command of the Debian package, or else of the npm package that is installed in this folder.
signer() {
  if command -v keyhearth-signer > /dev/null; then keyhearth-signer "$@"; else npx --no keyhearth signer "$@"; fi
}

for file in root-key keyring; do
  if [ -e "$secrets/$file" ] && ! cmp -s "$state/$file" "$secrets/$file"; then
    echo "$secrets holds the keys of another signer; name another directory" >&2
    exit 1
  fi
done

# The copy gets its name when it is whole.
draft=$(mktemp -d "$secrets.XXXXXX")
trap 'rm -rf "$draft"' EXIT
cp -p "$state/root-key" "$state/keyring" "$draft"
[ ! -e "$state/courier" ] || cp -p "$state/courier" "$draft"

# The public keys of the copy. Compare them with /.well-known/keyhearth.json.
signer describe --state "$draft"

mkdir -p "$secrets"
mv -f "$draft"/* "$secrets"
