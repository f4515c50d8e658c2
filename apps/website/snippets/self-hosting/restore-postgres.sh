#!/bin/sh
# Restores a dump into the new, empty database of DATABASE_URL, as a whole or not at all.
# restore-postgres.sh DATABASE_FILE
set -eu
[ $# -eq 1 ] || { echo "usage: sh restore-postgres.sh DATABASE_FILE" >&2; exit 1; }

# Everybody on this machine can read the arguments of a process, so the password is not among them.
password=$(printf %s "$DATABASE_URL" | sed -n 's|^[^:/]*://[^:/@]*:\([^/@]*\)@.*|\1|p')
url=$(printf %s "$DATABASE_URL" | sed 's|^\([^:/]*://[^:/@]*\):[^/@]*@|\1@|')
if printf %s "$password" | grep -q % || printf %s "$url" | grep -q '[?&][a-z]*password='; then
  echo "leave the password out of DATABASE_URL, and put it into ~/.pgpass" >&2
  exit 1
fi
if [ -n "$password" ]; then export PGPASSWORD="$password"; fi

pg_restore --exit-on-error --single-transaction --no-owner --dbname="$url" "$1"
