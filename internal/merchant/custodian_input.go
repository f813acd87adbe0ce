package merchant

import (
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// CustodianInput is a change of a custodian. A nil pointer, or a network that is in
// no map or list, leaves the stored value. An empty text clears its field; an amount
// of 0 removes its limit.
type CustodianInput struct {
	Name        *string                  // at most 100 characters
	Wallets     map[chain.Network]string // settlement wallets
	CallbackURL *string                  // https
	Secret      *secret.Text             // at most 256 characters; travels in webhook bodies
	Networks    []NetworkInput           // each network at most once
	Branding    *BrandingInput
	// ShortBasis is by how many hundredths of a percent a payment may fall
	// short and still complete: 0 to MaxShortBasis.
	ShortBasis *int64
	// LateFor is for how long after expiry money still completes a payment:
	// whole seconds, 0 to MaxLateFor.
	LateFor *time.Duration
	// KeepOver is up to how much more than was asked for is kept without a question: 0 to MaxKeepOver.
	KeepOver *money.Micros
	// Repeats says that references repeat by design.
	Repeats *bool
	// Restarts says that customers may start expired orders again.
	Restarts *bool
	// OfferRefunds says that payers are offered back what came too much, too late or in another token.
	OfferRefunds *bool
	// Pricing is about the rates of prices in other currencies. Its address must be public, as a callback's.
	Pricing *exchange.Pricing
	// AsOf is Custodian.UpdatedAt of the custodian that the user saw; a write in between is ErrChangedMeanwhile. The
	// zero time writes whatever is stored.
	AsOf time.Time
}

// Bounds of the acceptance policy.
const (
	// MaxShortBasis is 10 %: beyond it a discount is meant, not a rounding.
	MaxShortBasis = 1_000
	// MaxLateFor is for how long addresses stay watched after the end.
	MaxLateFor = 30 * 24 * time.Hour
	// MaxKeepOver: beyond it a customer has mistyped, and expects the rest back.
	MaxKeepOver = 100 * money.USD
)

// NetworkInput is a change of the options of one network.
type NetworkInput struct {
	Network   chain.Network
	Enabled   *bool
	Tokens    *[]money.Token // each at most once; empty: all
	MinAmount *money.Micros
	MaxAmount *money.Micros
	Finality  *string // chain.ParseFinality; empty: the network's own
	SweepMin  *money.Micros
}

// BrandingInput is a change of the branding.
type BrandingInput struct {
	Tagline         *string // at most 160 characters
	LogoURL         *string // https
	PrimaryColor    *string // #rgb or #rrggbb
	BackgroundColor *string
	Theme           *Theme // empty: AUTO
	SupportEmail    *string
	Website         *string // https
	// LegalName, LegalAddress and TaxID have at most 200 characters each.
	LegalName, LegalAddress, TaxID *string
}

// ParseLimit parses an amount limit as money.ParseMicros does, but accepts 0, which
// means no limit.
func ParseLimit(field, text string) (money.Micros, error) {
	if text == "0" || text == "0.0" || text == "0.00" {
		return 0, nil
	}
	return money.ParseMicros(field, text)
}

// Addresses are the wallets that the input sets, as they will be stored. What is no
// address is left out: the change is refused.
func (in CustodianInput) Addresses() map[chain.Network]chain.Address {
	out := make(map[chain.Network]chain.Address)
	for n, text := range in.Wallets {
		if a, err := chain.ParseAddress(n, strings.TrimSpace(text)); err == nil {
			out[n] = a.Address
		}
	}
	return out
}
