package dashboard

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// verdict says in a sentence or two where a payment stands, and what its merchant
// can do where it needs one.
func verdict(ctx context.Context, p payment.Payment, back refund.Back, now time.Time) string {
	if back.All {
		return joined(backText(ctx, back)...)
	}
	all := append(standing(ctx, p, back, now), backText(ctx, back)...)
	all = append(all, uncountedText(ctx, p))
	if p.DuplicateOf != "" {
		all = append(all, views.T(ctx, "Another payment with the reference {{.Reference}} was paid before: "+
			"send one of the two back, or deliver twice.", "Reference", p.Reference))
	}
	if p.HasAsked() && p.Acceptable() {
		all = append(all, views.T(ctx, "Your customer asks you to accept it."))
	}
	return joined(all...)
}

// joined are the sentences that are not empty.
func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// backText says what goes back to the payer, the furthest first.
func backText(ctx context.Context, b refund.Back) (all []string) {
	say := func(amount money.Micros, text string) {
		if amount > 0 {
			all = append(all, text)
		}
	}
	arrived := views.T(ctx, "{{.Amount}} of it was sent back.", "Amount", dollars(ctx, b.Arrived))
	if b.All {
		arrived = views.T(ctx, "All of it was sent back: {{.Amount}}.", "Amount", dollars(ctx, b.Arrived))
	}
	say(b.Arrived, arrived)
	say(b.Sent, views.T(ctx, "{{.Amount}} is on its way back.", "Amount", dollars(ctx, b.Sent)))
	say(b.Ready, views.T(ctx, "{{.Amount}} is to be sent back: send it below.", "Amount", dollars(ctx, b.Ready)))
	say(b.Asked, views.T(ctx, "{{.Amount}} is to be sent back, once your customer says where to.",
		"Amount", dollars(ctx, b.Asked)))
	return all
}

// standing says where a payment stands.
func standing(ctx context.Context, p payment.Payment, back refund.Back, now time.Time) []string {
	asked, way := dollars(ctx, p.Amount), func(m money.Micros) string { return inWay(ctx, p, m) }
	switch p.Standing() {
	case payment.StandingNotStarted:
		return []string{views.T(ctx, "Your customer has not chosen how to pay yet."), timeLeft(ctx, p.ExpiresAt, now)}
	case payment.StandingWaiting:
		wait := views.T(ctx, "Waiting for {{.Amount}}.", "Amount", way(p.Amount))
		return []string{wait, timeLeft(ctx, p.ExpiresAt, now)}
	case payment.StandingSeen:
		return []string{views.T(ctx, "{{.Amount}} has been sent. Wait until it is final before you deliver.",
			"Amount", way(p.Incoming().Micros()))}
	case payment.StandingShort, payment.StandingLate:
		return arrivedText(ctx, p, now)
	case payment.StandingPaid, payment.StandingPartReturned, payment.StandingReturned:
		if p.ByHand {
			return []string{views.T(ctx, "You completed it by hand. {{.Amount}} was received.",
				"Amount", dollars(ctx, p.Received().Micros()))}
		}
		came := p.Amount
		if p.Returned() > 0 { // a part of all that came
			came = p.Received().Micros()
		}
		return []string{views.T(ctx, "Paid: {{.Amount}}.", "Amount", way(came))}
	case payment.StandingOver:
		rest := back.Rest(p.Excess())
		if rest == 0 {
			return []string{views.T(ctx, "Paid: {{.Amount}}.", "Amount", way(p.Received().Micros()))}
		}
		return []string{views.T(ctx, "Paid, with {{.More}} more than the {{.Amount}} you asked for. "+
			"Send the rest back, or keep it if your customer agrees.", "More", dollars(ctx, rest), "Amount", asked)}
	case payment.StandingExpired:
		return []string{views.T(ctx, "No money arrived in time.")}
	case payment.StandingCancelled:
		return []string{views.T(ctx, "It was cancelled before any money arrived.")}
	case payment.StandingReorged:
		return []string{views.T(ctx, "The network took money of this payment back after it was paid. "+
			"Do not deliver before it has arrived again.")}
	}
	return nil
}

