#!/usr/bin/env bash
# Sends the mail: email-login.sh ADDRESS SUB_ORGANIZATION_ID TARGET_PUBLIC_KEY
set -euo pipefail
url=${KEYHEARTH_URL:-http://localhost:3000}
key_file=${KEYHEARTH_ROOT_KEY:-data/root-api-key.json}
field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$key_file"; }

body='{
  "type": "ACTIVITY_TYPE_EMAIL_AUTH_V3",
  "timestampMs": "'$(date +%s)000'",
  "organizationId": "'$2'",
  "parameters": {
    "email": "'$1'",
    "targetPublicKey": "'$3'",
    "emailCustomization": { "appName": "Example" }
  }
}'

# The stamp signs exactly the bytes of the body. OpenSSL takes the key in the form of RFC 5915.
der=30310201010420$(field apiPrivateKey)a00a06082a8648ce3d030107
pem=$(printf "$(sed 's/../\\x&/g' <<<"$der")" | openssl ec -inform DER 2>/dev/null)
signature=$(printf %s "$body" | openssl dgst -sha256 -sign <(echo "$pem") | od -An -v -tx1 | tr -d ' \n')
stamp=$(printf '{"publicKey":"%s","scheme":"SIGNATURE_SCHEME_TK_API_P256","signature":"%s"}' \
  "$(field apiPublicKey)" "$signature" | base64 | tr -d '=\n' | tr '/+' '_-')

curl --silent --fail-with-body "$url/public/v1/submit/email_auth" \
  -H "content-type: application/json" -H "x-stamp: $stamp" --data-binary "$body"
