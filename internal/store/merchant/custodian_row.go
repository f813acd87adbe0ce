package merchant

import (
	"encoding/json"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// Generated statements of a custodian's rows.
var (
	custodians = db.NewTable[custodianRow]("custodians", `
		number:  id
		fixed:   public_id key_id created_at
		changes: name callback_url secret=Sealed signing_secrets=Signing tagline=Branding.Tagline logo_url=Branding.LogoURL
		         primary_color=Branding.PrimaryColor background_color=Branding.BackgroundColor theme=Branding.Theme
		         support_email=Branding.SupportEmail website=Branding.Website legal_name=Branding.LegalName
		         legal_address=Branding.LegalAddress tax_id=Branding.TaxID short_basis late_for_us=LateFor keep_over
		         repeats restarts offer_refunds pricing updated_at receiver`)
	custodianWallets  = db.NewTable[custodianWalletRow]("custodian_wallets", "fixed: custodian_id network address/bytes")
	custodianNetworks = db.NewTable[custodianNetworkRow]("custodian_networks",
		"fixed: custodian_id network enabled tokens min_amount max_amount finality=Rule sweep_min")

	updateCustodian = custodians.Update("id")
)

// custodianRow is a custodian without wallets and network options.
type custodianRow struct {
	merchant.Custodian

	Receiver        webhook.ReceiverID
	Sealed, Signing string // Secret and SigningSecrets
}

type custodianWalletRow struct {
	CustodianID int64
	Network     chain.Network
	Address     chain.Address
}

type custodianNetworkRow struct {
	merchant.NetworkOptions

	CustodianID int64
	Network     chain.Network
	Rule        string // Finality
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
	return custodianRow{
		Custodian: c, Receiver: webhook.ReceiverOf(c.CallbackURL), Signing: string(signing),
		Sealed: s.sealer.Seal(table.SecretPlace(c.PublicID), c.Secret),
	}, nil
}

// openCustodian returns the custodian without wallets and network options.
func (s *Store) openCustodian(r custodianRow) (merchant.Custodian, error) {
	var err error
	if r.Secret, err = s.sealer.Open(table.SecretPlace(r.PublicID), r.Sealed); err != nil {
		return merchant.Custodian{}, err
	}
	r.SigningSecrets, err = table.OpenSigning(s.sealer, r.PublicID, r.Signing)
	return r.Custodian, err
}

func walletRows(c merchant.Custodian) []custodianWalletRow {
	var rows []custodianWalletRow
	for n, address := range c.Wallets {
		if address != "" {
			rows = append(rows, custodianWalletRow{c.ID, n, address})
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
		rows = append(rows, custodianNetworkRow{o, c.ID, n, finality})
	}
	return rows
}

// options returns what a merchant wants of one network.
func (r custodianNetworkRow) options() (merchant.NetworkOptions, error) {
	o, err := r.NetworkOptions, error(nil)
	if r.Rule != "" {
		o.Finality, err = chain.ParseFinality(r.Rule)
	}
	return o, err
}
