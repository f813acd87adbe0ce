package merchant

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

// Lock locks where money goes, and ends open invitations that would make an owner. A second lock changes nothing.
func (a Account) Lock(now time.Time, r audit.Record) Change {
	if !a.LockedAt.IsZero() {
		return Change{Account: a}
	}
	a.LockedAt, a.Invited = now, slices.Clone(a.Invited)
	for i, n := range a.Invited {
		if n.Role == RoleOwner {
			a.Invited[i].EndedAt = now
		}
	}
	return Change{Account: a, Record: r}
}

// Wait adds a change that waits, or fails with ErrChangeWaits if one of the same kind waits for the same key or
// campaign.
func (a Account) Wait(w Waiting, r audit.Record) (Change, error) {
	if slices.ContainsFunc(a.Waiting, func(x Waiting) bool {
		return x.Kind == w.Kind && x.Subject == w.Subject && (x.KeyID == w.KeyID || w.Kind == WaitingCampaign)
	}) {
		return Change{}, ErrChangeWaits
	}
	w.NextAt, w.State = w.DueAt, StateWaiting
	for _, m := range a.Members {
		if m.Email == w.By {
			w.AuthorID = m.ID
		}
	}
	a.Waiting = append(slices.Clone(a.Waiting), w)
	return Change{Account: a, Record: r}, nil
}

// changeWaiting changes one that waits, or fails with ErrNoChange.
func (a Account) changeWaiting(id string, change func(*Waiting)) (Account, error) {
	at := slices.IndexFunc(a.Waiting, func(w Waiting) bool { return w.ID == id })
	if at < 0 {
		return a, ErrNoChange
	}
	a.Waiting = slices.Clone(a.Waiting)
	change(&a.Waiting[at])
	return a, nil
}

// EndWaiting ends a change that waits, or fails with ErrNoChange.
func (a Account) EndWaiting(id string, state WaitingState, now time.Time, r audit.Record) (Change, error) {
	a, err := a.changeWaiting(id, func(w *Waiting) { w.State, w.EndedAt = state, now })
	return Change{Account: a, Record: r}, err
}

// Postpone makes a change that could not be made due again later. One that has ended stays so.
func (a Account) Postpone(id string, next time.Time) Change {
	a, _ = a.changeWaiting(id, func(w *Waiting) { w.NextAt, w.Attempts = next, w.Attempts+1 })
	return Change{Account: a}
}

// checkDue returns the key that the change is about, if it is about one. It fails with ErrUnknownKey if that is no
// longer in use, with ErrNoChange unless the change waits, and with ErrAuthorGone unless who asked for it is an owner
// still, and not disabled.
func (a Account) checkDue(w Waiting) (Key, error) {
	key, err := a.key(w.KeyID)
	if err != nil && w.KeyID != 0 {
		return Key{}, err
	}
	at := slices.IndexFunc(a.Waiting, func(x Waiting) bool { return x.ID == w.ID })
	if at < 0 {
		return Key{}, ErrNoChange
	}
	for _, m := range a.Members {
		if m.ID == a.Waiting[at].AuthorID && m.Role == RoleOwner && m.DisabledAt.IsZero() {
			return key, nil
		}
	}
	return Key{}, ErrAuthorGone
}

// ends reports whether the change is one of what a member may do.
func (w Waiting) ends(member string) bool {
	return w.Subject == member && (w.Kind == WaitingRole || w.Kind == WaitingRemoval)
}

// Stopped is what is recorded of a change that was stopped by what became of who had asked for it.
func (w Waiting) Stopped(at time.Time, why string) audit.Record {
	return audit.Record{
		Entries: []audit.Entry{audit.Act{Who: w.By, At: at}.Entry(
			w.MerchantID, audit.ActionChangeStop, w.ID,
			mail.Words{Text: why}.Kept()+"\n"+strings.Join(w.Changes, "\n"))},
		Mails: []mail.Mail{mail.Mail{
			ID: "stopped." + w.ID, Kind: mail.Plain, Owners: w.MerchantID, At: at,
		}.Of(mail.Letter{Subject: stoppedMail, Text: []mail.Words{
			mail.T("A change that {{.Who}} had asked for was stopped. Nothing was changed.", "Who", w.By),
			mail.T("Why: {{.Why}}", "Why", mail.English(why)),
			mail.Words{}.Then(w.Changes...),
		}})},
	}
}

// Make makes a change that is due, or fails with ErrNoChange if it was stopped or made, with ErrAuthorGone, or as the
// change does. fresh is the custodian of a key that has none yet; decide says what the custodian becomes.
func (a Account) Make(
	w Waiting, now time.Time, fresh Custodian, decide func(Key, Custodian) (CustodianChange, error),
) (Change, error) {
	to, err := w.Settings()
	if err != nil {
		return Change{}, err
	}
	key, err := a.checkDue(w)
	if err != nil || w.DueAt.After(now) {
		return Change{}, cmp.Or[error](err, ErrNoChange)
	}
	a, _ = a.changeWaiting(w.ID, func(w *Waiting) { w.State, w.EndedAt = StateMade, now })
	before := a.Custodian
	if before.ID == 0 {
		before = fresh
	}
	next, err := decide(key, before)
	if err != nil {
		return Change{}, err
	}
	c := Change{Account: a, Record: next.Record}
	switch w.Kind {
	case WaitingCustodian, WaitingShown, WaitingSigning:
		c.Account.Custodian, c.Logo = next.Custodian, to.Logo
	case WaitingCampaign:
		c.Campaign = &CampaignChange{Slug: w.Subject, KeyID: w.KeyID, Title: to.Title, Text: to.Text, At: now}
	case WaitingRotation:
		return a.Replace(Replacement{
			KeyID: w.KeyID, Old: to.Old, Next: to.Next, Most: RoleOwner.Permissions(), Record: next.Record,
		})
	case WaitingPaid: // it is completed
	case WaitingUnlock:
		c.Account.LockedAt = time.Time{}
	case WaitingRights:
		key.Permissions, key.Sources, key.Confirmed = to.Permissions, to.Sources, true
		c.Account = a.withKey(key)
	case WaitingRole, WaitingRemoval:
		at := slices.IndexFunc(a.Members, func(m Member) bool { return m.PublicID == w.Subject })
		if at < 0 {
			return Change{}, ErrUnknownMember
		}
		role := to.Role
		if w.Kind == WaitingRemoval {
			role = ""
		}
		return a.SetRole(a.Members[at].ID, role, now, next.Record)
	}
	return c, nil
}
