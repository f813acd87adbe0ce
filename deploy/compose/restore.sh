#!/bin/sh
# Prepares a PostgreSQL data directory from what backup.sh has written, as of a moment. Run it as the user of PostgreSQL.
# Start a server on it afterwards: it replays the changes up to that moment and then takes writes. Then run
# `florin restore --adopt` once.
#
#   restore.sh BACKUPS DATA 'YYYY-MM-DD HH:MM:SS+00'     DATA must be empty or missing; without a moment: the newest
#
# IDENTITY is the file of the age key, if the backups are encrypted: the server needs it until it takes writes.
set -eu
backups=${1:?the directory of the backups}
data=${2:?the new data directory}
moment=${3:-}
identity=${IDENTITY:-}
umask 077

if [ -n "$(ls -A "$data" 2>/dev/null)" ]; then
	echo "$data is not empty" >&2
	exit 1
fi
backups=$(cd "$backups" && pwd)

# The newest copy that was finished before the moment.
base=
for copy in "$backups"/base/*; do
	case $copy in *.part) continue ;; esac
	[ -f "$copy/first-wal" ] || continue
	if [ -n "$moment" ] && [ "$(stat -c %Y "$copy/first-wal")" -gt "$(date -u -d "$moment" +%s)" ]; then continue; fi
	base=$copy
done
if [ -z "$base" ]; then
	echo "no copy in $backups/base is old enough for $moment" >&2
	exit 1
fi
mkdir -p "$data"
opened=
if [ -f "$base/base.tar.gz.age" ]; then
	: "${identity:?the backups are encrypted: IDENTITY is the file of their key}"
	identity=$(cd "$(dirname "$identity")" && pwd)/$(basename "$identity")
	age -d -i "$identity" "$base/base.tar.gz.age" | tar -xzf - -C "$data"
	opened="|| age -d -i \"$identity\" -o \"%p\" \"$backups/wal/%f.age\" 2>/dev/null "
else
	cp -a "$base/." "$data/"
fi
rm -f "$data/first-wal"
if [ ! -f "$data/PG_VERSION" ]; then
	echo "the copy $base is not whole" >&2
	exit 1
fi
chmod 700 "$data"

# Debian keeps these in /etc, where no copy of the data has them.
[ -f "$data/postgresql.conf" ] || echo "max_connections = 200" >"$data/postgresql.conf"
[ -f "$data/pg_ident.conf" ] || : >"$data/pg_ident.conf"
[ -f "$data/pg_hba.conf" ] || printf '%s\n' "local all all peer" "host all all 127.0.0.1/32 scram-sha-256" \
	"host all all ::1/128 scram-sha-256" "host replication all 127.0.0.1/32 scram-sha-256" >"$data/pg_hba.conf"

# The segment that was being received when the server was lost has the ending .partial.
{
	echo "restore_command = 'cp \"$backups/wal/%f\" \"%p\" 2>/dev/null $opened|| cp \"$backups/wal/%f.partial\" \"%p\"'"
	echo "recovery_target_timeline = 'latest'"
	if [ -n "$moment" ]; then
		echo "recovery_target_time = '$moment'"
		echo "recovery_target_action = 'promote'"
	fi
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
program=/usr/lib/postgresql/$(cat "$data/PG_VERSION")/bin/pg_ctl
[ -x "$program" ] || program=pg_ctl
echo "restored $(basename "$base") to $data; now run: $program start -w -D $data"
