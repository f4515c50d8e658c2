#!/bin/sh
# Makes the secrets of compose.yaml, each for the one user who needs it. Run it as root.
set -eu

: "${SMTP_URL:?set it to the address of your mail server, such as smtps://user:password@mail.example.com}"
umask 077
mkdir secrets
password=$(openssl rand -hex 24)

printf '%s\n' "$password" > secrets/database-password
printf 'postgres://keyhearth:%s@database/keyhearth\n' "$password" > secrets/database-url
openssl rand -hex 24 > secrets/metrics-token
printf '%s\n' "$SMTP_URL" > secrets/smtp-url

chown 999 secrets/database-password
chown 10001 secrets/database-url secrets/metrics-token
chown 10003 secrets/smtp-url
