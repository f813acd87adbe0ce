#!/bin/sh
# Runs once, when PostgreSQL is made: the program gets a role that owns its database, and is no superuser; the backup uses
# it too, with the password.
set -eu
psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
	--set=password="$(cat "${POSTGRES_PASSWORD_FILE:-/run/secrets/postgres-password}")" <<'END'
CREATE ROLE florin LOGIN REPLICATION PASSWORD :'password';
CREATE DATABASE florin OWNER florin ENCODING 'UTF8' TEMPLATE template0;
END
echo "host replication florin all scram-sha-256" >>"$PGDATA/pg_hba.conf"
