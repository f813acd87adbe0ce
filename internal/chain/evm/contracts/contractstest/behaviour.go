package contractstest

// TokenBehaviour says how an EvilToken misbehaves, in the order of
// EvilToken.Behaviour; see there.
type TokenBehaviour uint8

// The behaviours of an EvilToken.
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

// SettlementBehaviour says how an EvilSettlement misbehaves, in the order of
// EvilSettlement.Behaviour; see there.
type SettlementBehaviour uint8

// The behaviours of an EvilSettlement.
const (
	SettlementAccepts SettlementBehaviour = iota
	SettlementRefuses
	SettlementBurnsGas
	SettlementBombs
	SettlementCalls
)
