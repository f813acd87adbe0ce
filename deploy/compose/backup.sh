#!/bin/sh
# Continuous backups of a PostgreSQL server: every change, as it happens, into $BACKUPS/wal, and a copy of the whole
# cluster each day into $BACKUPS/base. Together they restore any moment since the oldest copy; restore.sh does.
#
# PGHOST, PGPORT, PGUSER and PGPASSFILE say where the server is, and PGDATABASE which database is Florin's; the role needs
# REPLICATION, and is Florin's, so that the moment of a copy is recorded there. Copies older than KEEP_DAYS are removed,
# with the changes that only they need. EVERY is the number of seconds between copies; with EVERY=once it makes a single
# copy and goes on with the changes.
#
# RECIPIENT encrypts copies and changes with age (age1…, made by age-keygen), but for the last two files of 16 MB, which
# are being received. The server must have one tablespace then.
set -eu
: "${BACKUPS:?the directory of the backups}"
every=${EVERY:-86400}
keep=${KEEP_DAYS:-7}
slot=${SLOT:-florin_backup}
recipient=${RECIPIENT:-}
umask 077
export PGDATABASE="${PGDATABASE:-${PGUSER:-florin}}"
ask() { psql -qXAt --no-password -c "$1"; }

# What is there cannot be gone on with if the server has removed what comes next, or is another one, such as a restored
# one: it is put aside as a whole, and restores what it restored before.
kept=$(ask "SELECT wal_status FROM pg_replication_slots WHERE slot_name = '$slot'")
if [ "$kept" = lost ]; then pg_receivewal --slot="$slot" --drop-slot --no-password; fi
if [ -d "$BACKUPS/wal" ] && { [ -z "$kept" ] || [ "$kept" = lost ]; }; then
	aside=$BACKUPS/before-$(date -u +%Y%m%dT%H%M%SZ)
	mkdir "$aside"
	mv "$BACKUPS/wal" "$BACKUPS/base" "$aside/"
	echo "the server has nothing that follows what was received: that is in $aside now, and begins anew" >&2
fi
mkdir -p "$BACKUPS/wal" "$BACKUPS/base"

# The slot makes the server keep what was not received yet, up to its max_slot_wal_keep_size. Remove it
# (pg_drop_replication_slot) if this never runs again.
pg_receivewal --slot="$slot" --create-slot --if-not-exists --no-password
pg_receivewal -D "$BACKUPS/wal" --slot="$slot" --synchronous --no-password &
receiver=$!
trap 'kill "$receiver" 2>/dev/null || true' EXIT
trap 'exit 0' INT TERM

# What changes before the receiver is there is never received: a copy that is made meanwhile restores nothing later.
while [ "$(ask "SELECT active FROM pg_replication_slots WHERE slot_name = '$slot'")" != t ]; do
	kill -0 "$receiver" 2>/dev/null || exit 1
	sleep 1
done

# Removes the copies that are too old, but never the newest, and the changes before the oldest that stays.
prune() {
	newest=$(ls "$BACKUPS/base" | grep -v '\.part$' | sort | tail -n 1)
	find "$BACKUPS/base" -mindepth 1 -maxdepth 1 -type d -mtime "+$keep" ! -name "$newest" -exec rm -rf {} +
	find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d -name 'before-*' -mtime "+$keep" -exec rm -rf {} +
	oldest=$(ls "$BACKUPS/base" | grep -v '\.part$' | sort | head -n 1)
	first=$(cat "$BACKUPS/base/$oldest/first-wal")
	for segment in "$BACKUPS"/wal/*; do
		name=$(basename "$segment" .partial)
		name=${name%.age}
		case $name in
		*.history | '*') continue ;;
		esac
		if [ "$(printf '%s\n%s\n' "$name" "$first" | sort | head -n 1)" != "$first" ]; then rm -f "$segment"; fi
	done
}

# Encrypts what was received, but for the newest whole file, by which the receiver knows where to go on.
seal() {
	[ -n "$recipient" ] || return 0
	newest=$(ls "$BACKUPS/wal" | grep -E '^[0-9A-F]{24}$' | sort | tail -n 1)
	for segment in "$BACKUPS"/wal/*; do
		name=$(basename "$segment")
		if [ "$name" = "$newest" ] || ! echo "$name" | grep -qE '^[0-9A-F]{24}$'; then continue; fi
		age -r "$recipient" -o "$segment.part" "$segment" || return 1
		mv "$segment.part" "$segment.age"
		rm "$segment"
	done
}

copy() {
	name=$(date -u +%Y%m%dT%H%M%SZ)
	part=$BACKUPS/base/$name.part
	rm -rf "$BACKUPS"/base/*.part
	if [ -n "$recipient" ]; then
		mkdir "$part"
		# The first segment that recovery needs, or one before it: the copy begins with a checkpoint after this.
		first=$(ask "SELECT pg_walfile_name(pg_current_wal_lsn())") || return 1
		{ pg_basebackup -D - --format=tar --wal-method=none --checkpoint=fast --no-password || : >"$part/failed"; } |
			gzip | age -r "$recipient" -o "$part/base.tar.gz.age" || return 1
		[ ! -e "$part/failed" ] || return 1
		echo "$first" >"$part/first-wal"
	else
		pg_basebackup -D "$part" --format=plain --wal-method=stream --checkpoint=fast --no-password || return 1
		# The copy names the first segment that recovery from it needs.
		sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' "$part/backup_label" >"$part/first-wal"
	fi
	mv "$part" "$BACKUPS/base/$name"
	# Florin notifies its operator when this grows old.
	ask "UPDATE instance SET backed_up_at = now()" || echo "the copy could not be recorded in the database" >&2
	echo "copied the cluster to $BACKUPS/base/$name"
	prune
}

while kill -0 "$receiver" 2>/dev/null; do
	copy || echo "the cluster could not be copied; the changes are still received" >&2
	# Ends at once when the receiver does, so that whatever supervises this script starts it again.
	waited=0
	while { [ "$every" = once ] || [ "$waited" -lt "$every" ]; } && kill -0 "$receiver" 2>/dev/null; do
		seal || echo "what was received could not be encrypted" >&2
		sleep 5 &
		wait $!
		waited=$((waited + 5))
	done
done
echo "the changes are not received any more" >&2
exit 1
