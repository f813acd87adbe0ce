package solana

import (
	"encoding/binary"

	solanago "github.com/gagliardetto/solana-go"
)

// Instructions of the programs that our transactions use, by the first byte of their data.
const (
	budgetLimit        = 2  // ComputeBudget: SetComputeUnitLimit, u32
	budgetPrice        = 3  // ComputeBudget: SetComputeUnitPrice, u64 micro-lamports
	systemTransfer     = 2  // System: Transfer, u32 kind, u64 lamports
	createIdempotent   = 1  // Associated Token Account: creates it unless it exists
	recoverNested      = 2  // Associated Token Account: empties and closes the account of an account
	tokenClose         = 9  // Token: CloseAccount
	tokenTransferCheck = 12 // Token: TransferChecked, u64 units, u8 decimals
)

// limitUnits bounds the compute units of the transaction.
func limitUnits(units uint32) solanago.Instruction {
	return solanago.NewInstruction(
		solanago.ComputeBudget, nil, binary.LittleEndian.AppendUint32([]byte{budgetLimit}, units),
	)
}

// priceUnits offers a priority fee, in micro-lamports a compute unit.
func priceUnits(price uint64) solanago.Instruction {
	return solanago.NewInstruction(
		solanago.ComputeBudget, nil, binary.LittleEndian.AppendUint64([]byte{budgetPrice}, price),
	)
}

// tokenAccount is a token account with its owner, its mint, and the token program of both.
type tokenAccount struct{ Key, Owner, Mint, Program solanago.PublicKey }

// Create makes the account, which is the associated one of its owner, at the payer's expense. Where the account exists,
// the program checks that it is of the mint and that its owner is this one, and fails the transaction otherwise. The
// owner may be off the curve: it need not sign.
func (a tokenAccount) Create(payer solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(a.Key).WRITE(), solanago.Meta(a.Owner),
		solanago.Meta(a.Mint), solanago.Meta(solanago.SystemProgramID), solanago.Meta(a.Program),
	}, []byte{createIdempotent})
}

// Recover moves all that lies on the account, whose owner is the associated account `parent`, to the associated account
// `to` of the parent's owner, and closes it; its rent goes to that owner.
func (a tokenAccount) Recover(parent, to tokenAccount) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(a.Key).WRITE(), solanago.Meta(a.Mint), solanago.Meta(to.Key).WRITE(), solanago.Meta(parent.Key),
		solanago.Meta(parent.Mint), solanago.Meta(to.Owner).WRITE().SIGNER(), solanago.Meta(a.Program),
	}, []byte{recoverNested})
}

// Transfer moves units of the mint to another account of it. The mint must have the decimals.
func (a tokenAccount) Transfer(to solanago.PublicKey, units uint64, decimals byte) *solanago.GenericInstruction {
	data := append(binary.LittleEndian.AppendUint64([]byte{tokenTransferCheck}, units), decimals)
	return solanago.NewInstruction(a.Program, solanago.AccountMetaSlice{
		solanago.Meta(a.Key).WRITE(), solanago.Meta(a.Mint), solanago.Meta(to).WRITE(), solanago.Meta(a.Owner).SIGNER(),
	}, data)
}

// Close closes the account, which must be empty, and pays its rent to rentTo.
func (a tokenAccount) Close(rentTo solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(a.Program, solanago.AccountMetaSlice{
		solanago.Meta(a.Key).WRITE(), solanago.Meta(rentTo).WRITE(), solanago.Meta(a.Owner).SIGNER(),
	}, []byte{tokenClose})
}

// transferCoins moves lamports from one wallet to another.
func transferCoins(from, to solanago.PublicKey, lamports uint64) *solanago.GenericInstruction {
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, systemTransfer), lamports)
	return solanago.NewInstruction(solanago.SystemProgramID, solanago.AccountMetaSlice{
		solanago.Meta(from).WRITE().SIGNER(), solanago.Meta(to).WRITE(),
	}, data)
}
