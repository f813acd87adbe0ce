package merchant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// LockDelay is how long a change of where money goes waits on a locked account: long
// enough for an owner to read their mail.
const LockDelay = 24 * time.Hour

// Refusals about locked accounts.
var (
	ErrLocked = fault.New(fault.Forbidden, "the owners of this account locked where its money goes: the custodian changes in the dashboard only, and after 24 hours")
	// ErrOwnerLater: an invitation would make an owner without the owners having time to object.
	ErrOwnerLater = fault.About(fault.Conflict, "role", "must not be owner on a locked account: invite them in another role, and make them an owner once they have joined, which takes 24 hours")
	// ErrNoMail: owners could not stop a change that they do not hear of.
	ErrNoMail      = fault.New(fault.Conflict, "this installation sends no mail, and a change of a locked account is stopped by a mail: its operator has to set FLORIN_SMTP_URL first")
	ErrChangeWaits = fault.New(fault.Conflict, "a change of this waits already; stop it before you make another one")
	// ErrAuthorGone: who asked for a change was disabled, demoted or removed before it fell due.
	ErrAuthorGone = fault.New(fault.Forbidden, "who asked for it is no owner of this account any more")
	// ErrOwnEnd: an owner who is to go could hold that up for ever.
	ErrOwnEnd = fault.New(fault.Forbidden, "another owner has to stop this: it is about you")
	// ErrNoChange: it was stopped or made already, or never was.
	ErrNoChange = fault.New(fault.NotFound, "there is no such change that waits: it was stopped, or made already")
)

// WaitingKind says what a waiting change changes.
type WaitingKind string

// The kinds. Their texts are stored.
const (
	WaitingCustodian WaitingKind = "custodian" // wallets, callback, shared secret, what counts as paid
	WaitingCampaign  WaitingKind = "campaign"  // the API key of a campaign
	WaitingUnlock    WaitingKind = "unlock"    // the lock itself
	WaitingRights    WaitingKind = "rights"    // what an API key may do, and from where
	WaitingRole      WaitingKind = "role"      // who becomes an owner, or stops being one
	WaitingRemoval   WaitingKind = "removal"   // an owner who is removed
	WaitingShown     WaitingKind = "shown"     // what payers read: name, line, logo, website, address for questions
	WaitingRotation  WaitingKind = "rotation"  // the text of an API key
	WaitingSigning   WaitingKind = "signing"   // the signing secret of webhooks
	WaitingPaid      WaitingKind = "paid"      // a payment that is completed by hand
)

// What completes "a change of …".
func (k WaitingKind) What() string {
	switch k {
	case WaitingRights:
		return "what an API key may do"
	case WaitingRole, WaitingRemoval:
		return "who owns the account"
	case WaitingUnlock:
		return "the lock of the account"
	case WaitingShown:
		return "what your customers read"
	case WaitingRotation:
		return "the text of an API key"
	case WaitingSigning:
		return "the signing secret of your webhooks"
	case WaitingPaid:
		return "what counts as paid"
	case WaitingCustodian, WaitingCampaign:
	}
	return "where your money goes"
}

// WaitingState says what became of a change. Its text is stored.
type WaitingState string

// The states.
const (
	StateWaiting WaitingState = "WAITING"
	StateMade    WaitingState = "MADE"
	StateStopped WaitingState = "STOPPED"
	StateFailed  WaitingState = "FAILED" // it could not be made
)

// Waiting is a change of where money goes that waits for LockDelay, because the
// owners locked the account.
type Waiting struct {
	ID         string // ULID
	MerchantID int64
	Token      identity.Hash // stops it
	KeyID      int64         // whose custodian or rights are changed, or which a campaign gets; 0 for others
	Kind       WaitingKind
	Subject    string   // slug of the campaign, public id of the member, or txnid of the payment; empty for others
	Changes    []string // what changes, one line each, with old and new
	AuthorID   int64    // the owner who asked for it, and must still be one when it is made
	By         string   // their e-mail address
	CreatedAt  time.Time
	DueAt      time.Time
	NextAt     time.Time // when it is made, or tried again
	State      WaitingState
	EndedAt    time.Time // zero while it waits
	// Attempts is how often it could not be made.
	Attempts int
	// Body is what is set, which the store seals. Only a change that is due has it, or Unread: why it cannot be read.
	Body   secret.Text
	Unread error
}

// Locked reports whether the owners locked where the money of the account goes.
func (s *Service) Locked(ctx context.Context, merchantID int64) (bool, error) {
	return s.store.Locked(ctx, merchantID)
}

