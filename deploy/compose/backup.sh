#!/bin/sh
# Continuous backups of a PostgreSQL server: every change, as it happens, into $BACKUPS/wal, and a copy of the whole
# cluster each day into $BACKUPS/base. Together they restore any moment since the oldest copy; restore.sh does.
#
# PGHOST, PGPORT, PGUSER and PGPASSFILE say where the server is; the role needs REPLICATION. Copies older than KEEP_DAYS
# are removed, with the changes that only they need. EVERY is the number of seconds between copies; with EVERY=once it
# makes a single copy and goes on with the changes.
set -eu
: "${BACKUPS:?the directory of the backups}"
every=${EVERY:-86400}
keep=${KEEP_DAYS:-7}
slot=${SLOT:-florin_backup}
umask 077
mkdir -p "$BACKUPS/wal" "$BACKUPS/base"

# The slot makes the server keep what was not received yet. Remove it (pg_drop_replication_slot) if this never runs again.
pg_receivewal --slot="$slot" --create-slot --if-not-exists
pg_receivewal -D "$BACKUPS/wal" --slot="$slot" --synchronous --no-password &
receiver=$!
trap 'kill "$receiver" 2>/dev/null || true' EXIT
trap 'exit 0' INT TERM

# Removes the copies that are too old, but never the newest, and the changes before the oldest that stays.
prune() {
	newest=$(ls "$BACKUPS/base" | grep -v '\.part$' | sort | tail -n 1)
	find "$BACKUPS/base" -mindepth 1 -maxdepth 1 -type d -mtime "+$keep" ! -name "$newest" -exec rm -rf {} +
	oldest=$(ls "$BACKUPS/base" | grep -v '\.part$' | sort | head -n 1)
	first=$(cat "$BACKUPS/base/$oldest/first-wal")
	for segment in "$BACKUPS"/wal/*; do
		name=$(basename "$segment" .partial)
		case $name in
		*.history | '*') continue ;;
		esac
		if [ "$(printf '%s\n%s\n' "$name" "$first" | sort | head -n 1)" != "$first" ]; then rm -f "$segment"; fi
	done
}

copy() {
	name=$(date -u +%Y%m%dT%H%M%SZ)
	part=$BACKUPS/base/$name.part
	rm -rf "$BACKUPS"/base/*.part
	pg_basebackup -D "$part" --format=plain --wal-method=stream --checkpoint=fast --no-password || return 1
	# The copy names the first segment that recovery from it needs.
	sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' "$part/backup_label" >"$part/first-wal"
	mv "$part" "$BACKUPS/base/$name"
	echo "copied the cluster to $BACKUPS/base/$name"
	prune
}

while kill -0 "$receiver" 2>/dev/null; do
	copy || echo "the cluster could not be copied; the changes are still received" >&2
	if [ "$every" = once ]; then
		wait "$receiver"
		exit 1
	fi
	# Ends at once when the receiver does, so that whatever supervises this script starts it again.
	waited=0
	while [ "$waited" -lt "$every" ] && kill -0 "$receiver" 2>/dev/null; do
		sleep 5 &
		wait $!
		waited=$((waited + 5))
	done
done
echo "the changes are not received any more" >&2
exit 1
