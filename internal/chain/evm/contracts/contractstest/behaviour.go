package contractstest

// TokenBehaviour says how an HostileToken misbehaves, in the order of
// HostileToken.Behaviour; see there.
type TokenBehaviour uint8

// The behaviours of an HostileToken.
const (
	TokenReturnsFalse TokenBehaviour = iota
	TokenReturnsNothing
	TokenReturnsTwo
	TokenReverts
	TokenRevertsEmpty
	TokenTakesFee
	TokenCalls
	TokenBombsOnSuccess
	TokenBombsOnFailure
	TokenBurnsGas
	TokenBurnsGasInBalanceOf
	TokenRevertsInBalanceOf
	TokenShortBalanceOf
	TokenLies
	TokenHeavy
)

// SettlementBehaviour says how an HostileSettlement misbehaves, in the order of
// HostileSettlement.Behaviour; see there.
type SettlementBehaviour uint8

// The behaviours of an HostileSettlement.
const (
	SettlementAccepts SettlementBehaviour = iota
	SettlementRefuses
	SettlementBurnsGas
	SettlementBombs
	SettlementCalls
)