// arrivedText says what arrived where it is too little or too late.
func arrivedText(ctx context.Context, p payment.Payment, now time.Time) []string {
	args := []any{
		"Received", dollars(ctx, p.Left().Micros()), "Amount", dollars(ctx, p.Amount),
		"Missing", dollars(ctx, p.Missing()),
	}
	short, cancelled := p.Standing() == payment.StandingShort, p.Status == payment.Cancelled
	switch {
	case short && !p.Status.Final():
		return []string{
			views.T(ctx, "{{.Received}} of {{.Amount}} arrived; {{.Missing}} is missing.", args...),
			timeLeft(ctx, p.ExpiresAt, now),
		}
	case short && cancelled:
		return []string{views.T(ctx, "{{.Received}} of {{.Amount}} arrived before the payment was cancelled. "+
			"Accept it as the whole, or send it back.", args...)}
	case short:
		return []string{views.T(ctx, "{{.Received}} of {{.Amount}} arrived before the payment expired. "+
			"Accept it as the whole, or send it back.", args...)}
	case cancelled:
		return []string{views.T(ctx, "{{.Received}} arrived after the payment was cancelled. "+
			"Accept it and deliver, or send it back.", args...)}
	}
	return []string{views.T(ctx, "{{.Received}} arrived after the payment expired. "+
		"Accept it and deliver, or send it back.", args...)}
}

// inWay is an amount in the way that the customer chose, if they have.
func inWay(ctx context.Context, p payment.Payment, m money.Micros) string {
	if p.Choice.Network == "" {
		return dollars(ctx, m)
	}
	return views.T(ctx, "{{.Amount}} in {{.Token}} on {{.Network}}", "Amount", dollars(ctx, m),
		"Token", string(p.Choice.Token), "Network", views.Face(string(p.Choice.Network)).Short)
}

func dollars(ctx context.Context, m money.Micros) string { return panel.Dollars(ctx, m.Display()) }

// cents are the dollars of a figure, to the nearest cent: what was priced in another currency has six decimal places.
func cents(m money.Micros) money.Micros { return (m + cent/2) / cent * cent }

const cent = money.USD / 100

func timeLeft(ctx context.Context, t, now time.Time) string {
	if !t.After(now) {
		return views.T(ctx, "Your customer has time until Florin has checked the networks once more.")
	}
	return views.T(ctx, "Your customer has time for {{.Time}}.", "Time", panel.Span(ctx, t.Sub(now)))
}

// uncountedText names money that came and does not count by itself.
func uncountedText(ctx context.Context, p payment.Payment) string {
	if p.Uncounted().IsZero() {
		return ""
	}
	sums := listed(ctx, uncounted(ctx, p))
	if p.Status == payment.Completed {
		return views.T(ctx, "{{.Sums}} arrived, which was not asked for. It goes to your wallet; send it back, or "+
			"keep it if your customer agrees.", "Sums", sums)
	}
	return views.T(ctx, "{{.Sums}} arrived, which was not asked for. It goes to your wallet; accept it as payment, "+
		"or send it back.", "Sums", sums)
}

// listed joins what is named: A, B and C.
func listed(ctx context.Context, all []string) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return views.T(ctx, "{{.Some}} and {{.Last}}", "Some", views.LocaleOf(ctx).Comma(all[:last]...), "Last", all[last])
}

// uncounted are the sums that came and do not count by themselves, in words: one for each asset, without specks.
func uncounted(ctx context.Context, p payment.Payment) (sums []string) {
	for _, x := range p.UncountedSums() {
		a := x.Asset
		sums = append(sums, onNetwork(ctx, x.Units.Display(a.Decimals), a.Symbol, views.Face(string(a.Network)).Short))
	}
	return sums
}

// onNetwork is an amount of a token on a network.
func onNetwork(ctx context.Context, plain, token, network string) string {
	return views.T(ctx, "{{.Amount}} on {{.Network}}",
		"Amount", views.LocaleOf(ctx).Amount(plain)+" "+token, "Network", network)
}

// senders are the addresses that money of the payment came from, once each, the newest first; without the zero address,
// which money comes from where a bridge has minted it: what is sent there is lost.
func senders(p payment.Payment) []string {
	const most = 5
	var all []string
	seen := map[string]bool{}
	for i := len(p.Deposits) - 1; i >= 0 && len(all) < most; i-- {
		d := p.Deposits[i]
		from := string(d.Transfer.From)
		if d.State != payment.DepositFinal || d.Folded() || from == "" || seen[from] {
			continue
		}
		seen[from] = true
		if _, err := chain.ParseAddress(d.Transfer.Network, from); err != nil {
			continue
		}
		all = append(all, from)
	}
	return all
}
