package payment

import (
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
)

// Actor is the user or key that completes a payment by hand, and the reason.
type Actor struct {
	Name   string // for the timeline: "API key", or a user's e-mail
	Reason string
}

// MarkCompleted completes a payment by hand, whatever was received, and costs one
// query. A top-up is refused: it would mint credits.
func (p Payment) MarkCompleted(by Actor, now time.Time) (Change, error) {
	if p.Status == Completed {
		return Change{}, ErrCompleted
	}
	if p.Kind == KindTopUp {
		return Change{}, ErrNotByHand
	}
	c := Change{Payment: p}
	c.Entries = append(
		c.Entries, ledger.Spend(p.KeyID, ledger.Query, ledger.ReasonOperation, "complete:"+string(p.ID), now),
	)
	c.Payment.ByHand = true
	c.emit(EventMarked, now, note{By: by.Name, Reason: by.Reason})
	c.Mails = append(c.Mails, p.byHandMail(by, now))
	return c.complete(now).resolved(), nil
}

// Acceptable reports whether the owner may accept what came as the whole: final
// money that was short, late, or in a token or on a network that does not count.
func (p Payment) Acceptable() bool {
	return p.Status != Pending && p.Status != Completed && p.Kind != KindTopUp && !p.arrived(true).IsZero()
}

// Arrived returns all final money that came, whether it counts or not, less what was paid back.
func (p Payment) Arrived() money.Atto { return p.arrived(false) }

// arrived is Arrived, less what open refunds are to pay back if open is true.
func (p Payment) arrived(open bool) money.Atto { return p.left(open).Add(p.uncounted(open)) }

// Accept completes a payment whose owner accepts what came, which counts from then
// on. It costs nothing, since the credit was spent at the start, except where a
// stranger's payment gave its credit back.
func (p Payment) Accept(by Actor, now time.Time) (Change, error) {
	switch {
	case p.Status == Completed:
		return Change{}, ErrCompleted
	case p.Kind == KindTopUp:
		return Change{}, ErrNotByHand
	case !p.Acceptable():
		return Change{}, ErrNoMoney
	}
	c := Change{Payment: p}
	if p.Received().IsZero() {
		c.Payment.Hash, c.Payment.Choice = p.paidByOther()
	}
	if p.ByStranger() && !p.Held {
		c.Payment.Unheld = false
		c.Entries = append(
			c.Entries, ledger.Spend(p.KeyID, ledger.Credit, ledger.ReasonStart, "accept:"+string(p.ID), now),
		)
	}
	c.Payment.ByHand = true
	c.emit(EventAccepted, now, note{By: by.Name, Reason: by.Reason})
	c.Mails = append(c.Mails, p.byHandMail(by, now))
	return c.complete(now).resolved(), nil
}

// byHandMail tells the owners that a payment was completed by hand: of each that a member completed, and once a day of
// those that programs do with one key.
func (p Payment) byHandMail(by Actor, now time.Time) mail.Mail {
	id, often := "completed."+string(p.ID), false
	if by.Name == audit.ViaAPI {
		id = fmt.Sprintf("completed.%d.%s", p.KeyID, now.UTC().Format(time.DateOnly))
		often = true
	}
	text := []mail.Words{mail.T("{{.Who}} completed payment {{.ID}} of ${{.Amount}} by hand; final money for ${{.Came}} had "+
		"come.", "Who", by.Name, "ID", p.ID, "Amount", p.Amount, "Came", p.Received().Micros())}
	if by.Reason != "" {
		text = append(text, mail.T("Reason: {{.Reason}}", "Reason", by.Reason).Next())
	}
	if often {
		text = append(text, mail.T("This mail is sent for the first payment of a day that is completed with the key."))
	}
	text = append(text, mail.T("If this was not meant, look at who did it, and change passwords and keys."))
	return mail.Mail{ID: id, Kind: mail.Completed, Key: p.KeyID, At: now}.Of(
		mail.Letter{Subject: mail.T("A payment was completed by hand"), Text: text})
}

// paidByOther returns the transaction of the newest final money, none of which
// counts, and the choice that it paid: the payer's own unless that money came in a
// listed token on a network of the payment.
func (p Payment) paidByOther() (chain.TxHash, Choice) {
	for _, d := range slices.Backward(p.Deposits) {
		t := d.Transfer
		if d.State != DepositFinal {
			continue
		}
		if t.Asset.Token != "" && p.route(t.Network) >= 0 {
			return t.Tx, Choice{Network: t.Network, Token: t.Asset.Token}
		}
		return t.Tx, p.Choice
	}
	return "", p.Choice
}

// Resolve records that the owner has settled what needed attention in another way,
// such as by sending money back. It fails with ErrNothingToResolve otherwise.
func (p Payment) Resolve(by Actor, now time.Time) (Change, error) {
	if len(p.Attention()) == 0 {
		return Change{}, ErrNothingToResolve
	}
	c := Change{Payment: p}
	c.emit(EventResolved, now, note{By: by.Name, Reason: by.Reason})
	return c.resolved(), nil
}

// resolved marks everything that has happened so far as settled by the owner.
func (c Change) resolved() Change {
	c.Payment.Resolved = c.Payment.Seq
	return c
}
