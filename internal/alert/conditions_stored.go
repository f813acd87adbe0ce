package alert

import (
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
)

const (
	// BackupAge is how old the newest backup may be: a daily one may fail once.
	BackupAge = 50 * time.Hour
	// CertificateWarning is how long before its end the certificate of a callback is reported. Those that are renewed
	// by a program are renewed earlier.
	CertificateWarning = 14 * 24 * time.Hour

	timeFormat = "2006-01-02 15:04 UTC"
)

func at(t time.Time) string { return t.UTC().Format(timeFormat) }

// count returns "1 payment" or "2 payments".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// one returns a list of the condition if it holds.
func one(holds bool, c Condition) []Condition {
	if !holds {
		return nil
	}
	return []Condition{c}
}

const seeStuck = "The operator's page Stuck work lists them, and the log says why."

func ledgerDifference(f Facts) []Condition {
	l := f.Stored.Ledger
	return one(l.Found > 0, Condition{
		Title: "The ledger of credits does not agree with itself",
		Text: fmt.Sprintf("The check of %s found %s. The first: %s", at(l.EndedAt), count(l.Found, "difference"),
			sentence(l.First)),
		Advice: "Take no top-ups until it is understood. florin verify-ledger lists all of them.",
	})
}

// ledgerSettled: while a check is under way, nothing is known of the ledger.
func ledgerSettled(f Facts) bool {
	l := f.Stored.Ledger
	return !l.EndedAt.IsZero() || l.AskedAt.IsZero() || f.Now.Sub(l.AskedAt) > 2*ledger.CheckLimit
}

func ledgerUnchecked(f Facts) []Condition {
	l := f.Stored.Ledger
	why := l.Problem
	if why == "" && l.EndedAt.IsZero() {
		why = "Florin was stopped before the ledger was verified."
	}
	return one(!l.AskedAt.IsZero() && why != "", Condition{
		Title:  "The ledger of credits could not be checked",
		Text:   fmt.Sprintf("The check of %s did not end. %s", at(l.AskedAt), why),
		Advice: "Run florin verify-ledger, which has no time limit.",
	})
}

func reorged(f Facts) []Condition {
	var list []Condition
	for _, r := range f.Stored.Reorged {
		list = append(list, Condition{
			Subject: string(r.ID),
			Title:   "A reorg took back credited money",
			Text: fmt.Sprintf("Payment %s of %s was completed with $%s on %s, and the network has dropped that transfer. "+
				"The merchant was notified.", r.ID, r.Merchant, r.Amount.Display(), name(f, r.Network)),
			Advice: "Compare the transaction with a block explorer. If it is there, an endpoint is wrong; if not, the " +
				"merchant has to decide what becomes of the order.",
		})
	}
	return list
}

// name returns the network's name for display.
func name(f Facts, n chain.Network) string {
	for _, x := range f.Networks {
		if x.Profile.Network == n {
			return x.Profile.Name
		}
	}
	return string(n)
}

func disagreeing(f Facts) []Condition {
	var list []Condition
	for _, s := range f.Stored.SetAside {
		list = append(list, Condition{
			Subject: string(s.Network),
			Title:   fmt.Sprintf("Endpoints of %s disagree, or payments there cannot be read", name(f, s.Network)),
			Text: fmt.Sprintf("%s cannot be read and will be tried again; other payments are read. The oldest waits since %s: %s",
				count(s.Payments, "payment"), at(s.Since), sentence(s.Reason)),
			Advice: fmt.Sprintf("Compare the endpoints in FLORIN_%s_RPC with a block explorer, and replace the one that is wrong.",
				s.Network),
		})
	}
	return list
}

func differing(f Facts) []Condition {
	var list []Condition
	for _, b := range f.Stored.Balances {
		text, advice := b.Text+b.Advice, "Look at the address with a block explorer, and at what florin reconcile says."
		if b.Unrecorded {
			text = b.Text // the advice of the command is what the server does by itself
			advice = "Florin reads the address again, and the alert is over when the record agrees. If it stays, look at the " +
				"address with a block explorer: an endpoint that hides a transfer is to be replaced in FLORIN_" +
				string(b.Network) + "_RPC."
		}
		list = append(list, Condition{
			Subject: strings.TrimSpace(fmt.Sprintf("%s %s %s", b.Network, b.Address, b.Contract)),
			Title:   "A balance on " + name(f, b.Network) + " differs from the record",
			Text: fmt.Sprintf("The address %s of payment %s on %s: %s", b.Address, b.ID, name(f, b.Network),
				sentence(text)),
			Advice: advice,
		})
	}
	return list
}

func sweepStuck(f Facts) []Condition {
	n := f.Stored.Sweeps
	return one(n > 0, Condition{
		Title:  "A settlement transaction is stuck",
		Text:   are(n, "settlement transaction") + " not final after more than ten minutes.",
		Advice: "Florin sends it again with a higher price. If it stays, look at the gas wallet and the endpoints. " + seeStuck,
	})
}

