package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// CreateCustodian makes the custodian of a key. It takes one credit.
func (o *Operations) CreateCustodian(
	ctx context.Context, in model.CustodianCreateInput,
) (*model.CustodianResult, error) {
	return o.changeCustodian(
		ctx, "createCustodianAccount", model.CustodianUpdateInput(in), o.d.Merchants.CreateCustodian,
	)
}

// UpdateCustodian changes what is given of the key's custodian. It takes one
// credit.
func (o *Operations) UpdateCustodian(
	ctx context.Context, in model.CustodianUpdateInput,
) (*model.CustodianResult, error) {
	update := func(
		ctx context.Context, key merchant.Key, in merchant.CustodianInput, act audit.Act,
	) (merchant.Custodian, secret.Text, error) {
		c, err := o.d.Merchants.UpdateCustodian(ctx, key, in, act)
		return c, secret.Text{}, err
	}
	return o.changeCustodian(ctx, "updateCustodianDetails", in, update)
}

// custodianChange makes or changes the custodian of a key.
type custodianChange func(
	context.Context, merchant.Key, merchant.CustodianInput, audit.Act,
) (merchant.Custodian, secret.Text, error)

func (o *Operations) changeCustodian(
	ctx context.Context, name string, in model.CustodianUpdateInput, change custodianChange,
) (*model.CustodianResult, error) {
	apiKey := secret.New(in.APIKey)
	key, err := o.caller(ctx, apiKey, merchant.PermissionCustodian)
	if err != nil {
		return nil, err
	}
	locked, err := o.d.Merchants.Locked(ctx, key.UserID)
	if err == nil && locked {
		err = merchant.ErrLocked
	}
	if err != nil {
		return nil, err
	}
	wanted, err := custodianInput(in)
	if err != nil {
		return nil, err
	}
	in.APIKey = "" // the rest is what was read
	var warnings []string
	made := func(m merchant.CustodianWrite) *model.CustodianResult {
		left := int(m.Left.Credits)
		shown := o.custodian(m.Custodian)
		shown.APIKey, shown.SigningSecret = echo(apiKey), optional(m.Signing.Reveal())
		return &model.CustodianResult{
			Message:   strings.Join(warnings, " "),
			Custodian: shown, APIKey: &model.APIKey{Key: echo(apiKey), CreditsLeft: &left},
		}
	}
	place := scope{keyID: key.ID, operation: name}
	return once(ctx, o, place, in, made, func(w write) (out merchant.CustodianWrite, err error) {
		before, err := o.d.Merchants.Custodian(ctx, key.ID)
		if err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
			return out, err
		}
		// The warnings read from networks, so they are written before the transaction.
		for _, x := range o.d.Merchants.WalletWarnings(ctx, before, merchant.Custodian{Wallets: wanted.Addresses()}) {
			warnings = append(warnings, x.String())
		}
		if out.Custodian, out.Signing, err = change(ctx, key, wanted, w.keptBy(o.by(ctx, key))); err == nil {
			out.Left, err = o.d.Merchants.Balance(ctx, key.ID)
		}
		return out, err
	})
}

// custodianInput reads the arguments. Null counts as left out: many clients
// send null for fields they do not set, which must not delete a wallet.
func custodianInput(in model.CustodianUpdateInput) (merchant.CustodianInput, error) {
	out := merchant.CustodianInput{Name: in.Name, CallbackURL: in.CallbackURL, Wallets: wallets(in.Wallets)}
	if in.Secret != nil {
		s := secret.New(*in.Secret)
		out.Secret = &s
	}
	for i, n := range in.Networks {
		network, err := networkInput(fmt.Sprintf("networks[%d].", i), *n)
		if err != nil {
			return merchant.CustodianInput{}, err
		}
		out.Networks = append(out.Networks, network)
	}
	if b := in.Branding; b != nil {
		out.Branding = &merchant.BrandingInput{
			Tagline: b.Tagline, LogoURL: b.LogoURL, PrimaryColor: b.PrimaryColor, BackgroundColor: b.BackgroundColor,
			Theme: (*merchant.Theme)(b.Theme), SupportEmail: b.SupportEmail, Website: b.Website,
		}
	}
	return out, nil
}

