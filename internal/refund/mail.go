package refund

import (
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// mails returns the mails to the payer about a change. Its id is that of the event, so a decision that runs again makes
// the same mail.
func (s *Service) mails(c Change, now time.Time) []mail.Mail {
	to := c.Payment.Payment.CustomerEmail
	if s.d.Mail == nil || to == "" || c.None() {
		return nil
	}
	event := c.Payment.Events[len(c.Payment.Events)-1]
	subject, text := s.words(c.Refund, event.Type)
	if subject == "" {
		return nil
	}
	return []mail.Mail{{
		ID: event.ID, Kind: mail.Plain, To: to, Thread: "refund." + string(c.Refund.ID), Subject: subject,
		Text: secret.New(text), At: now,
	}}
}

// words are the subject and the text about an event; empty where the payer gets no mail.
func (s *Service) words(r Refund, t payment.EventType) (subject, text string) {
	sum := r.Units.Display(r.Asset.Decimals) + " " + r.Asset.Symbol
	network := string(r.Asset.Network)
	if n, ok := s.d.Payments.Network(r.Asset.Network); ok {
		network = n.Profile.Name
	}
	said := map[payment.EventType][2]string{
		payment.EventRefundRequested: {"Your refund of " + sum, fmt.Sprintf("You get back %s of payment %s.\n\n"+
			"Say where it is to go, a wallet of yours on %s:\n%s\n\nThe link is for you alone. It ends on %s.",
			sum, r.PaymentID, network, s.Link(r), r.LinkUntil().UTC().Format("2 January 2006"))},
		payment.EventRefundAddress: {"Where your refund goes", fmt.Sprintf("Your refund of %s goes to this address on %s:"+
			"\n%s\n\nIf that was not you, change it at once:\n%s", sum, network, r.Address.Address, s.Link(r))},
		payment.EventRefundFinal: {"Your refund has arrived", fmt.Sprintf("%s were sent to you on %s:\n%s\n\n"+
			"Transaction:\n%s", sum, network, r.Address.Address, s.txLink(r))},
		payment.EventRefundCancelled: {"Your refund was cancelled", "The shop has cancelled your refund of " + sum +
			" of payment " + string(r.PaymentID) + ". Ask the shop if you did not expect that."},
	}[t]
	return said[0], said[1]
}

// txLink is the explorer's page of the refund's transaction, or its hash.
func (s *Service) txLink(r Refund) string {
	if n, ok := s.d.Payments.Network(r.Asset.Network); ok && r.Hash != "" {
		return n.Profile.TxURL(r.Hash)
	}
	return string(r.Hash)
}
