package merchant

import (
	"strings"

	"github.com/florinpay/florin/internal/audit"
)

// Direction is a setting that decides where money of a merchant goes, what a shop
// believes of it, or who may change that. All of them pass one gate: in the dashboard
// an owner (ActMoney) who re-authenticates for the change, and over the API a key with
// PermissionCustodian where the owners have not locked the account. Every passage is
// mailed to all owners and audited, with old and new in full.
type Direction string

// The directions. A settlement wallet of a payment is fixed when the payment starts,
// and the wallet registered on a key when the key is made: neither can be changed.
const (
	DirectionWallets    Direction = "the settlement wallets of a key"
	DirectionCustodian  Direction = "a custodian for a key of an account that has one"
	DirectionCallback   Direction = "the callback address"
	DirectionSecret     Direction = "the shared secret of webhooks"
	DirectionSigning    Direction = "the signing secret of webhooks"
	DirectionAcceptance Direction = "what counts as paid, and when it is final"
	DirectionCampaign   Direction = "the API key of a campaign"
	DirectionRights     Direction = "what an API key may do, and from where"
	DirectionOwners     Direction = "who is an owner"
	DirectionLock       Direction = "the lock of the account"
)

// Directions lists what the gate guards. A payment link keeps its key for ever, and a
// rotation never adds a permission, so neither is here.
func Directions() []Direction {
	return []Direction{
		DirectionWallets, DirectionCustodian, DirectionCallback, DirectionSecret, DirectionSigning,
		DirectionAcceptance, DirectionCampaign, DirectionRights, DirectionOwners, DirectionLock,
	}
}

// MoneyEntries returns the audit entries of a changed custodian, with old and new,
// without the actor; secrets are named and not shown. Subject is the key's name.
func MoneyEntries(subject string, before, after Custodian) []audit.Entry {
	var entries []audit.Entry
	add := func(action audit.Action, changes []string) {
		if len(changes) > 0 {
			entries = append(entries, audit.Entry{
				Action: action, Subject: subject, Detail: strings.Join(changes, ", "),
			})
		}
	}
	add(audit.ActionWallets, after.WalletChanges(before))
	if before.CallbackURL != after.CallbackURL {
		add(audit.ActionCallback, []string{orNone(before.CallbackURL) + " → " + orNone(after.CallbackURL)})
	}
	if before.ID == 0 {
		before.Branding.Theme = ThemeAuto // what a new custodian begins with
	}
	if before.Branding != after.Branding {
		entries = append(entries, audit.Entry{Action: audit.ActionBranding, Subject: subject})
	}
	var rest []string
	if before.Name != after.Name {
		rest = append(rest, "name "+orNone(before.Name)+" → "+orNone(after.Name))
	}
	rest = append(rest, after.SharedSecret(before)...)
	add(audit.ActionCustodian, append(rest, after.Acceptance(before)...))
	return entries
}
