package alert_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

var begin = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// quiet are the facts of an installation without problems: one network with three endpoints, and a database.
func quiet(now time.Time) alert.Facts {
	return alert.Facts{
		Now: now, Rates: rates(now),
		Networks: []alert.Network{{
			Profile: chain.Profiles()[1], Health: payment.Health{OK: true},
			Endpoints: []chain.EndpointHealth{
				{Name: "a.example", Healthy: true, Requests: 9},
				{Name: "b.example", Healthy: true, Requests: 9},
				{Name: "c.example", Healthy: true, Requests: 9},
			},
			Reading: chain.CallReport{Budget: 100_000, Spent: 79},
			Gas: &settlement.Status{At: now, Runway: settlement.Runway{
				Level:  settlement.LevelOK,
				Wallet: chain.GasWallet{Address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Balance: money.UnitsFromUint64(1)},
			}},
		}},
		Disk: &alert.Disk{Path: "/var/lib/florin", Free: 50, Size: 100},
		Stored: &alert.Stored{
			OwnBackups: true, Slots: []alert.Slot{{Name: "florin_backup", Active: true, Lag: 16 << 20}},
			BackedUpAt: now.Add(-alert.BackupAge), Ledger: alert.LedgerCheck{AskedAt: now, EndedAt: now},
		},
	}
}

// rates are what is known of rates while they are read.
func rates(now time.Time, lines ...exchange.Line) exchange.Report {
	return exchange.Report{ReadAt: now, Lines: lines}
}

