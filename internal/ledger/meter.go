package ledger

import "github.com/florinpay/florin/internal/fault"

// Meter says whether operations cost credits and queries (FLORIN_CREDITS). The
// zero value is Metered.
type Meter string

// The meters.
const (
	Metered Meter = "metered" // operations debit the key, and a key without credits is refused
	Free    Meter = "free"    // operations cost nothing and are never refused
)

// Charge returns the entries to post for operations that cost the given ones.
// On a Free installation each is preceded by a grant of the same count: the
// ledger records the use, the balance stays, and nothing is refused or held.
func (m Meter) Charge(costs ...Entry) []Entry {
	if m != Free {
		return costs
	}
	var all []Entry
	for _, e := range costs {
		if id, hold := e.To.HeldID(); hold {
			e.To = Spent
			all = append(all, Grant(id, e.Unit, e.Count, ReasonFree, "free:"+e.Ref, e.At))
		} else if id, ok := e.From.KeyID(); ok {
			all = append(all, Grant(id, e.Unit, e.Count, ReasonFree, "free:"+e.Ref, e.At))
		}
		all = append(all, e)
	}
	return all
}

// Affords returns nil if a key with the balance can pay one unit, or the refusal.
func (m Meter) Affords(b Balance, unit Unit) error {
	left := b.Credits
	if unit == Query {
		left = b.Queries
	}
	if m == Free || left > 0 {
		return nil
	}
	return Shortage(unit)
}

// IsLow reports whether a key with so many credits left needs more soon.
func (m Meter) IsLow(credits int64) bool { return m != Free && IsLow(credits) }

// ErrNotSold refuses to sell what no operation needs.
var ErrNotSold = fault.New(fault.Conflict, "nothing is metered on this installation, so no credits are sold").Because(fault.ReasonCreditsNotSold)

// Sells returns nil if the installation sells credits, and ErrNotSold otherwise.
func (m Meter) Sells() error {
	if m == Free {
		return ErrNotSold
	}
	return nil
}
