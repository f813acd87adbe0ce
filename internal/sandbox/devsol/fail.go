package devsol

import "encoding/json"

// failure is the reason of a failed transaction, as nodes write it in JSON.
type failure struct{ value any }

func (f *failure) MarshalJSON() ([]byte, error) { return json.Marshal(f.value) }

func (f *failure) Error() string {
	text, err := json.Marshal(f.value)
	if err != nil {
		return "failed"
	}
	return string(text)
}

// Failures before execution.
var (
	failBlockhash = &failure{"BlockhashNotFound"}
	failProcessed = &failure{"AlreadyProcessed"}
	failNoAccount = &failure{"AccountNotFound"}
	failFee       = &failure{"InsufficientFundsForFee"}
	failFeePayer  = &failure{"InvalidAccountForFee"}
	failProgram   = &failure{"InvalidProgramForExecution"}
	failSanitize  = &failure{"SanitizeFailure"}
	failTwice     = &failure{"AccountLoadedTwice"}
)

// failRent: an account would hold less than its rent exemption.
func failRent(index int) *failure {
	return &failure{map[string]any{"InsufficientFundsForRent": map[string]int{"account_index": index}}}
}

// atInstruction says which instruction failed.
func atInstruction(index int, why any) *failure {
	return &failure{map[string]any{"InstructionError": []any{index, why}}}
}

// Failures of an instruction that every program has.
const (
	errMissingSigner   = "MissingRequiredSignature"
	errInvalidData     = "InvalidInstructionData"
	errInvalidArgument = "InvalidArgument"
	errAccountData     = "InvalidAccountData"
	errNotEnoughKeys   = "MissingAccount"
	errWrongProgram    = "IncorrectProgramId"
	errIllegalOwner    = "IllegalOwner"
	errUninitialized   = "UninitializedAccount"
	errInvalidSeeds    = "InvalidSeeds"
	errReadonlyChanged = "ReadonlyDataModified"
)

// custom is an error code of a program.
func custom(code uint32) map[string]uint32 { return map[string]uint32{"Custom": code} }

// Codes of the system program.
const (
	systemAccountInUse  = 0
	systemLacksLamports = 1
)

// Codes of the token program.
const (
	tokenNotRentExempt    = 0
	tokenInsufficient     = 1
	tokenInvalidMint      = 2
	tokenMintMismatch     = 3
	tokenOwnerMismatch    = 4
	tokenFixedSupply      = 5
	tokenAlreadyInUse     = 6
	tokenNonNativeBalance = 11
	tokenInvalidInstr     = 12
	tokenCannotFreeze     = 16
	tokenFrozen           = 17
	tokenDecimalsMismatch = 18
)
