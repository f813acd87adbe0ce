package main_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// plainScript does what a create does, as a program that serves one caller at a time would: it finds the key, then
// stores the payment and the event of its creation, in one transaction. The specification compares with it.
const plainScript = `
\set key random(1, 1)
\set a random(1, 2147483647)
\set b random(1, 2147483647)
BEGIN;
SELECT id, user_id, public_id, wallet FROM api_keys WHERE id = :key;
INSERT INTO payments (` + paymentColumns + `) VALUES (` + paymentValues + `) RETURNING id \gset
INSERT INTO events (payment_id, seq, type, at, data) VALUES (:id, 1, 'payment.created', now(), '{}');
COMMIT;
`

// foldedScript stores both rows with one statement, which saves round trips: the fastest way from outside the server.
// It is reported for information.
const foldedScript = `
\set key random(1, 1)
\set a random(1, 2147483647)
\set b random(1, 2147483647)
SELECT id, user_id, public_id, wallet FROM api_keys WHERE id = :key;
WITH p AS (INSERT INTO payments (` + paymentColumns + `) VALUES (` + paymentValues + `) ON CONFLICT (public_id) DO NOTHING RETURNING id)
INSERT INTO events (payment_id, seq, type, at, data)
 SELECT p.id, 1, 'payment.created', now(), '{}' FROM p RETURNING payment_id;
`

// lifeScript does what a create and then a start do, as a program that serves one caller at a time would: two
// transactions. It leaves out what such a program could not do at this rate: the key's balance, which every start of a
// key locks.
const lifeScript = plainScript + `
BEGIN;
SELECT id, user_id, public_id, wallet FROM api_keys WHERE id = :key;
SELECT id, name, short_basis, late_for_us FROM custodians WHERE key_id = :key;
SELECT address FROM custodian_wallets AS w JOIN custodians AS c ON c.id = w.custodian_id WHERE c.key_id = :key;
SELECT * FROM payments WHERE id = :id FOR NO KEY UPDATE;
INSERT INTO ledger_entries (ref, unit, from_account, to_account, count, reason, at)
 VALUES ('start:' || :id::text, 'credit', 'key:1', 'spent', 1, 'start', now());
INSERT INTO routes (payment_id, network, address, raw, settlement, scheme, tokens, since)
 VALUES (:id, 'POLYGON', decode(lpad(to_hex(:a::bigint), 20, '0') || lpad(to_hex(:b::bigint), 20, '0'), 'hex'), '', '', 1, 'USDC', now());
UPDATE payments SET status = 'STARTED', network = 'POLYGON', token = 'USDC', started_at = now(), held = true, seq = 2
 WHERE id = :id AND seq = 1;
INSERT INTO events (payment_id, seq, type, at, data) VALUES (:id, 2, 'payment.started', now(), '{}');
COMMIT;
`

const (
	paymentColumns = `public_id, key_id, kind, amount, status, network, token, created_at, expires_at, hash, extended, reorged,
 by_hand, short_basis, late_for_us, credits, credited, campaign_id, seq, resolved, attention, reference, description, success_url, cancel_url, metadata, customer_email,
 donor_name, donor_message`
	paymentValues = `lpad(:a::text, 13, '0') || lpad(:b::text, 13, '0'), :key, 'MERCHANT', 12500000, 'PENDING', '', '', now(),
 now() + interval '1 hour', '', false, false, false, 0, 0, 0, 0, 0, 1, 0, '', '', '', '', '', '', '', '', ''`
)

var tps = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)

// pgbench returns the best rate of 32 and 64 clients that run the script with
// prepared statements.
func pgbench(b *testing.B, programs, database, sql string) (best float64) {
	b.Helper()
	script, seconds := write(b, b.TempDir(), "create.sql", sql), max(1, int(benchFor.Seconds()))
	for _, clients := range []string{"32", "64"} {
		out, err := exec.CommandContext(b.Context(), filepath.Join(programs, "pgbench"), "-n", "-M", "prepared",
			"-f", script, "-c", clients, "-j", "2", "-T", strconv.Itoa(seconds), database).CombinedOutput()
		m := tps.FindSubmatch(out)
		if err != nil || m == nil {
			b.Fatalf("pgbench: %v: %.500s", err, out)
		}
		r, err := strconv.ParseFloat(string(m[1]), 64)
		testkit.Must(b, err)
		best = max(best, r)
	}
	return best
}
