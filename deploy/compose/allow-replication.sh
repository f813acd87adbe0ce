#!/bin/sh
# Runs once, when PostgreSQL makes its database: lets the backup connect with the password.
set -eu
echo "host replication florin all scram-sha-256" >>"$PGDATA/pg_hba.conf"
