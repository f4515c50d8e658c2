#!/bin/sh
# Dumps the PostgreSQL database of DATABASE_URL, while the service runs.
# back-up-postgres.sh DATABASE_FILE
set -eu
[ $# -eq 1 ] || { echo "usage: sh back-up-postgres.sh DATABASE_FILE" >&2; exit 1; }
umask 077

# Everybody on this machine can read the arguments of a process, so the password is not among them.
password=$(printf %s "$DATABASE_URL" | sed -n 's|^[^:/]*://[^:/@]*:\([^/@]*\)@.*|\1|p')
url=$(printf %s "$DATABASE_URL" | sed 's|^\([^:/]*://[^:/@]*\):[^/@]*@|\1@|')
if printf %s "$password" | grep -q % || printf %s "$url" | grep -q '[?&][a-z]*password='; then
  echo "leave the password out of DATABASE_URL, and put it into ~/.pgpass" >&2
  exit 1
fi
if [ -n "$password" ]; then export PGPASSWORD="$password"; fi

# The dump gets its name when it is whole and can be read, so an earlier one stays until then.
trap 'rm -f "$1.new"' EXIT
pg_dump --format=custom --no-owner --no-privileges --file="$1.new" "$url"
pg_restore --list "$1.new" > /dev/null
mv -f "$1.new" "$1"
