package refund

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// ID is a refund's public identifier, a ULID.
type ID string

// Status is where a refund stands.
type Status string

// The statuses.
const (
	Requested    Status = "REQUESTED"     // the payer has not said where to
	AddressGiven Status = "ADDRESS_GIVEN" // the merchant may send it
	Sent         Status = "SENT"          // the merchant named its transaction
	Final        Status = "FINAL"         // the money is there, and cannot be taken back
	Cancelled    Status = "CANCELLED"
)

// Refund is money to be paid back to a payer.
type Refund struct {
	ID        ID
	PaymentID payment.ID
	KeyID     int64 // the API key that owns the payment
	// Asset is what it is paid back in: what came, on the network that it came on.
	Asset  chain.Asset
	Units  money.Units
	Reason string
	Status Status
	// Address is where the payer wants it; zero until given. Proven: the wallet that paid has signed for it.
	Address chain.Watched
	Proven  bool
	// Hash is the transaction that the merchant named, and of a final refund the one that settled it, with the
	// ordinal of its transfer in it.
	Hash    chain.TxHash
	Ordinal int

	CreatedAt time.Time
	AddressAt time.Time // when the address was given last; zero until then
	AskedAt   time.Time // when the merchant's wallet was asked to send it; zero: it was not
	FinalAt   time.Time // when the transfer was found to be final
	// Scanned is the block up to which its address was read; 0: not yet.
	Scanned uint64
	// Others are final transfers of its token to its address that have paid no refund, the oldest first: another
	// amount, which does not count.
	Others []Other
}

// Other is a transfer of another amount.
type Other struct {
	Hash    chain.TxHash `json:"hash"`
	Ordinal int          `json:"ordinal"`
	Amount  string       `json:"amount"` // in whole tokens
}

// mostOthers bounds the transfers of other amounts that are kept for a refund, and leastOther is what is worth it, in
// micro-tokens: anyone can send dust, and each costs a look-up.
const (
	mostOthers = 5
	leastOther = money.Micros(10_000)
)

// LinkFor is how long the payer may give an address by the link of a refund.
const LinkFor = 30 * 24 * time.Hour

// LinkUntil is when the link of the payer ends.
func (r Refund) LinkUntil() time.Time { return r.CreatedAt.Add(LinkFor) }

// Open reports whether money may still be sent for it.
func (r Refund) Open() bool { return r.Status != Final && r.Status != Cancelled }

// Payable reports whether it waits for the merchant's transfer.
func (r Refund) Payable() bool { return r.Status == AddressGiven || r.Status == Sent }

// Amount is the amount in whole tokens, exactly.
func (r Refund) Amount() string { return r.Units.Format(r.Asset.Decimals) }

// Fits reports whether the transfer pays the refund: exactly its token and amount, to its address, after it was
// requested, by the clock of the chain, which counts whole seconds.
func (r Refund) Fits(t chain.Transfer) bool { return r.reaches(t) && t.Units.Cmp(r.Units) == 0 }

// reaches is Fits with any amount.
func (r Refund) reaches(t chain.Transfer) bool {
	return t.Network == r.Asset.Network && t.Asset.Contract == r.Asset.Contract && t.To == r.Address.Address &&
		!t.Block.Time.Before(r.CreatedAt.Truncate(time.Second))
}

// Concerns reports whether the transfer has to be looked up for the refund: it pays it, it is the sum of several of
// which one may (Solana), or it is another amount that the merchant is to see.
func (r Refund) Concerns(t chain.Transfer) bool {
	more := t.Units.Cmp(r.Units)
	return r.Payable() && r.reaches(t) && (more == 0 || more > 0 && t.Network == chain.Solana || r.misses(t))
}

// misses reports whether the transfer of another amount is to be kept and is not yet.
func (r Refund) misses(t chain.Transfer) bool {
	return r.Payable() && r.reaches(t) && len(r.Others) < mostOthers &&
		t.Units.Cmp(leastOther.Units(r.Asset.Decimals)) >= 0 && !slices.ContainsFunc(r.Others, func(o Other) bool {
		return o.Hash == t.Tx && o.Ordinal == t.Ordinal
	})
}

// took reports whether the transfer has settled the refund.
func (r Refund) took(t chain.Transfer) bool {
	return r.Status == Final && r.Asset.Network == t.Network && r.Hash == t.Tx && r.Ordinal == t.Ordinal
}

// Pair is a refund and the transfer that settles it.
type Pair struct {
	Refund   Refund
	Transfer chain.Transfer
}

// Match says which of the final transfers settles which of the refunds: each the oldest open one that it fits, once.
// The refunds are all of their addresses, final ones too, since their transfers are spent.
func Match(refunds []Refund, transfers []chain.Transfer) (pairs []Pair) {
	open := slices.Clone(refunds)
	slices.SortFunc(open, func(a, b Refund) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	})
	for _, t := range inOrder(transfers) {
		if slices.ContainsFunc(refunds, func(r Refund) bool { return r.took(t) }) {
			continue
		}
		i := slices.IndexFunc(open, func(r Refund) bool { return r.Payable() && r.Fits(t) })
		if i < 0 {
			continue
		}
		pairs = append(pairs, Pair{open[i], t})
		open = slices.Delete(open, i, i+1)
	}
	return pairs
}

// Strays are the transfers that have paid none of the refunds, which are all of their addresses, each with the oldest
// open one that has not kept it.
func Strays(refunds []Refund, transfers []chain.Transfer) (pairs []Pair) {
	for _, t := range inOrder(transfers) {
		if slices.ContainsFunc(refunds, func(r Refund) bool { return r.took(t) || r.Payable() && r.Fits(t) }) {
			continue
		}
		if i := slices.IndexFunc(refunds, func(r Refund) bool { return r.Payable() && r.reaches(t) }); i >= 0 {
			if r := refunds[i]; r.misses(t) {
				pairs = append(pairs, Pair{r, t})
			}
		}
	}
	return pairs
}

// inOrder returns the transfers in the order of the chain, each once.
func inOrder(transfers []chain.Transfer) []chain.Transfer {
	list := slices.Clone(transfers)
	slices.SortFunc(list, func(a, b chain.Transfer) int {
		if a.Block.Number != b.Block.Number {
			return cmp.Compare(a.Block.Number, b.Block.Number)
		}
		if a.Tx != b.Tx {
			return cmp.Compare(a.Tx, b.Tx)
		}
		return cmp.Compare(a.Ordinal, b.Ordinal)
	})
	return slices.CompactFunc(list, func(a, b chain.Transfer) bool { return a.ID() == b.ID() })
}
