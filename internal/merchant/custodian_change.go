package merchant

import (
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

// with returns the custodian changed by the input, or fault.Invalid naming the
// field that breaks a rule. It does not change its arguments, so it may run again.
func (s *Service) with(c Custodian, in CustodianInput) (Custodian, error) {
	steps := []func(*Custodian, CustodianInput) error{
		setName, s.setWallets, s.setCallback, setSecret, setNetworks, setBranding, setPolicy,
	}
	for _, set := range steps {
		if err := set(&c, in); err != nil {
			return Custodian{}, err
		}
	}
	return c, nil
}

func setName(c *Custodian, in CustodianInput) (err error) {
	if in.Name != nil {
		c.Name, err = input.Text("name", *in.Name, input.MaxName)
	}
	return err
}

func (s *Service) setWallets(c *Custodian, in CustodianInput) error {
	wallets := maps.Clone(c.Wallets)
	if wallets == nil {
		wallets = make(map[chain.Network]chain.Address)
	}
	for _, n := range slices.Sorted(maps.Keys(in.Wallets)) {
		field, text := "wallets."+walletField(n), strings.TrimSpace(in.Wallets[n])
		if text == "" {
			delete(wallets, n)
			continue
		}
		w, err := chain.ParseAddress(n, text)
		if err != nil {
			return fault.Within(field, err)
		}
		if token, ok := s.contracts[w.Address]; ok {
			return fault.About(fault.Invalid, field, "is the contract of %s, not a wallet; money sent there is lost", token)
		}
		wallets[n] = w.Address
	}
	c.Wallets = wallets
	return nil
}

// walletField is the API name of the wallet of a network.
func walletField(n chain.Network) string {
	if n == chain.Solana {
		return "solana"
	}
	return n.Lower()
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

func setPolicy(c *Custodian, in CustodianInput) error {
	if in.ShortBasis != nil {
		if *in.ShortBasis < 0 || *in.ShortBasis > MaxShortBasis {
			return fault.About(fault.Invalid, "shortBasis", "must be between 0 and %d hundredths of a percent", MaxShortBasis)
		}
		c.ShortBasis = *in.ShortBasis
	}
	if in.LateFor != nil {
		if *in.LateFor < 0 || *in.LateFor > MaxLateFor || *in.LateFor%time.Second != 0 {
			return fault.About(fault.Invalid, "lateFor", "must be whole seconds between 0 and %d days", MaxLateFor/(24*time.Hour))
		}
		c.LateFor = *in.LateFor
	}
	return nil
}