// Lock locks where the money of the account goes. The caller has checked that an
// owner asks, who re-authenticated. It fails with ErrNoMail: what stops a change is
// the link of a mail.
func (s *Service) Lock(ctx context.Context, merchantID int64, act audit.Act) error {
	if !s.opts.Mail.Enabled() {
		return ErrNoMail
	}
	r := act.Record(merchantID, audit.ActionLock, mail.T("wallets").Kept(), "", s.opts.Mail.Owners(
		act.At, merchantID, mail.T("Your wallets are locked"),
		mail.T("{{.Who}} locked where the money of your Florin merchant account goes. A change takes 24 hours from now on, "+
			"and you get a mail that stops it.", "Who", act.Who))...)
	return s.update(ctx, merchantID, func(a Account) (Change, error) { return a.Lock(s.now().UTC(), r), nil })
}

// Preview returns the custodian before and after the input, which it checks as
// ArrangeCustodian does.
func (s *Service) Preview(ctx context.Context, key Key, in CustodianInput) (before, after Custodian, err error) {
	if err := s.checkInput(ctx, key, in); err != nil {
		return Custodian{}, Custodian{}, err
	}
	before, err = s.store.Custodian(ctx, key.ID)
	if err != nil && !errors.Is(err, ErrNoCustodian) {
		return Custodian{}, Custodian{}, err
	}
	after, err = s.with(before, in)
	return before, after, err
}

// Wait stores a change that is made after LockDelay unless an owner stops it, and mails every owner a link that does so
// without signing in. w says what is changed, to the settings; subject names it. It fails with ErrChangeWaits.
func (s *Service) Wait(ctx context.Context, w Waiting, to NewSettings, subject string, act audit.Act) error {
	now := s.now().UTC()
	body, err := json.Marshal(to.stored()) //nolint:gosec // the store seals it
	if err != nil {
		return fmt.Errorf("write a change that waits: %w", err)
	}
	token, hash := identity.ChangeToken.New(s.opts.Random)
	w.ID, w.Token, w.By, w.Body, w.CreatedAt = s.newID(now), hash, act.Who, secret.New(string(body)), now
	w.DueAt = now.Add(LockDelay)
	subjectLine := mail.T("In 24 hours a change is made: {{.What}}", "What", mail.English(w.Kind.What()))
	asked := mail.T("{{.Who}} asked Florin to change, for “{{.Subject}}”:", "Who", w.By, "Subject", subject)
	changes := mail.Words{}.Then(w.Changes...)
	mails := s.opts.Mail.Owners(act.At, w.MerchantID, subjectLine, asked, changes,
		mail.T("It is made on {{.Due}}. Stop it here, without signing in:", "Due", w.DueAt).
			Then(s.opts.Mail.Link("/stop?token="+token.Reveal())))
	if w.ends(w.Subject) { // whom it is about must not stop it
		for i := range mails {
			mails[i].Except = to.Member
		}
		mails = append(mails, s.opts.Mail.To(act.At, to.Member, subjectLine, asked, changes,
			mail.T("It is made on {{.Due}}. Another owner can stop it.", "Due", w.DueAt))...)
	}
	r := act.Record(w.MerchantID, audit.ActionChangeWaits, subject, strings.Join(w.Changes, "\n"), mails...)
	return s.update(ctx, w.MerchantID, func(a Account) (Change, error) { return a.Wait(w, r) })
}

// Waiting lists the changes that wait, the oldest first.
func (s *Service) Waiting(ctx context.Context, merchantID int64) ([]Waiting, error) {
	a, err := s.store.Account(ctx, By{ID: merchantID})
	return a.Waiting, err
}

// WaitingBy returns the change that the token stops, or ErrNoChange.
func (s *Service) WaitingBy(ctx context.Context, token string) (Waiting, error) {
	h, ok := identity.ChangeToken.Hash(token)
	if !ok {
		return Waiting{}, ErrNoChange
	}
	a, err := s.store.Account(ctx, By{Token: h})
	if err != nil {
		return Waiting{}, err
	}
	if at := slices.IndexFunc(a.Waiting, func(w Waiting) bool { return w.Token == h }); at >= 0 {
		return a.Waiting[at], nil
	}
	return Waiting{}, ErrNoChange
}

// StopWaiting stops a change of the merchant, or fails with ErrNoChange, or with ErrOwnEnd where it ends what the user
// may do.
func (s *Service) StopWaiting(ctx context.Context, merchantID int64, id string, by identity.User, act audit.Act) error {
	r := act.Record(merchantID, audit.ActionChangeStop, id, "", s.opts.Mail.Owners(act.At, merchantID, stoppedMail,
		mail.T("{{.Who}} stopped a change of where your money goes. Nothing was changed.", "Who", act.Who))...)
	return s.update(ctx, merchantID, func(a Account) (Change, error) {
		if slices.ContainsFunc(a.Waiting, func(w Waiting) bool { return w.ID == id && w.ends(by.PublicID) }) {
			return Change{}, ErrOwnEnd
		}
		return a.EndWaiting(id, StateStopped, s.now().UTC(), r)
	})
}