func wallets(in *model.CustodianWalletsInput) map[chain.Network]string {
	if in == nil {
		return nil
	}
	out := make(map[chain.Network]string)
	for n, address := range map[chain.Network]*string{
		chain.BEP20: in.Bep20, chain.Polygon: in.Polygon, chain.Base: in.Base, chain.Solana: in.Solana,
	} {
		if address != nil {
			out[n] = *address
		}
	}
	return out
}

func networkInput(path string, in model.CustodianNetworkInput) (merchant.NetworkInput, error) {
	out := merchant.NetworkInput{Network: chain.Network(in.Network), Enabled: in.Enabled, Finality: in.Finality}
	if in.Tokens != nil {
		tokens := make([]money.Token, len(in.Tokens))
		for i, t := range in.Tokens {
			tokens[i] = money.Token(t)
		}
		out.Tokens = &tokens
	}
	for _, limit := range []struct {
		name string
		from *model.Decimal
		to   **money.Micros
	}{
		{"minAmount", in.MinAmount, &out.MinAmount},
		{"maxAmount", in.MaxAmount, &out.MaxAmount},
		{"sweepMinAmount", in.SweepMinAmount, &out.SweepMin},
	} {
		if limit.from == nil {
			continue
		}
		text, err := limit.from.Text(path + limit.name)
		if err != nil {
			return out, err
		}
		m, err := merchant.ParseLimit(path+limit.name, text)
		if err != nil {
			return out, err
		}
		*limit.to = &m
	}
	return out, nil
}

// custodian writes a custodian as the interface shows it. Its secret is never
// shown again.
func (o *Operations) custodian(c merchant.Custodian) *model.Custodian {
	out := &model.Custodian{
		ID: c.PublicID, Name: optional(c.Name), CallbackURL: optional(c.CallbackURL), CreatedAt: model.At(c.CreatedAt),
		Wallets: &model.CustodianWallets{
			Bep20: optional(string(c.Wallets[chain.BEP20])), Polygon: optional(string(c.Wallets[chain.Polygon])),
			Base: optional(string(c.Wallets[chain.Base])), Solana: optional(string(c.Wallets[chain.Solana])),
		},
		Networks: []*model.CustodianNetwork{},
		Branding: &model.CustodianBranding{
			Tagline: optional(c.Branding.Tagline), LogoURL: optional(o.logoURL(c.Branding)),
			PrimaryColor: optional(c.Branding.PrimaryColor), BackgroundColor: optional(c.Branding.BackgroundColor),
			Theme:        theme(c.Branding.Theme),
			SupportEmail: optional(c.Branding.SupportEmail), Website: optional(c.Branding.Website),
		},
	}
	for _, n := range chain.Networks() {
		if x, ok := c.Networks[n]; ok {
			out.Networks = append(out.Networks, custodianNetwork(n, x))
		}
	}
	return out
}

func theme(t merchant.Theme) model.Theme {
	if t == "" {
		return model.ThemeAuto
	}
	return model.Theme(t)
}

func custodianNetwork(n chain.Network, o merchant.NetworkOptions) *model.CustodianNetwork {
	out := &model.CustodianNetwork{
		Network: model.Network(n), Enabled: o.Enabled, Tokens: []model.Token{},
		MinAmount: limit(o.MinAmount), MaxAmount: limit(o.MaxAmount), SweepMinAmount: limit(o.SweepMin),
	}
	for _, t := range o.Tokens {
		out.Tokens = append(out.Tokens, model.Token(t))
	}
	if o.Finality != (chain.Finality{}) {
		out.Finality = optional(o.Finality.String())
	}
	return out
}

func limit(m money.Micros) *model.Decimal {
	if m == 0 {
		return nil
	}
	d := model.DecimalOf(m)
	return &d
}

// logoURL is the whole address of a logo; an uploaded one is served by us.
func (o *Operations) logoURL(b merchant.Branding) string {
	if b.Uploaded() {
		return o.d.CheckoutURL + b.LogoURL
	}
	return b.LogoURL
}
