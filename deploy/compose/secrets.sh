#!/bin/sh
# Makes the secrets of compose.yaml that do not exist yet, in ./secrets. Keep a copy of secret-key and evm-gas-key
# elsewhere: they are in no backup.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets backups

make() { # NAME: writes standard input to the file unless it exists
	if [ -e "secrets/$1" ]; then cat >/dev/null; else cat >"secrets/$1"; fi
}

openssl rand -base64 32 | make secret-key
printf '0x%s\n' "$(openssl rand -hex 32)" | make evm-gas-key
openssl rand -hex 24 | make postgres-password
password=$(cat secrets/postgres-password)
# The connection stays inside the network of compose.yaml.
printf 'postgres://florin:%s@postgres/florin?sslmode=disable\n' "$password" | make database-url
printf 'postgres:5432:*:florin:%s\n' "$password" | make pgpass

# Containers read them as users of their own: Florin as 65532, PostgreSQL as 999.
if [ "$(id -u)" -eq 0 ]; then
	chown 65532:65532 secrets/secret-key secrets/evm-gas-key secrets/database-url
	chown 999:999 secrets/postgres-password secrets/pgpass backups
else
	echo "Run as root, or give the files to the users of the containers:" >&2
	echo "  chown 65532:65532 secrets/secret-key secrets/evm-gas-key secrets/database-url" >&2
	echo "  chown 999:999 secrets/postgres-password secrets/pgpass backups" >&2
fi