// StopByLink stops the change of the token without signing in, and returns it; or fails with ErrNoChange.
func (s *Service) StopByLink(ctx context.Context, token string, act audit.Act) (Waiting, error) {
	w, err := s.WaitingBy(ctx, token)
	if err != nil {
		return Waiting{}, err
	}
	act.Who = mail.T("link in a mail").Text
	r := act.Record(w.MerchantID, audit.ActionChangeStop, w.ID, strings.Join(w.Changes, "\n"), s.opts.Mail.Owners(
		act.At, w.MerchantID, stoppedMail,
		mail.T("The link of a mail stopped a change of where your money goes. Nothing was changed."),
		mail.Words{}.Then(w.Changes...))...)
	return w, s.update(ctx, w.MerchantID, func(a Account) (Change, error) {
		return a.EndWaiting(w.ID, StateStopped, s.now().UTC(), r)
	})
}

var stoppedMail = mail.T("A change was stopped")

// apply makes a change that is due. Its rule and its entries are written in one
// transaction with the mark that it was made, so it is made once.
func (s *Service) apply(ctx context.Context, w Waiting) error {
	to, err := w.Settings()
	if err != nil {
		return err
	}
	fresh, _, err := s.newCustodian(Key{ID: w.KeyID}, CustodianInput{})
	if err != nil {
		return err
	}
	now := s.now().UTC()
	if w.Kind == WaitingPaid {
		// Another transaction than that which ends the change: done again, it finds the payment completed.
		if err := s.completeWaiting(ctx, w, to); err != nil {
			return err
		}
	}
	_, err = s.store.UpdateAccount(ctx, w.MerchantID, w.KeyID, func(a Account) (Change, error) {
		return a.Make(w, now, fresh, func(key Key, before Custodian) (CustodianChange, error) {
			return s.settle(w, to, key, before, now)
		})
	})
	return err
}

// settle is what a change that is due makes of the custodian of its key, and what it leaves.
func (s *Service) settle(w Waiting, to NewSettings, key Key, before Custodian, now time.Time) (CustodianChange, error) {
	after, err := s.with(before, to.Custodian)
	after.UpdatedAt = now
	if to.Logo != nil {
		after = to.Logo.Of(after)
	}
	if !to.Signing.Empty() {
		after.SigningSecrets = newestSigning(to.Signing, before)
	}
	if before.ID == 0 {
		before = Custodian{} // a fresh one: everything of it is new
	}
	act := audit.Act{Who: w.By, At: now}
	r := audit.Record{Mails: s.opts.Mail.Owners(now, w.MerchantID,
		mail.T("A change was made: {{.What}}", "What", mail.English(w.Kind.What())),
		mail.T("The 24 hours are over. {{.Who}} changed in Florin:", "Who", w.By), mail.Words{}.Then(w.Changes...))}
	for _, e := range w.entries(key, to, before, after) {
		r.Entries = append(r.Entries, act.Entry(w.MerchantID, e.Action, e.Subject, e.Detail))
	}
	return CustodianChange{after, r}, err
}

// entries are what the audit log says of a change that was made.
func (w Waiting) entries(key Key, to NewSettings, before, after Custodian) []audit.Entry {
	entry := audit.Entry{Detail: strings.Join(w.Changes, "\n")}
	switch w.Kind {
	case WaitingCampaign:
		entry.Action, entry.Subject = audit.ActionCampaign, w.Subject
	case WaitingUnlock:
		entry = audit.Entry{Action: audit.ActionUnlock, Subject: mail.T("wallets").Kept()}
	case WaitingRights:
		entry.Action, entry.Subject = audit.ActionPermitKey, key.Name()
	case WaitingRole:
		entry.Action, entry.Subject = audit.ActionTeamRole, to.Member
	case WaitingRemoval:
		entry.Action, entry.Subject = audit.ActionTeamRemove, to.Member
	case WaitingRotation:
		entry.Action, entry.Subject = audit.ActionRotateKey, key.Name()
	case WaitingSigning:
		entry.Action, entry.Subject = audit.ActionSigningSecret, key.Name()
	case WaitingPaid:
		entry.Action, entry.Subject = audit.ActionMarkCompleted, w.Subject
	case WaitingShown:
		entry.Action, entry.Subject = audit.ActionBranding, key.Name()
	case WaitingCustodian:
		return MoneyEntries(key.Name(), before, after)
	}
	return []audit.Entry{entry}
}
