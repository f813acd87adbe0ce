package merchant

import "github.com/florinpay/florin/internal/fault"

// Refusals about keys and custodians.
var (
	ErrBadKey           = fault.New(fault.Unauthorized, "the API key is missing or not valid")
	ErrUnknownKey       = fault.New(fault.NotFound, "there is no such API key")
	ErrTooManyKeys      = fault.New(fault.Conflict, "a user has at most %d API keys in use, and %d in all", MaxKeys, MaxEverKeys).Because(fault.ReasonTooManyKeys)
	ErrKeyDisabled      = fault.New(fault.Forbidden, "this API key is disabled; ask the operator of this service")
	ErrNothingLeft      = fault.New(fault.Forbidden, "this API key has no permission that you may give; an owner can rotate it")
	ErrNoCustodian      = fault.New(fault.Conflict, "this API key has no custodian yet; create one with createCustodianAccount").Because(fault.ReasonNoCustodian)
	ErrNotConfirmed     = fault.New(fault.Forbidden, "this account has a custodian already, and no owner confirmed this API key when it was made: an owner sets its custodian up in the dashboard")
	ErrHasCustodian     = fault.New(fault.Conflict, "this API key already has a custodian; change it with updateCustodianDetails").Because(fault.ReasonCustodianExists)
	ErrChangedMeanwhile = fault.New(fault.Conflict, "these settings were changed at the same moment: look again, and save again")
	ErrClosed           = fault.New(fault.Forbidden, "this merchant account is disabled; ask the operator of this service")
)
