package payment

import (
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
	what := p.asked()
	if p.Reference != "" {
		what += " · " + p.Reference
	}
	return append(list, mail.Mail{
		ID: "news." + e.ID, Kind: news, Key: p.KeyID, Thread: string(p.ID), At: e.At,
	}.Of(mail.Letter{
		Subject: subject.With("What", what), Text: p.news(e.Type),
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

// asked is what the payment asks for: its price, if that was given in another currency.
func (p Payment) asked() string {
	if p.Price.None() {
		return mail.Dollars(p.Amount).Kept()
	}
	return mail.Price(p.Price.Amount(), string(p.Price.Currency)).Kept()
}

// news says where the payment stands: what is to be decided, and a line for each fact.
func (p Payment) news(t EventType) (text []mail.Words) {
	switch {
	case t == EventDuplicate:
		text = append(text, mail.T("The same order was paid before by payment {{.ID}}.", "ID", p.DuplicateOf))
	case t != EventCompleted && p.HasAsked():
		text = append(text, mail.T("The customer asks you to accept what came."))
	}
	came := p.cameWords()
	if p.Uncounted().IsZero() && p.Choice.Token != "" {
		came = mail.T("{{.Amount}} on {{.Network}}", "Network", p.Choice.Network.Name(),
			"Amount", mail.Price(p.Received().Micros().Display(), string(p.Choice.Token))).Kept()
	}
	for i, x := range []struct {
		name  mail.English
		value string
	}{
		{"Amount", p.asked()},
		{"Received", came},
		{"Reference", p.Reference},
		{"Description", p.Description},
		{"Payment", string(p.ID)},
	} {
		if x.value != "" {
			w := mail.T("{{.Name}}: {{.Value}}", "Name", x.name, "Value", x.value)
			w.Near = i > 0
			text = append(text, w)
		}
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