// conditions makes each kind of condition hold, and says what its notification must contain.
var conditions = map[alert.Kind]struct {
	change  func(*alert.Facts)
	subject string
	words   []string
}{
	alert.NothingSold: {func(f *alert.Facts) {
		f.Networks = nil
	}, "", []string{"no network is configured", "FLORIN_BASE_RPC"}},
	alert.DiskLow: {func(f *alert.Facts) {
		f.Disk = &alert.Disk{Path: "/var/lib/florin", Free: 9_000_000, Size: 100_000_000}
	}, "a tenth", []string{"9 MB of 100 MB", "/var/lib/florin", "Free some"}},
	alert.BackupStopped: {func(f *alert.Facts) {
		f.Stored.Slots[0] = alert.Slot{Name: "florin_backup", Lag: 2_000_000_000}
	}, "florin_backup", []string{"2.0 GB", "backup.sh", "pg_drop_replication_slot('florin_backup')", "max_slot_wal_keep_size"}},
	alert.NetworkUnreadable: {func(f *alert.Facts) {
		f.Networks[0].Health = payment.Health{Reason: "unused", Detail: "no endpoint answers"}
	}, "POLYGON", []string{"No endpoint answers.", "FLORIN_POLYGON_RPC", "florin doctor"}},
	alert.NetworkStalled: {func(f *alert.Facts) {
		f.Networks[0].Health = payment.Health{Stalled: true, Detail: "the final block is 20m old"}
	}, "POLYGON", []string{"The final block is 20m old.", "polygonscan.com"}},
	alert.TokenDepegged: {func(f *alert.Facts) {
		f.Rates = rates(f.Now, exchange.Line{Of: "USDC", Rate: 9_700_000_000, Depegged: true})
	}, "USDC", []string{"one USDC is worth 0.97 USD", "Settings, Payouts"}},
	alert.RatesDisagree: {func(f *alert.Facts) {
		f.Rates = rates(f.Now, exchange.Line{Of: "EUR", Spread: 250, Sources: []exchange.SourceLine{
			{Name: "chainlink:base", Rate: 11_600_000_000}, {Name: "chainlink:bep20", Problem: "it is stale"},
		}})
	}, "EUR", []string{"chainlink:base 1.16.", "FLORIN_{BEP20,POLYGON,BASE}_RATE_FEEDS"}},
	alert.EndpointDown: {func(f *alert.Facts) {
		f.Networks[0].Endpoints[1] = chain.EndpointHealth{Name: "b.example", Requests: 9, Reason: "it answers 500"}
	}, "POLYGON b.example", []string{"b.example: It answers 500.", "FLORIN_POLYGON_RPC"}},
	alert.EndpointsDisagree: {func(f *alert.Facts) {
		f.Stored.SetAside = []alert.SetAside{
			{Network: chain.Polygon, Payments: 2, Since: begin, Reason: "two endpoints disagree"},
		}
	}, "POLYGON", []string{"2 payments", "Two endpoints disagree.", "block explorer"}},
	alert.BudgetNear: {func(f *alert.Facts) { f.Networks[0].Reading.Spent = 80 }, "POLYGON", []string{
		"100000 calls", "FLORIN_POLYGON_RPC_BUDGET",
	}},
	alert.BudgetSpent: {func(f *alert.Facts) {
		f.Networks[0].Reading.Spent = 130
	}, "POLYGON", []string{"midnight UTC"}},
	alert.GasLow: {func(f *alert.Facts) { f.Networks[0].Gas.Runway.Level = settlement.LevelWarn }, "POLYGON", []string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "Send POL to it this week.",
	}},
	alert.GasOut: {func(f *alert.Facts) { f.Networks[0].Gas.Runway.Level = settlement.LevelAlarm }, "POLYGON", []string{
		"Send POL to it now.",
	}},
	alert.BalanceDifference: {func(f *alert.Facts) {
		f.Stored.Balances = []alert.Balance{{
			Network: chain.Polygon, Address: "0x52908400098527886E0F7030069857D2E4169EE7", Contract: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
			ID: "01M7Z95F5DE7BD6RTSPKBNS62H", Text: "it holds 5 USDT, and 0 USDT are recorded", Unrecorded: true,
		}}
	}, "POLYGON 0x52908400098527886E0F7030069857D2E4169EE7 0xc2132D05D31c914a87C6611C10748AEb04B58e8F", []string{
		"on Polygon", "payment 01M7Z95F5DE7BD6RTSPKBNS62H", "0x52908400098527886E0F7030069857D2E4169EE7",
		"holds 5 USDT, and 0 USDT are recorded", "reads the address again", "FLORIN_POLYGON_RPC",
	}},
	alert.SweepStuck: {func(f *alert.Facts) {
		f.Stored.Sweeps = 1
	}, "", []string{"1 settlement transaction is not final"}},
	alert.MoneyUnswept: {func(f *alert.Facts) {
		f.Stored.Unswept = 3
	}, "", []string{"3 deposits are final", "florin sweep"}},
	alert.Reorg: {func(f *alert.Facts) {
		f.Stored.Reorged = []alert.Reorged{{
			ID: "01M7Z95F5DE7BD6RTSPKBNS62H", Merchant: "ada@shop.example",
			Network: chain.Polygon, Amount: 5 * money.USD,
		}}
	}, "01M7Z95F5DE7BD6RTSPKBNS62H", []string{"ada@shop.example", "$5", "on Polygon"}},
	alert.LedgerDifference: {func(f *alert.Facts) {
		f.Stored.Ledger.Found, f.Stored.Ledger.First = 2, "all accounts add up to 7"
	}, "", []string{"2 differences", "All accounts add up to 7.", "florin verify-ledger"}},
	alert.LedgerUnchecked: {func(f *alert.Facts) {
		f.Stored.Ledger.Problem = "The ledger could not be read."
	}, "", []string{"The ledger could not be read.", "florin verify-ledger"}},
	alert.BackupMissing: {func(f *alert.Facts) { f.Stored.BackedUpAt = time.Time{} }, "", []string{"florin backup"}},
	alert.BackupOld: {func(f *alert.Facts) {
		f.Stored.BackedUpAt = f.Now.Add(-alert.BackupAge - time.Second)
	}, "", []string{"is of 2026-11-", "florin backup"}},
	alert.WebhooksDead: {func(f *alert.Facts) {
		f.Stored.Receivers = []alert.Receiver{
			{Shop: "Corner Coffee", Key: "key_1", Merchant: "ada@shop.example", Host: "shop.example", Failed: 4},
		}
	}, "key_1", []string{"shop.example", "4 webhooks were given up", "the shop “Corner Coffee” of ada@shop.example (API key key_1)"}},
	alert.WebhooksOverdue: {func(f *alert.Facts) { f.Stored.Overdue, f.Stored.OldestDue = 1, begin }, "", []string{
		"1 webhook is overdue", "2026-11-22 08:00 UTC",
	}},
	alert.CertificateExpiring: {func(f *alert.Facts) {
		f.Stored.Expiring = []alert.Certificate{{Host: "shop.example", ExpiresAt: begin.Add(90 * 24 * time.Hour)}}
	}, "shop.example", []string{"expires on 2027-02-20 08:00 UTC", "renew"}},
	alert.RechargeStuck: {func(f *alert.Facts) { f.Stored.Recharges = 1 }, "", []string{"1 purchase is on the way"}},
	alert.ChangeStuck:   {func(f *alert.Facts) { f.Stored.Changes = 2 }, "", []string{"2 changes are due"}},
}

