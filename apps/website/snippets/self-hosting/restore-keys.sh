#!/bin/sh
# Restores a signer's state that was lost, as the signer's user. It remembers nothing from before.
# TIME is what another clock says, in UTC, such as 2026-01-31T09:30Z.
# restore-keys.sh SIGNER_STATE SECRETS_DIRECTORY TIME
set -eu
umask 077
state=$1 secrets=$2 time=$3

mkdir -p "$state"
cp -p "$secrets/root-key" "$secrets/keyring" "$state"
[ ! -e "$secrets/courier" ] || cp -p "$secrets/courier" "$state"

npm run -s signer -- accept-restored-database "$time" --state "$state"
