package merchant

import (
	"cmp"
	"context"
	"strings"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

// known is the name of the key as who acts knows it: its id where it has no label and acts itself.
func (k Key) known(act audit.Act) string {
	if act.Who == audit.ViaAPI {
		return cmp.Or(k.Label, k.PublicID)
	}
	return k.Name()
}

// Record appends an act that changed nothing else to the audit log of a merchant.
func (s *Service) Record(
	ctx context.Context, merchantID int64, action audit.Action, subject, detail string, act audit.Act,
) error {
	r := act.Record(merchantID, action, subject, detail)
	return s.update(ctx, merchantID, func(a Account) (Change, error) { return Change{Account: a, Record: r}, nil })
}

// AuditLog lists the acts on the user's own sign-in and, if the role may read it,
// the acts for the merchant, the newest first, before the entry given (0: from
// the newest).
func (s *Service) AuditLog(ctx context.Context, m Membership, before int64, limit int) ([]audit.Entry, error) {
	merchant := int64(0)
	if m.Role.May(ActAudit) {
		merchant = m.Merchant.ID
	}
	return s.store.AuditLog(ctx, m.User.ID, merchant, before, limit)
}

// keyMails are the mails to the owners about what was changed for a key, one line each, with old and new; none without
// changes.
func (s *Service) keyMails(act audit.Act, key Key, subject mail.Words, changes []string) []mail.Mail {
	if len(changes) == 0 {
		return nil
	}
	said := mail.T("{{.Who}} changed in Florin, for the API key “{{.Key}}”:", "Who", act.Who, "Key", key.Name())
	if act.Who == audit.ViaAPI {
		said = mail.T("These settings were changed in Florin with the API key “{{.Key}}”:", "Key", key.known(act))
	}
	return s.opts.Mail.Owners(act.At, key.UserID, subject, said, mail.Words{}.Then(changes...))
}

// custodianRecord records a change of a custodian, and mails the owners where money and webhooks go, what counts as
// paid, and that a secret changed: a stolen key or session can do that.
func (s *Service) custodianRecord(act audit.Act, key Key, before, after Custodian) audit.Record {
	var r audit.Record
	if act.At.IsZero() {
		return r
	}
	for _, e := range MoneyEntries(key.known(act), before, after) {
		r.Entries = append(r.Entries, act.Entry(key.UserID, e.Action, e.Subject, e.Detail))
	}
	money := mail.T("Where your money goes was changed")
	switch {
	case act.Who == audit.ViaAPI:
	case before.ID == 0:
		money = mail.T("Where your money goes was set")
	case len(after.WalletChanges(before)) == 0:
		money = mail.T("Where your webhooks go was changed")
	}
	shown := after.Shown(before)
	if before.ID == 0 {
		shown = nil // nobody has read anything yet
	}
	for _, x := range []struct {
		subject mail.Words
		changes []string
	}{
		{money, after.Destinations(before)},
		{mail.T("How you accept money was changed"), after.Acceptance(before)},
		{secretMail, after.SharedSecret(before)},
		{shownMail, shown},
	} {
		r.Mails = append(r.Mails, s.keyMails(act, key, x.subject, x.changes)...)
	}
	return r
}

// MoneyEntries returns the audit entries of a changed custodian, with old and new,
// without the actor; secrets are named and not shown. Subject is the key's name.
func MoneyEntries(subject string, before, after Custodian) []audit.Entry {
	var entries []audit.Entry
	add := func(action audit.Action, changes []string) {
		if len(changes) > 0 {
			entries = append(entries, audit.Entry{
				Action: action, Subject: subject, Detail: strings.Join(changes, "\n"),
			})
		}
	}
	add(audit.ActionWallets, after.WalletChanges(before))
	if before.CallbackURL != after.CallbackURL {
		add(audit.ActionCallback, []string{Changed(mail.T("callback"), before.CallbackURL, after.CallbackURL)})
	}
	if before.ID == 0 {
		before.Branding.Theme = ThemeAuto // what a new custodian begins with
	}
	if before.Branding != after.Branding {
		entries = append(entries, audit.Entry{Action: audit.ActionBranding, Subject: subject})
	}
	var rest []string
	if before.Name != after.Name {
		rest = append(rest, Changed(mail.T("name"), before.Name, after.Name))
	}
	rest = append(rest, after.SharedSecret(before)...)
	add(audit.ActionCustodian, append(rest, after.Acceptance(before)...))
	return entries
}

// shownMail is the subject of a mail about a change of what payers read.
var shownMail = mail.T("What your customers read was changed")

// secretMail is the subject of a mail about a change of secrets.
var secretMail = mail.T("A secret of your webhooks was changed")
