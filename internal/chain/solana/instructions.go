package solana

import (
	"encoding/binary"

	solanago "github.com/gagliardetto/solana-go"
)

// Instructions of the programs a sweep uses, by the first byte of their data.
const (
	budgetLimit        = 2  // ComputeBudget: SetComputeUnitLimit, u32
	budgetPrice        = 3  // ComputeBudget: SetComputeUnitPrice, u64 micro-lamports
	systemTransfer     = 2  // System: Transfer, u32 kind, u64 lamports
	createIdempotent   = 1  // Associated Token Account: creates it unless it exists
	tokenClose         = 9  // Token: CloseAccount
	tokenTransferCheck = 12 // Token: TransferChecked, u64 units, u8 decimals
)

// instructions carry out the plan: the check or creation of each settlement account and the transfer of each leg, or
// the closing of each account. The first transfer names one more account, which the programs ignore: by that the
// sweep is found.
func (s *Sender) instructions(p *sweepPlan, named solanago.PublicKey) []solanago.Instruction {
	list := []solanago.Instruction{
		solanago.NewInstruction(
			solanago.ComputeBudget, nil, binary.LittleEndian.AppendUint32([]byte{budgetLimit}, uint32(p.units)),
		),
	}
	if p.price > 0 {
		list = append(
			list,
			solanago.NewInstruction(
				solanago.ComputeBudget, nil, binary.LittleEndian.AppendUint64([]byte{budgetPrice}, p.price),
			),
		)
	}
	if p.closing {
		for _, l := range p.taken {
			list = append(list, l.close(s.payer()))
		}
		return list
	}
	made := make(map[solanago.PublicKey]bool)
	for _, l := range p.taken {
		if !l.native() && !made[l.settlement] {
			made[l.settlement] = true
			list = append(list, l.create(s.payer()))
		}
	}
	for i, l := range p.taken {
		t := l.transfer()
		if i == 0 {
			t.AccountValues = append(t.AccountValues, solanago.Meta(named))
		}
		list = append(list, t)
	}
	return list
}

// create makes the settlement wallet's associated account at the payer's expense. Where the account exists, the
// program checks that it is of the mint and that its owner is the wallet, and fails the transaction otherwise.
// The wallet may be off the curve: it need not sign.
func (l *leg) create(payer solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(l.settlement).WRITE(), solanago.Meta(l.wallet),
		solanago.Meta(l.mint), solanago.Meta(solanago.SystemProgramID), solanago.Meta(l.program),
	}, []byte{createIdempotent})
}

func (l *leg) transfer() *solanago.GenericInstruction {
	if l.native() {
		data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, systemTransfer), l.units)
		return solanago.NewInstruction(solanago.SystemProgramID, solanago.AccountMetaSlice{
			solanago.Meta(l.owner).WRITE().SIGNER(), solanago.Meta(l.wallet).WRITE(),
		}, data)
	}
	data := append(binary.LittleEndian.AppendUint64([]byte{tokenTransferCheck}, l.units), l.decimals)
	return solanago.NewInstruction(l.program, solanago.AccountMetaSlice{
		solanago.Meta(l.account).WRITE(), solanago.Meta(l.mint), solanago.Meta(l.settlement).WRITE(),
		solanago.Meta(l.owner).SIGNER(),
	}, data)
}

func (l *leg) close(rentTo solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(l.program, solanago.AccountMetaSlice{
		solanago.Meta(l.account).WRITE(), solanago.Meta(rentTo).WRITE(), solanago.Meta(l.owner).SIGNER(),
	}, []byte{tokenClose})
}
