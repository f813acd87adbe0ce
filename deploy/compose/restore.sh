#!/bin/sh
# Prepares a PostgreSQL data directory from what backup.sh has written, as of a moment. Start a server on it afterwards:
# it replays the changes up to that moment and then takes writes. Then run `florin restore --adopt` once.
#
#   restore.sh BACKUPS DATA 'YYYY-MM-DD HH:MM:SS+00'     DATA must be empty or missing; without a moment: the newest
set -eu
backups=${1:?the directory of the backups}
data=${2:?the new data directory}
moment=${3:-}
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
cp -a "$base/." "$data/"
rm -f "$data/first-wal"
chmod 700 "$data"

# The segment that was being received when the server was lost has the ending .partial.
{
	echo "restore_command = 'cp \"$backups/wal/%f\" \"%p\" 2>/dev/null || cp \"$backups/wal/%f.partial\" \"%p\"'"
	echo "recovery_target_timeline = 'latest'"
	if [ -n "$moment" ]; then
		echo "recovery_target_time = '$moment'"
		echo "recovery_target_action = 'promote'"
	fi
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "restored $(basename "$base") to $data"
