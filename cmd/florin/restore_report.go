package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/store"
)

// restored is what the report of a restore is about.
type restored struct {
	backup.Adopted

	since  time.Time // the moment that the database shows; zero: there is no payment to tell it by
	before string    // URL of the database as it was; empty: there is none
}

// unknowable is what happened in the time that is lost and shows neither in the backup nor on a chain.
const unknowable = `What else happened after that is lost. Do by hand, as far as it applies:
- API keys, users and passkeys that were revoked, disabled or removed since work again: revoke them again.
- Passwords, second factors, settlement wallets, callback addresses and locks are those of then: have owners check them.
- Credits that were granted, and queries that were bought with a transfer since: grant them again.
- For any other txnid that a merchant names, ` + "`florin recover --txnid … --settlement …`" + ` shows what lies on its address
  and sends it to the merchant's wallet.
- Run ` + "`florin reconcile`" + ` once the networks are read to their ends.`

// forMerchants is what a merchant has to know, in the merchant's words.
const forMerchants = `For your merchants, to pass on:
  Our database was restored%[1]s.
  Orders that you created before are being brought up to date from the networks by themselves: what your customers
  paid counts, and money goes to your wallet as always. Webhooks of the lost time are sent again with new ids and the
  header webhook-replayed: true; an order that you have fulfilled already stays fulfilled. Orders that you created since are not known to us any more, and their payment pages say so. If a customer
  has paid one, send us its txnid (it is in your shop's record of the order): we find the money and send it to your
  wallet; fulfil that order yourself. Please check your wallets, callback address, API keys and members, which are
  those of then.`

// reportRestore says what the adoption did, which orders need a hand, and what no backup can know.
func reportRestore(ctx context.Context, p *process, s *store.Store, r restored) error {
	lines := []string{fmt.Sprintf("Adopted as generation %d.", r.Generation)}
	for _, done := range []struct {
		n    int64
		noun string
		what string
	}{
		{r.Payments, "payment", "go on with new event numbers"},
		{r.Deliveries, "webhook", "will be sent again, marked as replayed"},
		{r.Writes, "unanswered request", "forgotten"},
		{r.Sessions, "session", "ended"},
		{r.Invitations, "invitation", "ended"},
		{r.Changes, "waiting change of settings", "stopped"},
	} {
		if done.n > 0 {
			lines = append(lines, counted(done.n, done.noun)+": "+done.what+".")
		}
	}
	moment := ""
	if !r.since.IsZero() {
		moment = " to its state of " + r.since.Format(time.RFC3339)
		lines = append(lines, "The database stands at "+r.since.Format(time.RFC3339)+" or little later.")
	}
	lines = append(lines, "")
	lines = append(lines, orderLines(ctx, s, r.before)...)
	lines = append(lines, "", unknowable, "", fmt.Sprintf(forMerchants, moment))
	return p.say("%s", strings.Join(lines, "\n"))
}

// What the report says above its lists of orders.
const (
	ordersLost = "Orders that are not in the backup: %d. Florin answers that they do not exist. The command of each shows what " +
		"lies on its address and sends it to the merchant's wallet; what was swept before is there already."
	ordersStarted = "Orders of the backup that were started since: %d. They are open again. What was paid for one counts once it " +
		"is started again on the same network; or its command sends the money to the merchant's wallet."
	ordersUnlisted = "Orders that were created since are unknown, and cannot be listed without the database as it was " +
		"(`florin restore --adopt --before URL` reads it). Ask merchants for their txnids."
	ordersOpen = "Orders of the backup that nobody had started: %d. If one was started since, it has the address that it had " +
		"then: what was paid counts once it is started again on the same network; or `florin recover` sends the money to the " +
		"merchant's wallet."
)

// orderLines names the orders that need a hand. The restore has succeeded, so what cannot be read is said and does not
// fail it.
func orderLines(ctx context.Context, s *store.Store, before string) (lines []string) {
	l, err := s.Reports().LostOrders(ctx, before)
	if err != nil && before != "" {
		lines = append(lines, "The database as it was cannot be read: "+err.Error())
		l, err = s.Reports().LostOrders(ctx, "")
	}
	list := func(text string, orders []backup.Order) {
		if len(orders) > 0 {
			lines = append(lines, fmt.Sprintf(text, len(orders)))
		}
		for _, o := range orders {
			lines = append(lines, orderCommands(o)...)
		}
	}
	switch {
	case err != nil:
		lines = append(lines, "The orders cannot be read: "+err.Error())
	case l.Compared && len(l.Unknown)+len(l.Unstarted) == 0:
		lines = append(lines, "Every order of the database as it was is in the backup, started if it was.")
	case l.Compared:
		list(ordersLost, l.Unknown)
		list(ordersStarted, l.Unstarted)
	default:
		lines = append(lines, ordersUnlisted)
		list(ordersOpen, l.Unstarted)
	}
	if l.More > 0 {
		lines = append(lines, fmt.Sprintf("  … and %d more orders.", l.More))
	}
	return lines
}

// orderCommands returns the lines about an order: the command that brings its money home, once for each wallet that its
// addresses pay.
func orderCommands(o backup.Order) (lines []string) {
	about := fmt.Sprintf("# %s, %s USD, %s", o.Email, o.Amount, o.Status)
	if o.Reference != "" {
		about += fmt.Sprintf(", reference %q", o.Reference)
	}
	for _, wallet := range o.Settlements {
		lines = append(lines, fmt.Sprintf("  florin recover --txnid %s --settlement %s  %s", o.Txnid, wallet, about))
	}
	if !o.Started() {
		lines = append(lines, fmt.Sprintf("  %s  %s, not started", o.Txnid, about))
	}
	return lines
}
