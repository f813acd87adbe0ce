package payment

import (
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
)

// Standing is where a payment stands for its merchant: its status, refined by
// the money that came.
type Standing string

// The standings.
const (
	StandingNotStarted   Standing = "NOT_STARTED" // the payer has not chosen how to pay
	StandingWaiting      Standing = "WAITING"     // started, and nothing has come
	StandingSeen         Standing = "SEEN"        // money is on the chain and not final yet
	StandingShort        Standing = "SHORT"       // less than was asked for has come
	StandingPaid         Standing = "PAID"
	StandingOver         Standing = "OVER" // paid, with more than was asked for
	StandingLate         Standing = "LATE" // enough came, but after the end
	StandingExpired      Standing = "EXPIRED"
	StandingCancelled    Standing = "CANCELLED"
	StandingReorged      Standing = "REORGED"       // money that had completed it vanished
	StandingReturned     Standing = "RETURNED"      // all of what came was paid back
	StandingPartReturned Standing = "PART_RETURNED" // paid, and a part of what was asked for was paid back
)

// Standing returns where the payment stands for its merchant.
func (p Payment) Standing() Standing {
	left, asked := p.Left(), p.Amount.Atto()
	switch {
	case p.Reorged:
		return StandingReorged
	case p.Status.Final() && p.PaidBack() > 0 && p.Arrived().IsZero():
		return StandingReturned
	case p.Status == Completed && p.Excess() > 0:
		return StandingOver
	case p.Status == Completed && p.Returned() > 0 && left.Cmp(asked) < 0:
		return StandingPartReturned
	case p.Status == Completed:
		return StandingPaid
	case p.hasIncoming():
		return StandingSeen
	case left.Cmp(asked) >= 0 && p.Status.Final():
		return StandingLate
	case !left.IsZero():
		return StandingShort
	}
	return map[Status]Standing{
		Pending: StandingNotStarted, Started: StandingWaiting, Expired: StandingExpired, Cancelled: StandingCancelled,
	}[p.Status]
}

// leastExcess is how much more than was asked for is worth a merchant's
// attention. Wallets round, and strangers send specks.
const leastExcess = money.Micros(10_000) // one cent

// Excess returns the final money beyond what was asked for that was not paid back,
// rounded down; 0 when it is less than a cent.
func (p Payment) Excess() money.Micros {
	if more := p.Received().Sub(p.Amount.Atto()).Micros() - p.Returned(); more >= leastExcess {
		return more
	}
	return 0
}

// Reason is why a payment needs its merchant.
type Reason string

// The reasons, the most urgent first.
const (
	ReasonReorged    Reason = "REORGED"     // money that had completed it vanished
	ReasonLate       Reason = "LATE"        // enough came after the end: accept it or send it back
	ReasonShort      Reason = "SHORT"       // less came than was asked for; it ended, or the payer asks
	ReasonOtherAsset Reason = "OTHER_ASSET" // money came that does not count by itself
	ReasonDuplicate  Reason = "DUPLICATE"   // another payment of its reference was paid before
	ReasonOver       Reason = "OVER"        // more came than was asked for
)

// Reasons lists every reason, the most urgent first.
func Reasons() []Reason {
	return []Reason{ReasonReorged, ReasonLate, ReasonShort, ReasonOtherAsset, ReasonDuplicate, ReasonOver}
}

// Attention returns why the payment needs its merchant, the most urgent first;
// none when nothing does, or when the merchant has resolved it and nothing has
// happened since. Top-ups are the operator's.
func (p Payment) Attention() []Reason {
	if p.Kind == KindTopUp || p.Resolved >= p.Seq {
		return nil
	}
	standing := p.Standing()
	holds := map[Reason]bool{
		ReasonReorged:    p.Reorged,
		ReasonLate:       standing == StandingLate,
		ReasonShort:      standing == StandingShort && (p.Status.Final() || p.HasAsked()),
		ReasonOtherAsset: !p.Uncounted().IsZero(),
		ReasonDuplicate:  p.DuplicateOf != "" && standing != StandingReturned,
		ReasonOver:       p.Status == Completed && p.Excess() > p.Terms.KeepOver,
	}
	return slices.DeleteFunc(Reasons(), func(r Reason) bool { return !holds[r] })
}

// Uncounted returns the final money of listed tokens that came to the payment's
// addresses, does not count and was not paid back, if it is worth a cent.
func (p Payment) Uncounted() money.Atto { return p.uncounted(false) }

func (p Payment) uncounted(open bool) money.Atto {
	var total money.Atto
	for _, d := range p.Deposits {
		if d.State == DepositFinal && !p.Counts(d) {
			total = total.Add(d.Transfer.Asset.Worth(d.Transfer.Units))
		}
	}
	_, returned := p.refunded(open)
	if total = total.Sub(returned); total.Micros() < leastExcess {
		return money.Atto{}
	}
	return total
}

// Sum is how much of one asset came.
type Sum struct {
	Asset chain.Asset
	Units money.Units
}

// UncountedSums returns Uncounted by asset, in the order in which they came, without specks unless all are.
func (p Payment) UncountedSums() (sums []Sum) {
	for _, d := range p.Deposits {
		a := d.Transfer.Asset
		if d.State != DepositFinal || p.Counts(d) || !a.Listed() {
			continue
		}
		i := slices.IndexFunc(sums, func(s Sum) bool { return s.Asset == a })
		if i < 0 {
			i, sums = len(sums), append(sums, Sum{Asset: a})
		}
		sums[i].Units = sums[i].Units.Add(d.Transfer.Units)
	}
	worth := func(s Sum) bool { return s.Asset.Worth(s.Units).Cmp(DustFloor.Atto()) >= 0 }
	if slices.ContainsFunc(sums, worth) {
		sums = slices.DeleteFunc(sums, func(s Sum) bool { return !worth(s) })
	}
	return sums
}

// cameWords names the final money that came, for the audit log (mail.Said): what counts in dollars, the rest as it is.
func (p Payment) cameWords() string {
	var sums []string
	if !p.Left().IsZero() {
		sums = append(sums, mail.Dollars(p.Left().Micros()).Kept())
	}
	if !p.Uncounted().IsZero() {
		for _, s := range p.UncountedSums() {
			sums = append(sums, mail.T("{{.Amount}} on {{.Network}}",
				"Amount", mail.Price(s.Units.Display(s.Asset.Decimals), s.Asset.Symbol),
				"Network", s.Asset.Network.Name()).Kept())
		}
	}
	return strings.Join(sums, " + ")
}

// ByHandWords says what an owner asks for who has the payment completed by hand: with what came, or whatever came.
func (p Payment) ByHandWords(reason string, accept bool) string {
	if accept {
		return mail.T("payment {{.Payment}} is completed with {{.Came}} of {{.Amount}}",
			"Payment", p.ID, "Came", p.cameWords(), "Amount", mail.Dollars(p.Amount)).Kept()
	}
	return mail.T("payment {{.Payment}} of {{.Amount}} is marked as completed: {{.Reason}}",
		"Payment", p.ID, "Amount", mail.Dollars(p.Amount), "Reason", reason).Kept()
}
