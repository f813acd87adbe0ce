package payment

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// mostRests is how many mails a customer gets, at most, about what is still missing of one payment: anybody can send
// it small sums.
const mostRests = 5

// mails are those that an event causes, each with the event's id in its own: a decision that runs again makes the same
// ones. What a customer reads is written when it is sent, in their language.
func (p Payment) mails(e Event) (list []mail.Mail) {
	if p.Kind == KindTopUp {
		return nil
	}
	if p.CustomerEmail != "" && customerReads[e.Type] {
		m := mail.Mail{
			ID: e.ID, Kind: mail.Customer, To: p.CustomerEmail, Thread: string(p.ID), Subject: string(e.Type), At: e.At,
		}
		if e.Type.OfRefund() {
			m.Text = secret.New(string(e.Data))
		}
		list = append(list, m)
	}
	news, subject := mail.Attention, needs[e.Type]
	if e.Type == EventCompleted && !p.ByHand { // owners are mailed of the others (byHandMail)
		news, subject = mail.Paid, "Paid"
	}
	if subject == "" {
		return list
	}
	return append(list, mail.Mail{
		ID: "news." + e.ID, Kind: news, Key: p.KeyID, Thread: string(p.ID), At: e.At,
		Subject: subject + ": " + cmp.Or(p.Reference, "$"+p.Amount.Display()), Text: secret.New(p.news(e.Type)),
	})
}

// customerReads are the events that a customer is mailed of.
var customerReads = map[EventType]bool{
	EventCompleted: true, EventRefundRequested: true, EventRefundAddress: true, EventRefundFinal: true,
	EventRefundCancelled: true,
}

// needs are the events that a merchant has to settle, each with the subject of its mail.
var needs = map[EventType]string{
	EventShort: "Too little was paid", EventOver: "Too much was paid", EventLate: "Paid late",
	EventOtherAsset: "Paid in another token or on another network", EventDuplicate: "An order was paid twice",
	EventReorged: "The network took a payment back",
}

// news says where the payment stands, in a few lines.
func (p Payment) news(t EventType) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Payment %s of $%s", p.ID, p.Amount.Display())
	if !p.Price.None() {
		fmt.Fprintf(&b, " (%s %s)", p.Price.Amount(), p.Price.Currency)
	}
	fmt.Fprintf(&b, ": %s came", p.Arrived().Micros().Display())
	if p.Choice.Token != "" {
		fmt.Fprintf(&b, " in %s on %s", p.Choice.Token, p.Choice.Network)
	}
	b.WriteString(".")
	if p.Reference != "" {
		b.WriteString("\nReference: " + p.Reference)
	}
	if p.Description != "" {
		b.WriteString("\nDescription: " + p.Description)
	}
	switch {
	case t == EventDuplicate:
		fmt.Fprintf(&b, "\nThe same order was paid before by payment %s.", p.DuplicateOf)
	case t != EventCompleted && p.HasAsked():
		b.WriteString("\nThe customer asks you to accept what came.")
	}
	return b.String()
}

// askForRest is the mail to a customer whose money fell short, while the rest can still be paid. Whether it can is
// seen again when it is sent.
func (p Payment) askForRest(now time.Time) []mail.Mail {
	came := 0
	for _, d := range p.Deposits {
		if d.State == DepositFinal && p.Counts(d) {
			came++
		}
	}
	if p.CustomerEmail == "" || p.Status != Started || p.Missing() == 0 || came > mostRests {
		return nil
	}
	return []mail.Mail{{
		ID: "rest." + EventID(p.ID, p.Seq), Kind: mail.Customer, To: p.CustomerEmail, Thread: string(p.ID),
		Subject: string(EventExtended), At: now,
	}}
}