// TestRules_Public: gas wallets and budgets are the operator's own matter.
func TestRules_Public(t *testing.T) {
	t.Parallel()
	for _, kind := range []alert.Kind{
		alert.GasOut, alert.GasLow, alert.BudgetNear, alert.BudgetSpent, alert.NothingSold,
	} {
		f := quiet(begin)
		conditions[kind].change(&f)
		for _, c := range alert.Judge(f).Conditions {
			if c.Kind == kind && c.Public != (kind == alert.NothingSold) {
				t.Errorf("%s is public: %v", kind, c.Public)
			}
		}
	}
}

// TestRules_Silent: where too few endpoints are left to agree, the notification names those that fail within two
// minutes, whether or not blocks stand still already.
func TestRules_Silent(t *testing.T) {
	t.Parallel()
	for _, ok := range []bool{true, false} {
		i := install()
		i.pass(2*time.Minute, func(now time.Time) alert.Facts {
			f := quiet(now)
			f.Networks[0].Health = payment.Health{OK: ok, Stalled: !ok, Detail: "the final block is 20m old"}
			for n := range 2 {
				f.Networks[0].Endpoints[n].Healthy, f.Networks[0].Endpoints[n].Reason = false, "does not answer"
			}
			return f
		})
		if len(i.notifications) != 1 || !strings.Contains(fmt.Sprint(i.notifications), "2 of 3 endpoints fail: a.example: does not answer; b.example") {
			t.Errorf("read %v: %+v", ok, i.notifications)
		}
	}
}

// installation judges facts as time passes, and keeps the notifications.
type installation struct {
	now           time.Time
	stored        map[string]alert.Alert
	notifications []alert.Notification
}

func install() *installation { return &installation{now: begin, stored: make(map[string]alert.Alert)} }

// pass judges the facts every twenty seconds, or more seldom over days.
func (i *installation) pass(d time.Duration, facts func(now time.Time) alert.Facts) {
	step := max(20*time.Second, d/400)
	for end := i.now.Add(d); i.now.Before(end); i.now = i.now.Add(step) {
		i.judge(alert.Judge(facts(i.now)))
	}
}

func (i *installation) judge(seen alert.Observation) {
	var list []alert.Alert
	for _, a := range i.stored {
		list = append(list, a)
	}
	c := alert.Decide(list, seen, i.now, func() string { return fmt.Sprint("ntc_", len(i.notifications)) })
	for _, a := range c.Save {
		i.stored[string(a.Kind)+a.Subject] = a
	}
	for _, a := range c.Remove {
		delete(i.stored, string(a.Kind)+a.Subject)
	}
	i.notifications = append(i.notifications, c.Notifications...)
}

// of returns the notifications of the kind, as phases.
func (i *installation) of(k alert.Kind) string {
	var phases strings.Builder
	for _, n := range i.notifications {
		if n.Alert.Kind == k {
			phases.WriteString(string(n.Phase) + " ")
		}
	}
	return phases.String()
}

// TestRules: each condition is notified of once when it begins and once when it is over, and says what to do.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, k := range alert.Kinds() {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			c, ok := conditions[k]
			if !ok {
				t.Fatal("no case makes it hold")
			}
			wrong := func(now time.Time) alert.Facts {
				f := quiet(now)
				c.change(&f)
				return f
			}
			i := install()
			i.pass(time.Hour, quiet)
			if len(i.notifications) > 0 {
				t.Fatalf("a quiet installation is notified of %+v", i.notifications)
			}
			i.pass(3*24*time.Hour, wrong)
			if got := i.of(k); got != "begins " {
				t.Fatalf("after three days the notifications are %q", got)
			}
			n := i.notifications[0]
			for _, x := range i.notifications {
				if x.Alert.Kind == k {
					n = x
				}
			}
			text := n.Subject() + "\n" + n.Message("https://pay.example/operator")
			for _, word := range append(c.words, "What to do: ", "https://pay.example/operator") {
				if !strings.Contains(text, word) {
					t.Errorf("the notification lacks %q:\n%s", word, text)
				}
			}
			if n.Alert.Subject != c.subject {
				t.Errorf("its subject is %q, want %q", n.Alert.Subject, c.subject)
			}
			i.pass(3*time.Hour, quiet)
			if got := i.of(k); got != "begins over " {
				t.Errorf("when it is over, the notifications are %q", got)
			}
			if len(i.stored) > 0 {
				t.Errorf("%v is stored in the end", i.stored)
			}
		})
	}
}

