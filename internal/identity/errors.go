package identity

import "github.com/florinpay/florin/internal/fault"

// Refusals about users and sessions.
var (
	ErrUnknownUser    = fault.New(fault.NotFound, "there is no user with this e-mail address")
	ErrEmailTaken     = fault.New(fault.Conflict, "there is already a user with this e-mail address").Because(fault.ReasonEmailTaken)
	ErrBadCredentials = fault.New(fault.Unauthorized, "the e-mail address or the password is wrong")
	ErrDisabled       = fault.New(fault.Forbidden, "this account is disabled; ask the operator of this service")
	ErrBadSession     = fault.New(fault.Unauthorized, "sign in first: the session is missing, has ended or is not valid")
)

// Refusals about passwords, second factors and links.
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
