package docs

// The commands of the page for operators.
const (
	composeCommands = `cd deploy/compose
cp example.env .env                       # then set DOMAIN and the endpoints
sudo ./secrets.sh                         # writes secrets/; keep copies of secret-key and evm-gas-key elsewhere
docker compose up -d --build
docker compose exec florin-1 /florin user create --email you@example.com --operator`

	planCommands = `florin migrate --plan`

	upgradeCommands = `florin migrate                            # with the new version; the old servers go on serving
systemctl restart florin                  # on one server after the other, each once /readyz answers 200
deploy/compose/upgrade.sh                 # or so with compose: all of it
kubectl apply -f migrate.yaml && kubectl apply -f florin.yaml   # or so on Kubernetes`

	archiveCommands = `export PGHOST=127.0.0.1 PGUSER=florin PGPASSFILE=/etc/florin/pgpass BACKUPS=/mnt/backups
deploy/compose/backup.sh                  # all the time, as a service of its own`

	pointInTimeCommands = `deploy/compose/restore.sh /mnt/backups /var/lib/postgresql/restored '2026-11-22 10:14:00+00'
pg_ctl start -w -D /var/lib/postgresql/restored    # replays the changes up to that moment
florin restore --adopt                             # before the first server starts`

	backupCommands = `age-keygen -o backup-key.txt            # keep it apart from the server
florin backup /mnt/backups/$(date +%F).age --recipient age1…`

	restoreCommands = `florin restore /mnt/backups/2026-11-22.age --identity backup-key.txt
florin serve`

	postgresCommands = `pg_dump -Fc -f florin.dump postgres://florin@host/florin
pg_restore --exit-on-error -d postgres://florin@host/restored florin.dump
florin restore --adopt --before postgres://florin@host/florin   # --before: if the old one can still be read`

	litestreamConfig = `dbs:
  - path: /var/lib/florin/florin.db
    replica: {type: file, path: /mnt/replica}`

	litestreamCommands = `litestream replicate -config litestream.yml                            # beside the server, all the time
litestream restore -config litestream.yml /var/lib/florin/florin.db    # both stopped, and no florin.db there
chmod 600 /var/lib/florin/florin.db && florin restore --adopt          # before the first server starts`

	rotateCommands = `florin keygen > new-key
florin secret rotate < new-key          # beside the running servers`

	alertSettings = `FLORIN_OPERATOR_EMAIL=ops@example.com
FLORIN_OPERATOR_WEBHOOK=https://hooks.slack.com/services/…
FLORIN_OPERATOR_WEBHOOK_SECRET=whsec_…   # echo "whsec_$(openssl rand -base64 32)"`

	seedCommands = `florin keygen --sol-seed                                            # 24 words, for paper
florin keygen --sol-seed --sealed --words > /etc/florin/sol-seed    # asks for them, and seals them
export FLORIN_SOL_SEED_FILE=/etc/florin/sol-seed`

	gasCommands = `florin keygen --evm                     # or --sol; prints key and wallet
# send native coin to the new wallet, set FLORIN_EVM_GAS_KEY or FLORIN_SOL_GAS_KEY, restart`
)

// loss is a row of the table of what may be lost.
type loss struct{ what, do, cost string }

var losses = []loss{
	{
		"The disk, or the database", "Restore the newest backup onto a new one. Without a backup, start with an empty database " +
			"and run `florin recover` for each payment that a merchant can name.",
		"What changed after the backup: settings, users, and orders created since, which the restore names where it can. No coin.",
	},
	{
		"`FLORIN_SECRET_KEY`, lost", "Take it from its copy. Without one, a new key and an empty database; `florin recover` brings " +
			"home what lies on addresses of payments that a merchant can name.",
		"Accounts, settings and history. No coin on EVM networks; on Solana none if the words of the seed are written down.",
	},
	{
		"`FLORIN_SECRET_KEY`, stolen", "`florin secret rotate`, then have merchants replace their signing secrets.",
		"What it seals is known to a thief who has a dump of the database as well.",
	},
	{"A gas key", "Make another one, as described above.", "The coin in the old wallet. Sweeps wait meanwhile."},
	{
		"The Solana seed", "Take it from its copy; there is no other way.",
		"What lies on Solana deposit addresses and is not swept. `/operator` shows how much that is now.",
	},
	{
		"A password or an authenticator", "The user: `/forgot`, or a recovery code. You: `florin user password --link`, " +
			"`florin user reset-factor`, or Locked out on the user's page at `/operator/users`.",
		"The user's sessions; with an authenticator, the second factor until a new one is set up.",
	},
	{
		"The mail server", "Set `FLORIN_SMTP_URL` and restart. Until then hand links on: `florin user password --link`.",
		"Mails that were not sent; the audit log has what they were about.",
	},
}
