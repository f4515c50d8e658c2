#!/bin/sh
# Dumps the PostgreSQL database of DATABASE_URL, while the service runs.
# back-up-postgres.sh DATABASE_FILE
set -eu
umask 077

# Everybody on this machine can read the arguments of a process, so the password is not among them.
password=$(printf %s "$DATABASE_URL" | sed -n 's|^[^:/]*://[^:/@]*:\([^/@]*\)@.*|\1|p')
url=$(printf %s "$DATABASE_URL" | sed 's|^\([^:/]*://[^:/@]*\):[^/@]*@|\1@|')
if printf %s "$password" | grep -q % || printf %s "$url" | grep -q '[?&][a-z]*password='; then
  echo "leave the password out of DATABASE_URL, and put it into ~/.pgpass" >&2
  exit 1
fi
if [ -n "$password" ]; then export PGPASSWORD="$password"; fi

pg_dump --format=custom --no-owner --no-privileges --file="$1" "$url"

# Fails if the dump cannot be read.
pg_restore --list "$1" > /dev/null
