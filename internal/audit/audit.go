// Package audit defines the audit log: who did what, to what, and from where.
//
// Its one invariant: an entry is written in the transaction of the act it
// records, so neither exists without the other.
package audit

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Act is who does something, when, and from where: a parameter of every decision that leaves a trace.
type Act struct {
	Who     string // e-mail address of the user, or what acts for them, such as "API key"
	Account int64  // the merchant account it is done for
	Key     string // what whoever acts calls the API key that they act with, or on; empty where it is about none
	At      time.Time
	Address string           // IP address of the client; empty on the command line
	Agent   string           // how the client names itself
	Session secret.Text      // token of the session it is done in; empty without one
	Near    string           // the neighbourhood of a stranger (operation.Call.Near); empty: not known
	Keep    idempotency.Keep // the answer of the request
}

// ViaAPI is who acts by an API key alone.
const ViaAPI = "API key"

// Entry records the act on an account, which is 0 where the act itself makes or finds it.
func (a Act) Entry(account int64, action Action, subject, detail string) Entry {
	return Entry{
		UserID: account, At: a.At, Actor: a.Who, Action: action, Subject: subject, Detail: detail, Address: a.Address,
	}
}

// Record is the act on an account, recorded by one entry and the mails about it.
//
// The zero Act is nobody's: the command line makes users and keys, which leaves no trail.
func (a Act) Record(account int64, action Action, subject, detail string, mails ...mail.Mail) Record {
	if a.At.IsZero() {
		return Record{}
	}
	return Record{Entries: []Entry{a.Entry(account, action, subject, detail)}, Mails: mails}
}

// Record is what an act leaves beside what it changes. It is written in the same transaction.
type Record struct {
	Entries []Entry
	Mails   []mail.Mail
}

// With is the record with another one.
func (r Record) With(more Record) Record {
	return Record{slices.Concat(r.Entries, more.Entries), slices.Concat(r.Mails, more.Mails)}
}

// Entry records one act. It holds no secret.
type Entry struct {
	ID      int64
	UserID  int64 // the user or the merchant's founder it concerns
	At      time.Time
	Actor   string // e-mail address of the user who acted
	Action  Action
	Subject string // what was acted on
	Detail  string
	Address string // IP address of the client; may be empty
}

// Action names an act. Its text is stored, so it never changes.
type Action string

// The actions.
const (
	ActionSignUp         Action = "signed up"
	ActionVerify         Action = "verified the e-mail address"
	ActionEmailAsked     Action = "asked for another e-mail address"
	ActionEmail          Action = "changed the e-mail address"
	ActionSignIn         Action = "signed in"
	ActionSignInFailed   Action = "failed to sign in"
	ActionReauthFailed   Action = "failed to confirm who they are"
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
	ActionKeyCurrency    Action = "changed the currency of an API key"
	ActionKeyZone        Action = "changed the time zone of an API key"
	ActionRevokeKey      Action = "revoked an API key"
	ActionLock           Action = "locked where money goes"
	ActionUnlock         Action = "unlocked where money goes"
	ActionChangeWaits    Action = "asked for a change that waits 24 hours"
	ActionChangeStop     Action = "stopped a change that waited"
	ActionChangeFailed   Action = "had a change that waited fail"
	ActionPermitKey      Action = "changed what an API key may do"
	ActionCustodian      Action = "changed the custodian"
	ActionWallets        Action = "changed settlement wallets"
	ActionCallback       Action = "changed the callback address"
	ActionSigningSecret  Action = "rotated the signing secret"
	ActionNews           Action = "chose what to be mailed about"
	ActionChat           Action = "changed where news are posted"
	ActionSchedule       Action = "changed when money is settled"
	ActionSettle         Action = "asked for money to be settled"
	ActionBranding       Action = "changed the branding"
	ActionCreatePayment  Action = "created a payment"
	ActionCampaignNew    Action = "created a campaign"
	ActionCampaign       Action = "changed a campaign"
	ActionCampaignPause  Action = "paused a campaign"
	ActionCampaignResume Action = "resumed a campaign"
	ActionCampaignEnd    Action = "ended a campaign"
	ActionModerate       Action = "reviewed what donors wrote"
	ActionLinkNew        Action = "created a payment link"
	ActionLink           Action = "changed a payment link"
	ActionLinkPause      Action = "paused a payment link"
	ActionLinkResume     Action = "resumed a payment link"
	ActionCancelPayment  Action = "cancelled a payment"
	ActionMarkCompleted  Action = "marked a payment as completed"
	ActionAccept         Action = "accepted short or late money"
	ActionResolve        Action = "settled what needed attention"
	ActionRefund         Action = "asked for a refund"
	ActionRefundSend     Action = "asked a wallet to send refunds"
	ActionRefundUnsend   Action = "said that a refund was not sent"
	ActionRefundHash     Action = "named the transaction of a refund"
	ActionRefundCancel   Action = "cancelled a refund"
	ActionResendWebhooks Action = "sent webhooks again"
	ActionStopWebhooks   Action = "stopped webhooks"
	ActionTopUp          Action = "bought credits"
	ActionRecharge       Action = "bought queries"
	ActionExport         Action = "exported payments"
	ActionInvite         Action = "invited somebody"
	ActionDisableUser    Action = "disabled a user"
	ActionEnableUser     Action = "enabled a user"
	ActionNewPassword    Action = "set a new password for a user" //nolint:gosec // words, no password
	ActionResetLink      Action = "made a link to a new password for a user"
	ActionResetFactors   Action = "removed the second factors of a user"
	ActionEndSessions    Action = "ended all sessions of a user"
	ActionMakeOperator   Action = "made a user an operator"
	ActionDropOperator   Action = "took an operator's rights back"
	ActionDisableKey     Action = "disabled an API key"
	ActionEnableKey      Action = "enabled an API key"
	ActionGrant          Action = "granted credits"
	ActionCheckLedger    Action = "had the book of credits added up"
	ActionRescan         Action = "had a network read again"
	ActionErase          Action = "erased a customer"
	ActionRestore        Action = "restored the database"
	ActionSecretKey      Action = "changed the secret key"
	ActionTeamInvite     Action = "invited a member"
	ActionTeamRevoke     Action = "took an invitation back"
	ActionTeamJoin       Action = "joined the team"
	ActionTeamRole       Action = "changed a member's role"
	ActionTeamRemove     Action = "removed a member"
	ActionTeamLeave      Action = "left the team"
)

// Personal lists the actions on a user's own sign-in. Only that user reads
// them, even where the user founded a merchant account that others share.
func Personal() []Action {
	return []Action{
		ActionSignUp, ActionVerify, ActionSignIn, ActionSignInFailed, ActionReauthFailed, ActionSignOut, ActionPassword,
		ActionReset, ActionFactorOn, ActionFactorOff,
		ActionRecovery, ActionPasskeyAdd, ActionPasskeyName, ActionPasskeyRemove,
		ActionPasskeyCopied, ActionRevokeSession,
		ActionInvite, ActionCheckLedger, ActionRescan, ActionErase, ActionRestore, ActionSecretKey,
	}
}
