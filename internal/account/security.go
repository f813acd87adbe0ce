package account

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Refusals of what guards an account.
var (
	ErrNeedCode      = fault.New(fault.Unauthorized, "this account is protected by a second factor: totp is missing; give the code your authenticator shows, or a recovery code")
	ErrBadCode       = fault.New(fault.Unauthorized, "the code is wrong or was used already; wait for the next one")
	ErrBadPassword   = fault.New(fault.Invalid, "the password is wrong")
	ErrHasFactor     = fault.New(fault.Conflict, "a second factor is in force already; remove it first")
	ErrNoFactor      = fault.New(fault.Conflict, "no second factor was set up in this session; begin again")
	ErrUnknownLogin  = fault.New(fault.NotFound, "there is no such session")
	ErrBadReset      = fault.New(fault.Invalid, "this link has been used or is too old; ask for a new one")
	ErrBadInvitation = fault.New(fault.Forbidden, "this invitation has been used, is too old, or is for another address")
)

// SecondFactor is a user's authenticator.
type SecondFactor struct {
	UserID      int64
	Secret      secret.Text // base32, as authenticators take it
	Session     Hash        // of the token of the session that sets it up; zero once it is in force
	CreatedAt   time.Time
	ConfirmedAt time.Time // zero: shown, but not in force
	LastStep    int64     // time step of the last code that was taken
}

// InForce reports whether signing in asks for it.
func (f SecondFactor) InForce() bool { return !f.ConfirmedAt.IsZero() }

// Login is one of a user's sessions, without the token.
type Login struct {
	ID        string // names it to its owner; tells nothing about the token
	CreatedAt time.Time
	ExpiresAt time.Time
	UserAgent string
}

// Audit is one line of what was done to an account. It holds no secret.
type Audit struct {
	ID      int64
	UserID  int64 // whose account it is about
	At      time.Time
	Actor   string // e-mail address of who did it
	Action  Action
	Subject string // what it was done to
	Detail  string
	Address string // where from; may be empty
}

// Action is what was done.
type Action string

// The actions.
const (
	ActionSignUp         Action = "signed up"
	ActionSignIn         Action = "signed in"
	ActionSignOut        Action = "signed out"
	ActionPassword       Action = "changed the password"
	ActionReset          Action = "reset the password"
	ActionFactorOn       Action = "turned the second factor on"
	ActionFactorOff      Action = "turned the second factor off"
	ActionRecovery       Action = "used a recovery code"
	ActionPasskeyAdd     Action = "added a passkey"
	ActionPasskeyName    Action = "renamed a passkey"
	ActionPasskeyRemove  Action = "removed a passkey"
	ActionPasskeyCopied  Action = "tried a passkey whose counter went back"
	ActionRevokeSession  Action = "ended a session"
	ActionCreateKey      Action = "created an API key"
	ActionRotateKey      Action = "rotated an API key"
	ActionRelabelKey     Action = "renamed an API key"
	ActionRevokeKey      Action = "revoked an API key"
	ActionCustodian      Action = "changed the custodian"
	ActionWallets        Action = "changed settlement wallets"
	ActionCallback       Action = "changed the callback address"
	ActionSigningSecret  Action = "rotated the signing secret"
	ActionBranding       Action = "changed the branding"
	ActionCreatePayment  Action = "created a payment"
	ActionCampaignNew    Action = "created a campaign"
	ActionCampaign       Action = "changed a campaign"
	ActionCampaignPause  Action = "paused a campaign"
	ActionCampaignResume Action = "resumed a campaign"
	ActionCampaignEnd    Action = "ended a campaign"
	ActionModerate       Action = "reviewed what donors wrote"
	ActionLinkNew        Action = "created a payment link"
	ActionLinkPause      Action = "paused a payment link"
	ActionLinkResume     Action = "resumed a payment link"
	ActionCancelPayment  Action = "cancelled a payment"
	ActionMarkCompleted  Action = "marked a payment as completed"
	ActionAccept         Action = "accepted short or late money"
	ActionResendWebhooks Action = "sent webhooks again"
	ActionTopUp          Action = "bought credits"
	ActionRecharge       Action = "bought queries"
	ActionExport         Action = "exported payments"
	ActionInvite         Action = "invited somebody"
	ActionDisableUser    Action = "disabled a user"
	ActionEnableUser     Action = "enabled a user"
	ActionDisableKey     Action = "disabled an API key"
	ActionEnableKey      Action = "enabled an API key"
	ActionCheckLedger    Action = "had the book of credits added up"
	ActionTeamInvite     Action = "invited a member"
	ActionTeamRevoke     Action = "took an invitation back"
	ActionTeamJoin       Action = "joined the team"
	ActionTeamRole       Action = "changed a member's role"
	ActionTeamRemove     Action = "removed a member"
	ActionTeamLeave      Action = "left the team"
)

