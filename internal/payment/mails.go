package payment

import (
	"cmp"
	"fmt"
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
		news, subject = mail.Paid, mail.T("Paid: {{.What}}")
	}
	if subject.Text == "" {
		return list
	}
	return append(list, mail.Mail{
		ID: "news." + e.ID, Kind: news, Key: p.KeyID, Thread: string(p.ID), At: e.At,
	}.Of(mail.Letter{
		Subject: subject.With("What", cmp.Or(p.Reference, "$"+p.Amount.Display())), Text: p.news(e.Type),
	}))
}

// customerReads are the events that a customer is mailed of.
var customerReads = map[EventType]bool{
	EventCompleted: true, EventRefundRequested: true, EventRefundAddress: true, EventRefundFinal: true,
	EventRefundCancelled: true,
}

// needs are the events that a merchant has to settle, each with the subject of its mail.
var needs = map[EventType]mail.Words{
	EventShort: mail.T("Too little was paid: {{.What}}"), EventOver: mail.T("Too much was paid: {{.What}}"),
	EventLate:       mail.T("Paid late: {{.What}}"),
	EventOtherAsset: mail.T("Paid in another token or on another network: {{.What}}"),
	EventDuplicate:  mail.T("An order was paid twice: {{.What}}"),
	EventReorged:    mail.T("The network took a payment back: {{.What}}"),
}

// news says where the payment stands, in a few lines.
func (p Payment) news(t EventType) []mail.Words {
	came := mail.T("Payment {{.ID}} of ${{.Amount}}: {{.Came}} came.")
	if p.Choice.Token != "" {
		came = mail.T("Payment {{.ID}} of ${{.Amount}}: {{.Came}} came in {{.Token}} on {{.Network}}.",
			"Token", p.Choice.Token, "Network", p.Choice.Network.Name())
	}
	text := []mail.Words{came.With("ID", p.ID, "Amount", p.Amount, "Came", p.Arrived().Micros())}
	add := func(w mail.Words) { text = append(text, w.Next()) }
	if !p.Price.None() {
		add(mail.T("Price: {{.Price}}", "Price", fmt.Sprint(p.Price.Amount(), " ", p.Price.Currency)))
	}
	if p.Reference != "" {
		add(mail.T("Reference: {{.Reference}}", "Reference", p.Reference))
	}
	if p.Description != "" {
		add(mail.T("Description: {{.Description}}", "Description", p.Description))
	}
	switch {
	case t == EventDuplicate:
		add(mail.T("The same order was paid before by payment {{.ID}}.", "ID", p.DuplicateOf))
	case t != EventCompleted && p.HasAsked():
		add(mail.T("The customer asks you to accept what came."))
	}
	return text
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
