package merchant

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
)

// maxSecret bounds the shared secret, in characters.
const maxSecret = 256

// with returns the custodian changed by the input, or every field that breaks a rule,
// each a fault.Invalid (fault.All). It does not change its arguments, so it may run again.
func (s *Service) with(c Custodian, in CustodianInput) (Custodian, error) {
	steps := []func(*Custodian, CustodianInput) error{
		setName, s.setWallets, s.setCallback, setSecret, setNetworks, setBranding, setPolicy, s.setPricing,
	}
	var wrong []error
	for _, set := range steps {
		wrong = append(wrong, set(&c, in))
	}
	if err := errors.Join(wrong...); err != nil {
		return Custodian{}, err
	}
	return c, nil
}

func setName(c *Custodian, in CustodianInput) (err error) {
	if in.Name != nil {
		if c.Name, err = input.Text("name", *in.Name, input.MaxName); err == nil {
			err = CheckShown("name", c.Name)
		}
	}
	return err
}

func (s *Service) setWallets(c *Custodian, in CustodianInput) error {
	wallets := maps.Clone(c.Wallets)
	if wallets == nil {
		wallets = make(map[chain.Network]chain.Address)
	}
	var wrong []error
	for _, n := range slices.Sorted(maps.Keys(in.Wallets)) {
		field, text := WalletField(n), strings.TrimSpace(in.Wallets[n])
		if text == "" {
			delete(wallets, n)
			continue
		}
		w, err := chain.ParseAddress(n, text)
		token, contract := s.contracts[w.Address]
		switch {
		case err != nil:
			wrong = append(wrong, fault.Within(field, err))
		case contract:
			wrong = append(wrong, fault.About(
				fault.Invalid, field, "is the contract of %s, not a wallet; money sent there is lost", token,
			))
		default:
			wallets[n] = w.Address
		}
	}
	c.Wallets = wallets
	return errors.Join(wrong...)
}

// WalletField is the name of the wallet of a network in refusals, such as wallets.bep20.
func WalletField(n chain.Network) string {
	if n == chain.Solana {
		return "wallets.solana"
	}
	return "wallets." + n.Lower()
}

func (s *Service) setCallback(c *Custodian, in CustodianInput) error {
	if in.CallbackURL == nil {
		return nil
	}
	text := strings.TrimSpace(*in.CallbackURL)
	if text == "" {
		c.CallbackURL = ""
		return nil
	}
	if err := input.CheckText("callbackUrl", text, input.MaxURL); err != nil {
		return err
	}
	if err := s.opts.CheckCallback(text); err != nil {
		return err
	}
	c.CallbackURL = text
	return nil
}

func setSecret(c *Custodian, in CustodianInput) error {
	if in.Secret == nil {
		return nil
	}
	// Stored unchanged, spaces included: the receiver compares it.
	if err := input.CheckText("secret", in.Secret.Reveal(), maxSecret); err != nil {
		return err
	}
	c.Secret = *in.Secret
	return nil
}

func (s *Service) setPricing(c *Custodian, in CustodianInput) error {
	if in.Pricing == nil {
		return nil
	}
	c.Pricing = *in.Pricing
	err := c.Pricing.Check()
	if err == nil && c.Pricing.URL != "" {
		if x := fault.Of(s.opts.CheckCallback(c.Pricing.URL)); x != nil {
			err = x.At("pricing.url")
		}
	}
	return err
}

func setPolicy(c *Custodian, in CustodianInput) error {
	var wrong []error
	if short := in.ShortBasis; short != nil {
		if c.ShortBasis = *short; *short < 0 || *short > MaxShortBasis {
			wrong = append(wrong, fault.About(
				fault.Invalid, "shortBasis", "must be between 0 and %d hundredths of a percent", MaxShortBasis,
			))
		}
	}
	if late := in.LateFor; late != nil {
		if c.LateFor = *late; *late < 0 || *late > MaxLateFor || *late%time.Second != 0 {
			wrong = append(wrong, fault.About(
				fault.Invalid, "lateFor", "must be whole seconds between 0 and %d days", MaxLateFor/(24*time.Hour),
			))
		}
	}
	if over := in.KeepOver; over != nil {
		if c.KeepOver = *over; *over < 0 || *over > MaxKeepOver {
			wrong = append(wrong, fault.About(fault.Invalid, "keepOver", "must be between 0 and %s", MaxKeepOver))
		}
	}
	if in.Repeats != nil {
		c.Repeats = *in.Repeats
	}
	if in.Restarts != nil {
		c.Restarts = *in.Restarts
	}
	if in.OfferRefunds != nil {
		c.OfferRefunds = *in.OfferRefunds
	}
	return errors.Join(wrong...)
}