func unswept(f Facts) []Condition {
	n := f.Stored.Unswept
	return one(n > 0, Condition{
		Title:  "Money has not reached merchants",
		Text:   are(n, "deposit") + " final for more than a day and a half and not settled.",
		Advice: "Look at the gas wallets; florin sweep moves what Florin does not move automatically. " + seeStuck,
	})
}

// are returns "1 deposit is" or "2 deposits are".
func are(n int64, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
}

func webhooksDead(f Facts) []Condition {
	var list []Condition
	for _, r := range f.Stored.Receivers {
		list = append(list, Condition{
			Subject: r.Key,
			Title:   "Webhooks do not arrive at " + r.Host,
			Text: fmt.Sprintf("%s given up in the last 30 days for %s of %s (API key %s), and none has arrived since.",
				were(r.Failed, "webhook"), shopOf(r), r.Merchant, r.Key),
			Advice: "The merchant sees it under Needs attention and can send them again. Reach the merchant if it lasts: the " +
				"shop does not learn of payments.",
		})
	}
	return list
}

// shopOf names a shop as its merchant does.
func shopOf(r Receiver) string {
	if r.Shop == "" {
		return "a shop"
	}
	return "the shop “" + r.Shop + "”"
}

func were(n int64, noun string) string {
	if n == 1 {
		return count(n, noun) + " was"
	}
	return count(n, noun) + " were"
}

func webhooksOverdue(f Facts) []Condition {
	s := f.Stored
	return one(s.Overdue > 0, Condition{
		Title:  "Webhooks are overdue",
		Text:   fmt.Sprintf("%s overdue, the oldest since %s.", are(s.Overdue, "webhook"), at(s.OldestDue)),
		Advice: "See whether an instance runs, and has network and processor left. " + seeStuck,
	})
}

func expiring(f Facts) []Condition {
	var list []Condition
	for _, c := range f.Stored.Expiring {
		state := "expires on"
		if !c.ExpiresAt.After(f.Now) {
			state = "expired on"
		}
		list = append(list, Condition{
			Subject: c.Host,
			Title:   fmt.Sprintf("The certificate of %s expires", c.Host),
			Text: fmt.Sprintf("The TLS certificate of %s, where merchants receive webhooks, %s %s. No webhook is sent there after that.",
				c.Host, state, at(c.ExpiresAt)),
			Advice: "Ask the merchant to renew it. Webhooks that fail meanwhile are tried for days.",
		})
	}
	return list
}

func rechargeStuck(f Facts) []Condition {
	n := f.Stored.Recharges
	return one(n > 0, Condition{
		Title:  "Purchases of query units are stuck",
		Text:   are(n, "purchase") + " on the way, on a network that is not configured any more.",
		Advice: "Configure the network again, with USDT, until they are done. " + seeStuck,
	})
}

func changeStuck(f Facts) []Condition {
	n := f.Stored.Changes
	return one(n > 0, Condition{
		Title:  "Changes of where money goes cannot be made",
		Text:   are(n, "change") + " due and could not be made.",
		Advice: "They are tried again; an owner of the merchant can stop them. " + seeStuck,
	})
}

const makeBackup = "Run florin backup from a timer, each day, and keep a copy on another machine."

// backupMissing: a database of one's own, and no backup yet.
func backupMissing(f Facts) []Condition {
	return one(f.Stored.OwnBackups && f.Stored.BackedUpAt.IsZero(), Condition{
		Title: "There is no backup", Text: "florin backup was never run on this database.", Advice: makeBackup,
	})
}

func backupOld(f Facts) []Condition {
	last, advice := f.Stored.BackedUpAt, makeBackup
	if !f.Stored.OwnBackups {
		advice = "See whether backup.sh runs, and what it says: it copies the server each day."
	}
	return one(!last.IsZero() && f.Now.Sub(last) > BackupAge, Condition{
		Title: "The newest backup is old", Text: fmt.Sprintf("The newest backup is of %s.", at(last)), Advice: advice,
	})
}

// maxSlotLag is how much a receiver may lack: more than a busy minute writes.
const maxSlotLag = 1 << 30

// backupStopped finds receivers of PostgreSQL's log that do not receive: what is kept for them fills its disk.
func backupStopped(f Facts) []Condition {
	var list []Condition
	for _, s := range f.Stored.Slots {
		c := Condition{
			Subject: s.Name, Title: "Changes are not received through " + s.Name,
			Text: fmt.Sprintf("PostgreSQL keeps %s for the replication slot %s.", size(s.Lag), s.Name),
			Advice: "Start what receives through it, such as backup.sh. If that never runs again: SELECT " +
				"pg_drop_replication_slot('" + s.Name + "').",
		}
		switch {
		case s.Lost:
			c.Text = fmt.Sprintf("PostgreSQL has removed changes that nobody had received through the replication slot %s: "+
				"no moment after them can be restored.", s.Name)
			c.Advice = "Start backup.sh again: it makes the slot and a copy of the server anew. A standby has to be copied anew."
		case s.Active && s.Lag <= maxSlotLag:
			continue
		case !s.Capped:
			c.Text += " Nothing bounds that, until its disk is full: set max_slot_wal_keep_size."
		}
		list = append(list, c)
	}
	return list
}
