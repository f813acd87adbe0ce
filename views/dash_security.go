package views

import "time"

// SecurityProps is what guards the account of the user who is signed in.
//
//	GET  /dashboard/security?before=               Security
//	POST /dashboard/security/password              fields old, password, code     → 303
//	POST /dashboard/security/totp                  field password                 → 200 Security with Enrol
//	POST /dashboard/security/totp/confirm          field code                     → 200 Security with RecoveryCodes
//	POST /dashboard/security/totp/remove           fields password, code          → 303
//	POST /dashboard/security/passkeys              fields name, credential (JSON) → 303
//	GET  /dashboard/security/passkeys/{id}/remove  Confirm; POST the same         → 303
//	POST /dashboard/security/sessions/{id}/end     no fields                      → 303
//	POST /dashboard/security/sessions/end          no fields: all but this one    → 303
type SecurityProps struct {
	Dash
	// Forms are by panel: password, totp, passkey.
	Forms map[string]Form
	// MinPassword is how many characters a password has at least.
	MinPassword int
	// Factor: an authenticator is in force, since FactorSince, with CodesLeft recovery codes.
	Factor      bool
	FactorSince time.Time
	CodesLeft   int
	// Enrol is an authenticator that is being set up; nil otherwise. RecoveryCodes are shown this once.
	Enrol         *Enrol
	RecoveryCodes []string
	Passkeys      []Passkey
	// PasskeyOptions is the JSON of PublicKeyCredentialCreationOptions (WebAuthn Level 3, section 5.4) with bytes in
	// base64url; empty leaves passkeys out.
	PasskeyOptions string
	Sessions       []SessionRow
	Audit          []AuditRow
	// Next is the id to go on before in the audit log; empty on the last page.
	Next string
}

// Enrol is an authenticator to set up.
type Enrol struct {
	// Secret is base32 in groups of four, Code the QR code of the otpauth: address.
	Secret string
	Code   QR
}

// Passkey is one that is stored.
type Passkey struct {
	ID, Name              string
	CreatedAt, LastUsedAt time.Time
}

// SessionRow is a signed-in browser or program.
type SessionRow struct {
	ID, UserAgent        string
	CreatedAt, ExpiresAt time.Time
	// Current: the session that asks.
	Current bool
}

// AuditRow is one line of what was done.
type AuditRow struct {
	At                                      time.Time
	Actor, Action, Subject, Detail, Address string
}

// TeamProps is who else may see this account.
//
//	GET  /dashboard/team                    Team
//	POST /dashboard/team                    fields email, role     → 303
//	POST /dashboard/team/{id}/role          field role             → 303
//	GET  /dashboard/team/{id}/remove        Confirm; POST the same → 303
//	POST /dashboard/team/invitations/{id}/withdraw  no fields      → 303
type TeamProps struct {
	Dash
	Form        Form
	Members     []Member
	Invitations []Invitation
	// CanInvite: the visitor may change the team.
	CanInvite bool
}

// Member is somebody with access.
type Member struct {
	ID, Email, Name string
	Role            Role
	Since           time.Time
	// Current: the visitor themselves.
	Current bool
}

// Invitation is one that was not accepted yet.
type Invitation struct {
	ID, Email string
	Role      Role
	Until     time.Time
}
