package merchant

import (
	"strings"

	"github.com/florinpay/florin/internal/audit"
)

// Direction is a setting that decides where money of a merchant goes, what a shop
// believes of it, or who may change that. All of them pass one gate: in the dashboard
// an owner (ActMoney) who re-authenticates for the change (what payers read: whoever may change it), and over the API a
// key with PermissionCustodian where the owners have not locked the account. Every passage is mailed to all owners and
// audited, with old and new in full.
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
	DirectionShown      Direction = "what payers read: name, line, logo, website, address for questions, and the texts of campaigns and links"
)

// Directions lists what the gate guards. A payment link keeps its key for ever, and a
// rotation never adds a permission, so neither is here.
func Directions() []Direction {
	return []Direction{
		DirectionWallets, DirectionCustodian, DirectionCallback, DirectionSecret, DirectionSigning,
		DirectionAcceptance, DirectionCampaign, DirectionRights, DirectionOwners, DirectionLock, DirectionShown,
	}
}

// OnLocked says what a locked account does with a change: it waits for LockDelay, in
// which every owner is mailed and can stop it, or it is made at once, for a reason.
type OnLocked struct {
	Change string
	AtOnce string // why it does not wait; empty: it waits
}

// LockRules lists what a locked account does with each change that concerns where
// money goes, what a shop believes of it, or who may change that. Over the API the
// custodian does not change at all. All of them but the stop take a passkey or a code.
func LockRules() []OnLocked {
	return []OnLocked{
		{Change: string(DirectionWallets)},
		{Change: string(DirectionCustodian)},
		{Change: string(DirectionCallback)},
		{Change: string(DirectionSecret)},
		{Change: string(DirectionCampaign)},
		{Change: "what counts as paid, loosened"},
		{Change: "what an API key may do or from where, widened"},
		{Change: "who becomes an owner, stops being one, or is removed as one"},
		{Change: "the lock, turned off"},
		{"an invitation as an owner", "it is refused: a member who joined becomes an owner, which waits"},
		{"what counts as paid, made stricter", "it takes goods from nobody, and a network in trouble is left at once"},
		{"what an API key may do, narrowed", "a leaked key must lose its rights at once"},
		{"other roles, members who are no owners", "they move no money and give nobody the right to"},
		{Change: string(DirectionSigning)},
		{Change: "the text of an API key"},
		{Change: "a payment that is completed by hand"},
		{Change: "what payers read, changed"},
		{"a new campaign or link", "nobody visits it before the shop gives out its address; it takes a passkey or a code of an owner"},
		{"a logo that is taken away, the look of the page", "neither tells payers anything"},
		{"an API key that is revoked, an old signing secret that is retired", "a leaked one must end at once"},
		{"a new API key", "it acts for payments of its own, and gets no custodian without a change that waits"},
		{"the lock, turned on, and a change that is stopped", "both only refuse"},
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