// Personal lists the actions that concern the sign-in of one person. They are
// for that person to read, even where the same account is a merchant's.
func Personal() []Action {
	return []Action{
		ActionSignUp, ActionSignIn, ActionSignOut, ActionPassword, ActionReset, ActionFactorOn, ActionFactorOff,
		ActionRecovery, ActionPasskeyAdd, ActionPasskeyName, ActionPasskeyRemove, ActionPasskeyCopied, ActionRevokeSession, ActionInvite, ActionCheckLedger,
	}
}

// Security keeps what guards accounts. Every method is one transaction.
type Security interface {
	// SecondFactor returns the user's; ok is false if there is none.
	SecondFactor(ctx context.Context, userID int64) (f SecondFactor, ok bool, err error)
	// PutSecondFactor stores one that is not in force yet, in place of another
	// such; it fails with ErrHasFactor if one is in force.
	PutSecondFactor(ctx context.Context, f SecondFactor) error
	// ConfirmSecondFactor brings f into force with the step of the code that
	// showed it works, and replaces the recovery codes. It fails with
	// ErrBadCode if another has taken the place of f since it was read.
	ConfirmSecondFactor(ctx context.Context, f SecondFactor, step int64, codes []Hash, now time.Time) error
	// TakeStep notes that the code of a time step was used; false if it, or a
	// later one, was used before.
	TakeStep(ctx context.Context, userID, step int64) (bool, error)
	// TakeRecoveryCode uses a recovery code up; false if there is none such.
	TakeRecoveryCode(ctx context.Context, userID int64, code Hash, now time.Time) (bool, error)
	RecoveryCodesLeft(ctx context.Context, userID int64) (int, error)
	// RemoveSecondFactor removes it with its recovery codes, and ends every
	// session of the user but the one kept.
	RemoveSecondFactor(ctx context.Context, userID int64, keep Hash, now time.Time) error

	// SetPassword stores the hash of a new password and ends every session of
	// the user. It fails with ErrBadPassword if the stored hash is not old.
	SetPassword(ctx context.Context, userID int64, old, next string, now time.Time) error
	// Logins lists the sessions that are neither over nor revoked, the newest
	// first, with the hash of each token.
	Logins(ctx context.Context, userID int64, now time.Time) ([]Session, error)

	// AddReset stores the hash of a reset token; UseReset uses it up once and
	// sets the password as SetPassword does, or fails with ErrBadReset.
	AddReset(ctx context.Context, token Hash, userID int64, now, until time.Time) error
	UseReset(ctx context.Context, token Hash, next string, now time.Time) (User, error)

	// AddInvitation stores the hash of an invitation for an address.
	// CreateInvited uses it up and stores the user as CreateUser does, or fails
	// with ErrBadInvitation or ErrEmailTaken, and changes nothing then.
	AddInvitation(ctx context.Context, token Hash, email string, by int64, now, until time.Time) error
	CreateInvited(ctx context.Context, token Hash, u User) (User, error)

	// SetKeyLabel and RevokeKey change a key of the user, or fail with ErrUnknownKey.
	SetKeyLabel(ctx context.Context, userID, keyID int64, label string) error
	RevokeKey(ctx context.Context, userID, keyID int64, now time.Time) error

	// NoteGuesses returns the user with the address and notes that they are told
	// of guesses at now; tell is false if there is none, or they were told after
	// since.
	NoteGuesses(ctx context.Context, email string, now, since time.Time) (user User, tell bool, err error)

	// DisableUser disables the user at the time given, and ends their sessions,
	// or enables them with the zero time; DisableKey does so to a key. changed is
	// false if it was so already.
	DisableUser(ctx context.Context, userID int64, when time.Time) (changed bool, err error)
	DisableKey(ctx context.Context, keyID int64, when time.Time) (changed bool, err error)

	// AddAudit appends a line; AuditLog lists what the user did to their own
	// sign-in, and what was done for the merchant (0: none), before the line
	// given (0: from the newest), the newest first.
	AddAudit(ctx context.Context, a Audit) error
	AuditLog(ctx context.Context, userID, merchantID, before int64, limit int) ([]Audit, error)
}
