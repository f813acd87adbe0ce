package web

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	refundview "github.com/florinpay/florin/views/refund"
	"github.com/florinpay/florin/web/shell"
)

// Letter writes a mail to who pays, in the language of their checkout (mail.Customer). It returns false where there is
// nothing to say any more: the rest came meanwhile, or can no longer be paid.
func (s *Server) Letter(ctx context.Context, m mail.Mail) (mail.Mail, bool, error) {
	p, err := s.d.Payments.Get(ctx, m.Thread)
	if err != nil {
		return m, false, err
	}
	page := views.Page{Lang: p.Lang}
	shop, err := s.presenter.Merchant(ctx, p)
	if err != nil {
		return m, false, err
	}
	var text string
	m.Lang, m.ReplyTo = p.Lang, shop.SupportEmail
	switch t := payment.EventType(m.Subject); {
	case t == payment.EventCompleted && !p.Reversed():
		m.Subject, text = checkout.ReceiptLetter(s.presenter.Receipt(p, shop, page))
		offer, err := s.presenter.Offer(ctx, p, page.Locale())
		if err != nil {
			return m, false, err
		}
		if offer != "" {
			link := s.d.Refunds.OfferLink(p.ID) + "?lang=" + p.Lang
			text += "\n\n" + page.T("offer.get", "Amount", offer) + "\n" + link
		}
	case t == payment.EventExtended && p.Status == payment.Started && p.Missing() > 0:
		props, err := s.presenter.Props(ctx, p, page, checkout.ViewNow)
		if err != nil {
			return m, false, err
		}
		rest := s.o.CheckoutURL + checkout.PayPath(string(p.ID), p.Lang, checkout.ViewNow)
		m.Subject, text = checkout.RestLetter(props, rest)
	case t.OfRefund():
		if m.Subject, text, err = s.refundLetter(ctx, m, page, shop); err != nil {
			return m, false, err
		}
	}
	m.Text = secret.New(text)
	return m, text != "", nil
}

// refundLetter writes the mail of an event about a refund, which was then as its body says.
func (s *Server) refundLetter(
	ctx context.Context, m mail.Mail, page views.Page, shop views.Merchant,
) (subject, text string, err error) {
	var said struct{ Refund refund.Body }
	if err := json.Unmarshal([]byte(m.Text.Reveal()), &said); err != nil {
		return "", "", err
	}
	r, err := s.d.Refunds.Get(ctx, said.Refund.ID)
	if err != nil {
		return "", "", err
	}
	link := s.d.Refunds.Link(r)
	if page.Lang != "" {
		link += "?lang=" + page.Lang
	}
	subject, text = refundview.Letter(refundview.Props{
		Page: page, Merchant: shop, State: string(said.Refund.Status), Amount: r.Units.Display(r.Asset.Decimals),
		Unit: r.Asset.Symbol, Network: string(r.Asset.Network), Address: string(said.Refund.Address),
		Hash: string(r.Hash), ExplorerURL: s.presenter.TxURL(r.Asset.Network, r.Hash),
	}, link, r.LinkUntil())
	return subject, text, nil
}

// Written writes a mail to a merchant in the language. One of which the language lacks a text stays as it is, in
// English: nobody reads half of it.
func Written(m mail.Mail, lang string) mail.Mail {
	l := views.LocaleFor(lang)
	for _, w := range append(slices.Clip(m.Letter.Text), m.Letter.Subject) {
		if !shell.Knows(l, w) {
			return m
		}
	}
	write := func(w mail.Words) string { return shell.Words(l, w) }
	m.Lang, m.Subject = l.Tag, write(m.Letter.Subject)
	m.Text = secret.New(mail.Join(m.Letter.Text, write))
	return m
}

// LetterHTML is the mail as HTML, for readers that show it.
func LetterHTML(m mail.Mail) (string, error) {
	var b strings.Builder
	err := views.Letter(views.LetterProps{
		Page: views.Page{Lang: m.Lang}, Subject: m.Subject, Text: m.Text.Reveal(),
	}).Render(context.Background(), &b)
	return b.String(), err
}
