package solana

import (
	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain/solana/instruction"
)

// instructions carry out the plan: the check or creation of each settlement account and the transfer of each leg, or
// the closing of each account. The first transfer names one more account, which the programs ignore: by that the
// sweep is found.
func (s *Sender) instructions(p *sweepPlan, named solanago.PublicKey) []solanago.Instruction {
	list := []solanago.Instruction{instruction.Limit(uint32(p.units))}
	if p.price > 0 {
		list = append(list, instruction.Price(p.price))
	}
	if p.closing {
		for _, l := range p.taken {
			list = append(list, l.from().Close(s.payer()))
		}
		return list
	}
	made := make(map[solanago.PublicKey]bool)
	for _, l := range p.taken {
		if !l.native() && !made[l.settlement] {
			made[l.settlement] = true
			list = append(list, l.to().Create(s.payer()))
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

// from is the token account that the leg empties.
func (l *leg) from() instruction.Account {
	return instruction.Account{Key: l.account, Owner: l.owner, Mint: l.mint, Program: l.program}
}

// to is the settlement wallet's associated account.
func (l *leg) to() instruction.Account {
	return instruction.Account{Key: l.settlement, Owner: l.wallet, Mint: l.mint, Program: l.program}
}

func (l *leg) transfer() *solanago.GenericInstruction {
	if l.native() {
		return instruction.TransferCoins(l.owner, l.wallet, l.units)
	}
	return l.from().Transfer(l.settlement, l.units, l.decimals)
}
