#!/bin/sh
# Restores a signer's state that was lost, as the signer's user. It remembers nothing from before.
# restore-keys.sh SIGNER_STATE SECRETS_DIRECTORY
set -eu
umask 077
state=$1 secrets=$2

mkdir -p "$state"
cp -p "$secrets/root-key" "$secrets/keyring" "$secrets/courier" "$state"

npm run -s signer -- accept-restored-database --state "$state"
