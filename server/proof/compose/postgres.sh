#!/bin/sh
# As the image that deploy/compose names: a cluster with this user, password and database, made once.
set -eu
data=/var/lib/postgresql/data
mkdir -p "$data"
chown postgres:postgres "$data"
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -e "$data/PG_VERSION" ]; then
  secret=$(mktemp)
  echo "$POSTGRES_PASSWORD" > "$secret"
  chown postgres "$secret"
  as_postgres initdb -D "$data" -U "$POSTGRES_USER" --pwfile="$secret" --auth=scram-sha-256 > /dev/null
  rm "$secret"
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single -D "$data" postgres > /dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp
