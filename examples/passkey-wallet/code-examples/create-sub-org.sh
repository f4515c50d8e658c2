#!/usr/bin/env bash
set -euo pipefail

# Needs curl, jq, openssl and xxd. The argument is a file with what createPasskey returned in your page.
url="${KEYHEARTH_URL:-http://localhost:3000}"
key_file="${KEYHEARTH_ROOT_KEY:-data/root-api-key.json}"
passkey_file="$1"

body=$(jq -n --slurpfile key "$key_file" --slurpfile passkey "$passkey_file" \
  --arg now "$(date +%s)000" --arg path "m/44'/60'/0'/0/0" '{
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    timestampMs: $now,
    organizationId: $key[0].organizationId,
    parameters: {
      subOrganizationName: "Wallet of Ada",
      rootQuorumThreshold: 1,
      rootUsers: [
        { userName: "Ada", apiKeys: [], authenticators: $passkey, oauthProviders: [] }
      ],
      wallet: {
        walletName: "Main",
        accounts: [
          {
            curve: "CURVE_SECP256K1",
            pathFormat: "PATH_FORMAT_BIP32",
            path: $path,
            addressFormat: "ADDRESS_FORMAT_ETHEREUM"
          }
        ]
      }
    }
  }')

# The stamp is a signature over exactly these characters, by the key of your own organization.
private_key=$(mktemp)
trap 'rm -f "$private_key"' EXIT
jq -r '"30310201010420" + .apiPrivateKey + "a00a06082a8648ce3d030107"' "$key_file" |
  xxd -r -p | openssl ec -inform DER -out "$private_key" 2>/dev/null
signature=$(printf %s "$body" | openssl dgst -sha256 -sign "$private_key" | xxd -p -c 100)
stamp=$(jq -cj --arg signature "$signature" \
  '{ publicKey: .apiPublicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature: $signature }' \
  "$key_file" | openssl base64 -A | tr '+/' '-_' | tr -d '=')

curl --silent --show-error "$url/public/v1/submit/create_sub_organization" \
  --header "content-type: application/json" --header "X-Stamp: $stamp" --data-raw "$body" |
  jq '.activity | { status, result: .result.createSubOrganizationResultV7 }'
