package account

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// with returns the custodian with what the input gives, or fault.Invalid
// naming the field that breaks a rule. It changes nothing it was given, so it
// may run again.
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
		c.Name, err = cleanText("name", *in.Name, maxName)
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
			return named(field, err)
		}
		if token, ok := s.contracts[w.Address]; ok {
			return fault.New(fault.Invalid, "%s is the contract of %s, not a wallet; money sent there is lost", field, token)
		}
		wallets[n] = w.Address
	}
	c.Wallets = wallets
	return nil
}

// walletField is how the interface calls the wallet of a network.
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
	if err := checkText("callbackUrl", text, maxURL); err != nil {
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
	// Kept to the letter, space included: the receiver compares it.
	if err := checkText("secret", in.Secret.Reveal(), maxSecret); err != nil {
		return err
	}
	c.Secret = *in.Secret
	return nil
}

func setNetworks(c *Custodian, in CustodianInput) error {
	networks := maps.Clone(c.Networks)
	if networks == nil {
		networks = make(map[chain.Network]NetworkOptions)
	}
	seen := make(map[chain.Network]bool)
	for i, x := range in.Networks {
		field := fmt.Sprintf("networks[%d]", i)
		if _, err := chain.ParseNetwork(string(x.Network)); err != nil {
			return named(field, err)
		}
		if seen[x.Network] {
			return fault.New(fault.Invalid, "%s: %s is listed twice", field, x.Network)
		}
		seen[x.Network] = true
		before, ok := networks[x.Network]
		if !ok {
			before = NetworkOptions{Enabled: true}
		}
		after, err := before.with(x)
		if err != nil {
			return named(field, err)
		}
		networks[x.Network] = after
	}
	c.Networks = networks
	return nil
}

// with returns the options with what the input gives.
func (o NetworkOptions) with(in NetworkInput) (NetworkOptions, error) {
	if in.Enabled != nil {
		o.Enabled = *in.Enabled
	}
	if in.Tokens != nil {
		tokens, err := uniqueTokens(*in.Tokens)
		if err != nil {
			return o, err
		}
		o.Tokens = tokens
	}
	if in.Finality != nil {
		f, err := parseOwnFinality(*in.Finality)
		if err != nil {
			return o, err
		}
		o.Finality = f
	}
	return o.withAmounts(in)
}

func (o NetworkOptions) withAmounts(in NetworkInput) (NetworkOptions, error) {
	for _, a := range []struct {
		field string
		from  *money.Micros
		to    *money.Micros
	}{
		{"minAmount", in.MinAmount, &o.MinAmount},
		{"maxAmount", in.MaxAmount, &o.MaxAmount},
		{"sweepMinAmount", in.SweepMin, &o.SweepMin},
	} {
		if a.from == nil {
			continue
		}
		if *a.from < 0 {
			return o, fault.New(fault.Invalid, "%s must not be negative; 0 means no limit", a.field)
		}
		*a.to = *a.from
	}
	if o.MaxAmount > 0 && o.MinAmount > o.MaxAmount {
		return o, fault.New(fault.Invalid, "minAmount %s must not be greater than maxAmount %s", o.MinAmount, o.MaxAmount)
	}
	return o, nil
}

func uniqueTokens(tokens []money.Token) ([]money.Token, error) {
	for i, t := range tokens {
		if _, err := money.ParseToken(string(t)); err != nil {
			return nil, named("tokens", err)
		}
		if slices.Contains(tokens[:i], t) {
			return nil, fault.New(fault.Invalid, "tokens: %s is listed twice", t)
		}
	}
	return slices.Clone(tokens), nil
}

func parseOwnFinality(text string) (chain.Finality, error) {
	if text = strings.TrimSpace(text); text == "" {
		return chain.Finality{}, nil
	}
	return chain.ParseFinality(text)
}

func setBranding(c *Custodian, in CustodianInput) error {
	if in.Branding == nil {
		return nil
	}
	b, err := c.Branding.with(*in.Branding)
	if err != nil {
		return named("branding", err)
	}
	c.Branding = b
	return nil
}

// with returns the branding with what the input gives.
func (b Branding) with(in BrandingInput) (Branding, error) {
	for _, f := range []struct {
		field string
		from  *string
		to    *string
		clean func(field, text string) (string, error)
	}{
		{"tagline", in.Tagline, &b.Tagline, cleanTagline},
		{"logoUrl", in.LogoURL, &b.LogoURL, cleanWebAddress},
		{"primaryColor", in.PrimaryColor, &b.PrimaryColor, cleanColour},
		{"backgroundColor", in.BackgroundColor, &b.BackgroundColor, cleanColour},
		{"supportEmail", in.SupportEmail, &b.SupportEmail, cleanEmail},
		{"website", in.Website, &b.Website, cleanWebAddress},
	} {
		if f.from == nil {
			continue
		}
		text, err := f.clean(f.field, *f.from)
		if err != nil {
			return b, err
		}
		*f.to = text
	}
	if in.Theme == nil {
		return b, nil
	}
	var err error
	b.Theme, err = parseTheme(*in.Theme)
	return b, err
}

func cleanTagline(field, text string) (string, error) { return cleanText(field, text, maxTagline) }

func parseTheme(t Theme) (Theme, error) {
	switch t {
	case "":
		return ThemeAuto, nil
	case ThemeAuto, ThemeLight, ThemeDark:
		return t, nil
	}
	return "", fault.New(fault.Invalid, "theme must be AUTO, LIGHT or DARK")
}

func setPolicy(c *Custodian, in CustodianInput) error {
	if in.ShortBasis != nil {
		if *in.ShortBasis < 0 || *in.ShortBasis > MaxShortBasis {
			return fault.New(fault.Invalid, "shortBasis must be between 0 and %d hundredths of a percent", MaxShortBasis)
		}
		c.ShortBasis = *in.ShortBasis
	}
	if in.LateFor != nil {
		if *in.LateFor < 0 || *in.LateFor > MaxLateFor || *in.LateFor%time.Second != 0 {
			return fault.New(fault.Invalid, "lateFor must be whole seconds between 0 and %d days", MaxLateFor/(24*time.Hour))
		}
		c.LateFor = *in.LateFor
	}
	return nil
}