// TestDecide_Passing: what passes by itself is no news, and what comes and goes is one alert.
func TestDecide_Passing(t *testing.T) {
	t.Parallel()
	down := func(now time.Time) alert.Facts {
		f := quiet(now)
		f.Networks = append(
			f.Networks, alert.Network{Profile: chain.Profiles()[2], Health: payment.Health{Detail: "down"}},
		)
		return f
	}
	i := install()
	i.pass(time.Minute, down)
	i.pass(time.Hour, quiet)
	if len(i.notifications) > 0 {
		t.Errorf("a minute is news: %+v", i.notifications)
	}
	for range 20 {
		i.pass(3*time.Minute, down)
		i.pass(3*time.Minute, quiet)
	}
	if got := i.of(alert.NetworkUnreadable); got != "begins " {
		t.Errorf("a network that comes and goes: %q", got)
	}
	i.pass(time.Hour, quiet)
	if got := i.of(alert.NetworkUnreadable); got != "begins over " {
		t.Errorf("in the end: %q", got)
	}
}

// TestDecide_Restart: a program that has just started has read nothing, which is no news, however often it starts; and
// what held for a moment before a stop begins anew when it holds at the next start.
func TestDecide_Restart(t *testing.T) {
	t.Parallel()
	with := func(h payment.Health) func(time.Time) alert.Facts {
		return func(now time.Time) alert.Facts {
			f := quiet(now)
			f.Networks[0].Health = h
			return f
		}
	}
	i := install()
	for range 5 {
		i.pass(40*time.Second, with(payment.Health{New: true, Detail: "not read yet"}))
		i.pass(2*time.Minute, quiet)
	}
	down := with(payment.Health{Detail: "down"})
	i.pass(time.Minute, down)
	i.now = i.now.Add(3 * time.Hour)
	i.pass(time.Minute, down)
	i.pass(time.Hour, quiet)
	if len(i.notifications) > 0 {
		t.Errorf("starts are news: %+v", i.notifications)
	}
	i.pass(10*time.Minute, down)
	if got := i.of(alert.NetworkUnreadable); got != "begins " {
		t.Errorf("a network that cannot be read: %q", got)
	}
	for range 20 { // a machine that is off at night
		i.pass(12*time.Hour, func(now time.Time) alert.Facts {
			f := quiet(now)
			f.Stored.BackedUpAt = time.Time{}
			return f
		})
		i.now = i.now.Add(12 * time.Hour)
	}
	if got := i.of(alert.BackupMissing); got != "begins " {
		t.Errorf("a backup that was never made: %q", got)
	}
}

// TestDecide_Unknown: what cannot be judged neither begins nor ends.
func TestDecide_Unknown(t *testing.T) {
	t.Parallel()
	stuck := func(now time.Time) alert.Facts {
		f := quiet(now)
		f.Stored.Sweeps = 1
		f.Stored.Ledger.Found = 1
		return f
	}
	i := install()
	i.pass(time.Hour, stuck)
	i.pass(24*time.Hour, func(now time.Time) alert.Facts {
		f := quiet(now)
		f.Stored = nil
		return f
	})
	if got := i.of(alert.SweepStuck) + i.of(alert.LedgerDifference); got != "begins begins " {
		t.Errorf("without the database: %q", got)
	}
	i.pass(4*time.Minute, func(now time.Time) alert.Facts { // a check of the ledger is under way
		f := stuck(now)
		f.Stored.Ledger = alert.LedgerCheck{AskedAt: now}
		return f
	})
	i.pass(time.Hour, stuck)
	if got := i.of(alert.LedgerDifference); got != "begins " {
		t.Errorf("while the ledger is checked again: %q", got)
	}
}

// TestNotification_Body: programs read the fields, and chats the text.
func TestNotification_Body(t *testing.T) {
	t.Parallel()
	i := install()
	i.pass(time.Hour, func(now time.Time) alert.Facts {
		f := quiet(now)
		f.Stored.Sweeps = 1
		return f
	})
	body, err := i.notifications[0].Body("https://pay.example/operator")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`{"text":"A settlement transaction is stuck\n\n1 settlement transaction is`, `"eventId":"ntc_0"`,
		`"type":"alert.begins"`, `"kind":"sweep_stuck"`, `"page":"https://pay.example/operator"`,
	} {
		if !strings.Contains(string(body), part) {
			t.Errorf("the body lacks %s:\n%s", part, body)
		}
	}
}
