package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
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
func pgbench(ctx context.Context, programs, database, dir, sql string, s settings) (float64, error) {
	script := filepath.Join(dir, "create.sql")
	if err := os.WriteFile(script, []byte(sql), 0o600); err != nil {
		return 0, err
	}
	best := 0.0
	for _, clients := range []int{32, 64} {
		out, err := exec.CommandContext(ctx, filepath.Join(programs, "pgbench"), "-n", "-M", "prepared", "-f", script,
			"-c", strconv.Itoa(clients), "-j", "2", "-T", strconv.Itoa(
				int(s.duration.Seconds()),
			), database).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("pgbench: %w: %s", err, out)
		}
		m := tps.FindSubmatch(out)
		if m == nil {
			return 0, fmt.Errorf("pgbench says no rate: %s", out)
		}
		r, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return 0, err
		}
		best = max(best, r)
	}
	return best, nil
}
