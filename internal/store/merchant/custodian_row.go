package merchant

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// Generated statements of a custodian's rows.
var (
	custodians        = db.NewTable[custodianRow]()
	custodianWallets  = db.NewTable[custodianWalletRow]()
	custodianNetworks = db.NewTable[custodianNetworkRow]()
)

// custodianRow is a custodian without wallets and network options.
type custodianRow struct {
	bun.BaseModel `bun:"table:custodians,alias:c"`

	ID              int64 `bun:",pk,autoincrement"`
	PublicID        string
	KeyID           int64
	Name            string
	CallbackURL     string
	Receiver        int64
	Secret          string
	SigningSecrets  string
	Tagline         string
	LogoURL         string
	PrimaryColor    string
	BackgroundColor string
	Theme           string
	SupportEmail    string
	Website         string
	ShortBasis      int64
	Pricing         string
	LateForUs       int64
	CreatedAt       db.Instant
	UpdatedAt       db.Instant
}

type custodianWalletRow struct {
	bun.BaseModel `bun:"table:custodian_wallets,alias:cw"`

	CustodianID int64
	Network     string
	Address     db.Packed
}

type custodianNetworkRow struct {
	bun.BaseModel `bun:"table:custodian_networks,alias:cn"`

	CustodianID int64
	Network     string
	Enabled     bool
	Tokens      string
	MinAmount   int64
	MaxAmount   int64
	Finality    string
	SweepMin    int64
}

// sealCustodian returns the rows of a custodian.
func (s *Store) sealCustodian(c merchant.Custodian) (custodianRow, error) {
	sealed := make([]string, len(c.SigningSecrets))
	for i, t := range c.SigningSecrets {
		sealed[i] = s.sealer.Seal(table.SigningPlace(c.PublicID), t)
	}
	signing, err := json.Marshal(sealed)
	if err != nil {
		return custodianRow{}, err
	}
	pricing := ""
	if c.Pricing != (exchange.Pricing{}) {
		text, err := json.Marshal(c.Pricing)
		if err != nil {
			return custodianRow{}, err
		}
		pricing = string(text)
	}
	return custodianRow{
		Pricing: pricing, ID: c.ID, PublicID: c.PublicID, KeyID: c.KeyID, Name: c.Name, CallbackURL: c.CallbackURL,
		Receiver: int64(webhook.ReceiverOf(c.CallbackURL)),
		Secret:   s.sealer.Seal(table.SecretPlace(c.PublicID), c.Secret), SigningSecrets: string(signing),
		Tagline: c.Branding.Tagline, LogoURL: c.Branding.LogoURL, PrimaryColor: c.Branding.PrimaryColor,
		BackgroundColor: c.Branding.BackgroundColor, Theme: string(c.Branding.Theme),
		SupportEmail: c.Branding.SupportEmail, Website: c.Branding.Website,
		ShortBasis: c.ShortBasis, LateForUs: c.LateFor.Microseconds(),
		CreatedAt: db.At(c.CreatedAt), UpdatedAt: db.At(c.UpdatedAt),
	}, nil
}

// openCustodian returns the custodian without wallets and network options.
func (s *Store) openCustodian(r custodianRow) (merchant.Custodian, error) {
	text, err := s.sealer.Open(table.SecretPlace(r.PublicID), r.Secret)
	if err != nil {
		return merchant.Custodian{}, err
	}
	signing, err := table.OpenSigning(s.sealer, r.PublicID, r.SigningSecrets)
	if err != nil {
		return merchant.Custodian{}, err
	}
	var pricing exchange.Pricing
	if r.Pricing != "" {
		if err := json.Unmarshal([]byte(r.Pricing), &pricing); err != nil {
			return merchant.Custodian{}, err
		}
	}
	return merchant.Custodian{
		Pricing: pricing, ID: r.ID, PublicID: r.PublicID, KeyID: r.KeyID, Name: r.Name, CallbackURL: r.CallbackURL,
		Secret: text, SigningSecrets: signing,
		Branding: merchant.Branding{
			Tagline: r.Tagline, LogoURL: r.LogoURL, PrimaryColor: r.PrimaryColor, BackgroundColor: r.BackgroundColor,
			Theme: merchant.Theme(r.Theme), SupportEmail: r.SupportEmail, Website: r.Website,
		},
		ShortBasis: r.ShortBasis, LateFor: time.Duration(r.LateForUs) * time.Microsecond,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

func walletRows(c merchant.Custodian) []custodianWalletRow {
	var rows []custodianWalletRow
	for n, address := range c.Wallets {
		if address != "" {
			rows = append(rows, custodianWalletRow{CustodianID: c.ID, Network: string(n), Address: db.Packed(address)})
		}
	}
	return rows
}

func networkRows(c merchant.Custodian) []custodianNetworkRow {
	var rows []custodianNetworkRow
	for n, o := range c.Networks {
		finality := ""
		if o.Finality != (chain.Finality{}) {
			finality = o.Finality.String()
		}
		rows = append(rows, custodianNetworkRow{
			CustodianID: c.ID, Network: string(n), Enabled: o.Enabled, Tokens: table.JoinTokens(o.Tokens),
			MinAmount: int64(
				o.MinAmount,
			), MaxAmount: int64(o.MaxAmount), Finality: finality, SweepMin: int64(o.SweepMin),
		})
	}
	return rows
}

// options returns what a merchant wants of one network.
func (r custodianNetworkRow) options() (merchant.NetworkOptions, error) {
	o := merchant.NetworkOptions{
		Enabled: r.Enabled, Tokens: table.SplitTokens(r.Tokens),
		MinAmount: money.Micros(r.MinAmount), MaxAmount: money.Micros(r.MaxAmount), SweepMin: money.Micros(r.SweepMin),
	}
	if r.Finality == "" {
		return o, nil
	}
	var err error
	o.Finality, err = chain.ParseFinality(r.Finality)
	return o, err
}
