#!/bin/sh
# Copies what opens the keys in the database. Run it once, as the signer's user.
# back-up-keys.sh SIGNER_STATE SECRETS_DIRECTORY
set -eu
umask 077
state=$1 secrets=$2

mkdir "$secrets"
cp -p "$state/root-key" "$state/keyring" "$secrets"
# The API's first start makes this file.
[ ! -e "$state/courier" ] || cp -p "$state/courier" "$secrets"

# The public keys of the copy. Compare them with /.well-known/keyhearth.json.
npm run -s signer -- describe --state "$secrets"
