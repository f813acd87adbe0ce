package solana

import (
	solanago "github.com/gagliardetto/solana-go"
)

// instructions carry out the plan: the check or creation of each settlement account and the transfer of each leg, or
// the closing of each account. The first transfer names one more account, which the programs ignore: by that the
// sweep is found.
func (s *Sender) instructions(p *sweepPlan, named solanago.PublicKey) []solanago.Instruction {
	list := []solanago.Instruction{limitUnits(uint32(p.units))}
	if p.price > 0 {
		list = append(list, priceUnits(p.price))
	}
	if p.closing {
		for _, a := range p.closed {
			list = append(list, a.Close(s.payer()))
		}
		return list
	}
	made := make(map[solanago.PublicKey]bool)
	create := func(a tokenAccount) {
		if !made[a.Key] {
			made[a.Key] = true
			list = append(list, a.Create(s.payer()))
		}
	}
	var transfers []*solanago.GenericInstruction
	for _, l := range p.taken {
		if !l.native() {
			create(l.to())
		}
		for _, x := range l.sources {
			if x.parent != nil {
				create(l.from())
				create(*x.parent)
				list = append(list, x.Recover(*x.parent, l.from()),
					transferCoins(l.owner, s.payer(), x.lamports))
			}
		}
		transfers = append(transfers, l.transfers()...)
	}
	for i, t := range transfers {
		if i == 0 {
			t.AccountValues = append(t.AccountValues, solanago.Meta(named))
		}
		list = append(list, t)
	}
	return list
}

// from is the token account that the leg empties.
func (l *leg) from() tokenAccount {
	return tokenAccount{Key: l.account, Owner: l.owner, Mint: l.mint, Program: l.program}
}

// to is the settlement wallet's associated account.
func (l *leg) to() tokenAccount {
	return tokenAccount{Key: l.settlement, Owner: l.wallet, Mint: l.mint, Program: l.program}
}

// transfers are those from the leg's account, and from the owner's other ones.
func (l *leg) transfers() (list []*solanago.GenericInstruction) {
	if l.native() {
		return append(list, transferCoins(l.owner, l.wallet, l.units))
	}
	if l.units > 0 {
		list = append(list, l.from().Transfer(l.settlement, l.units, l.decimals))
	}
	for _, x := range l.sources {
		if x.parent == nil {
			list = append(list, x.Transfer(l.settlement, x.units, l.decimals))
		}
	}
	return list
}
