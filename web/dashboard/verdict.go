package dashboard

import (
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// verdict says in a sentence or two where a payment stands, and what its merchant
// can do where it needs one.
func verdict(p payment.Payment, now time.Time) string {
	asked, received := "$"+p.Amount.Display(), "$"+p.Received().Micros().Display()
	how := ""
	if p.Choice.Network != "" {
		how = " in " + string(p.Choice.Token) + " on " + views.Face(string(p.Choice.Network)).Short
	}
	text := ""
	switch p.Standing() {
	case payment.StandingNotStarted:
		text = "Your customer has not chosen how to pay yet. There is time " + until(p.ExpiresAt, now) + "."
	case payment.StandingWaiting:
		text = "Waiting for " + asked + how + ". Your customer has time " + until(p.ExpiresAt, now) + "."
	case payment.StandingSeen:
		text = "$" + p.Incoming().Micros().Display() + how + " has been sent. Wait until it is final before you deliver."
	case payment.StandingShort:
		text = received + " of " + asked + " arrived"
		if p.Status.Final() {
			text += " before the payment " + ending(p) + ". Accept it as the whole, or send it back."
		} else {
			text += "; $" + p.Missing().Display() + " is missing. Your customer has time " + until(
				p.ExpiresAt, now,
			) + "."
		}
	case payment.StandingPaid:
		text = "Paid: " + asked + how + "."
		if p.ByHand {
			text = "You completed it by hand. " + received + " was received."
		}
	case payment.StandingOver:
		text = "Paid, with $" + p.Excess().Display() + " more than the " + asked + " you asked for. Send the rest back, or keep it if your customer agrees."
	case payment.StandingLate:
		text = received + " arrived after the payment " + ending(p) + ". Accept it and deliver, or send it back."
	case payment.StandingExpired:
		text = "No money arrived in time."
	case payment.StandingCancelled:
		text = "It was cancelled before any money arrived."
	case payment.StandingReorged:
		text = "The network took money of this payment back after it was paid. Do not deliver before it has arrived again."
	}
	if p.DuplicateOf != "" {
		text += " Another payment with the reference " + p.Reference + " was paid before: send one of the two back, or " +
			"deliver twice."
	}
	if other := uncountedText(p); other != "" {
		text += " " + other
	}
	if p.HasAsked() && p.Acceptable() {
		text += " Your customer asks you to accept it."
	}
	return text
}

func ending(p payment.Payment) string {
	if p.Status == payment.Cancelled {
		return "was cancelled"
	}
	return "expired"
}

func until(t, now time.Time) string {
	if !t.After(now) {
		return "until Florin has checked the networks once more"
	}
	return "for " + panel.Span(t.Sub(now))
}

// uncountedText names money that came and does not count by itself.
func uncountedText(p payment.Payment) string {
	if p.Uncounted().IsZero() {
		return ""
	}
	text := strings.Join(uncounted(p), " and ") + " arrived"
	if !p.Received().IsZero() {
		text += " too"
	}
	text += ", which was not asked for. It goes to your wallet; "
	if p.Status == payment.Completed {
		return text + "send it back, or keep it if your customer agrees."
	}
	return text + "accept it as payment, or send it back."
}

// uncounted are the sums that came and do not count by themselves, in words: one for each asset, without specks.
func uncounted(p payment.Payment) (sums []string) {
	units := map[chain.Asset]money.Units{}
	var assets []chain.Asset // in the order in which they came
	for _, d := range p.Deposits {
		if a := d.Transfer.Asset; d.State == payment.DepositFinal && !p.Counts(d) && a.Listed() {
			if _, known := units[a]; !known {
				assets = append(assets, a)
			}
			units[a] = units[a].Add(d.Transfer.Units)
		}
	}
	worth := slices.DeleteFunc(slices.Clone(assets), func(a chain.Asset) bool {
		return a.Worth(units[a]).Cmp(payment.DustFloor.Atto()) < 0
	})
	if len(worth) > 0 { // or each is a speck, and their sum is not
		assets = worth
	}
	for _, a := range assets {
		sums = append(sums, units[a].Display(a.Decimals)+" "+a.Symbol+" on "+views.Face(string(a.Network)).Short)
	}
	return sums
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
