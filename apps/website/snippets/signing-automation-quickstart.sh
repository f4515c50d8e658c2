#!/bin/sh
# Needs curl, openssl, sed and xxd.
set -eu
umask 077
url=${KEYHEARTH_URL:-http://localhost:3000}
key_file=${KEYHEARTH_ROOT_KEY:-data/root-api-key.json}
member() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$key_file"; }

# The API key in the form that openssl reads, in a file that only you can read.
pem=$(mktemp)
trap 'rm -f "$pem"' EXIT
printf '30310201010420%sa00a06082a8648ce3d030107' "$(member apiPrivateKey)" |
  xxd -r -p | openssl ec -inform DER -out "$pem" 2> /dev/null

# submit ENDPOINT ACTIVITY_TYPE PARAMETERS: stamps the exact bytes that it sends.
submit() {
  body=$(printf '{"type":"%s","timestampMs":"%s000","organizationId":"%s","parameters":%s}' \
    "$2" "$(date +%s)" "$(member organizationId)" "$3")
  signature=$(printf %s "$body" | openssl dgst -sha256 -sign "$pem" | xxd -p | tr -d '\n')
  stamp=$(printf '{"publicKey":"%s","scheme":"SIGNATURE_SCHEME_TK_API_P256","signature":"%s"}' \
    "$(member apiPublicKey)" "$signature" | openssl base64 -A | tr '+/' '-_' | tr -d '=')
  curl --silent --show-error --fail-with-body "$url/public/v1/submit/$1" \
    -H "content-type: application/json" -H "X-Stamp: $stamp" --data-binary "$body"
}

# A wallet with one Ethereum account. The names of wallets are unique.
wallet=$(submit create_wallet ACTIVITY_TYPE_CREATE_WALLET '{
  "walletName": "Payouts '"$(date +%s)"'",
  "accounts": [{
    "curve": "CURVE_SECP256K1",
    "pathFormat": "PATH_FORMAT_BIP32",
    "path": "m/44'\''/60'\''/0'\''/0/0",
    "addressFormat": "ADDRESS_FORMAT_ETHEREUM"
  }]
}')
address=$(printf %s "$wallet" | sed 's/.*"addresses":\["\([^"]*\)".*/\1/')
echo "Address: $address"

# 0.01 ETH on Sepolia, nonce 0, in RLP.
unsigned=02f283aa36a780843b9aca008504a817c80082520894d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0
signed=$(submit sign_transaction ACTIVITY_TYPE_SIGN_TRANSACTION_V2 '{
  "signWith": "'"$address"'",
  "type": "TRANSACTION_TYPE_ETHEREUM",
  "unsignedTransaction": "'"$unsigned"'"
}')
echo "Signed transaction: 0x$(printf %s "$signed" | sed 's/.*"signedTransaction":"\([^"]*\)".*/\1/')"
