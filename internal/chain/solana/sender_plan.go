package solana

import (
	"context"
	"fmt"
	"math"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// leg is the movement of one item of a sweep: a token, or SOL, which has no contract.
type leg struct {
	chain.SweepItem
	known              bool               // the mint is an asset of the network
	owner, account     solanago.PublicKey // where the money is; for SOL the owner itself
	mint, program      solanago.PublicKey // zero for SOL
	wallet, settlement solanago.PublicKey // where it goes: owner and account
	decimals           byte
	units              uint64               // that leave account
	others             []solanago.PublicKey // accounts that the money may lie on, too
	sources            []source             // those of them that are emptied
	parents            []tokenAccount
	empty              bool // an account can be closed
}

// source is another account under the owner's key. What lies on a nested one, which belongs to a parent, goes to the
// leg's account before that is emptied, and its rent to the owner.
type source struct {
	tokenAccount

	parent   *tokenAccount // of a nested one
	units    uint64
	lamports uint64
}

func (l *leg) native() bool { return l.Asset.Contract == "" }

// sweepPlan is a sweep before it is signed.
type sweepPlan struct {
	legs  []*leg
	taken []*leg // those of them that move money
	fresh map[solanago.PublicKey]bool
	// closing: the taken accounts are closed, and nothing is moved.
	closing bool
	closed  []tokenAccount

	hash  solanago.Hash
	until uint64
	units uint64
	price uint64 // micro-lamports a compute unit
	cost  uint64 // lamports, with the rent of new accounts
	tx    *solanago.Transaction
	raw   []byte
}

// check refuses an item whose address does not derive from its payment's key, and one of a mint that is not
// accepted unless it is a rescue.
func (s *Sender) check(items []chain.SweepItem) error {
	for _, i := range items {
		owner, err := NewDepositor(s.seed).DepositAddress(i.Source(chain.Solana))
		if err != nil {
			return err
		}
		if owner.Address != i.Address.Address {
			return fmt.Errorf("%s is not the deposit address of payment %s: it was derived from another FLORIN_SOL_SEED", i.Address.Address, i.PaymentID)
		}
		if _, known := s.adapter.mint(i.Asset.Contract); !known && !i.Rescue {
			return fmt.Errorf("%w: mint %s is not accepted", chain.ErrTooLarge, i.Asset.Contract)
		}
	}
	return nil
}

// plan parses the addresses of the items. It needs neither keys nor the configured mints, so that sent
// transactions can be tracked even after the configuration changed.
func (s *Sender) plan(items []chain.SweepItem) (*sweepPlan, error) {
	p := &sweepPlan{}
	for _, i := range items {
		l := &leg{SweepItem: i, decimals: byte(i.Asset.Decimals)}
		var err error
		if l.owner, err = parseKey(string(i.Address.Address)); err != nil {
			return nil, err
		}
		if l.wallet, err = parseKey(string(i.Settlement)); err != nil {
			return nil, err
		}
		if l.native() {
			l.account, l.settlement = l.owner, l.wallet
		} else if l.mint, err = parseKey(string(i.Asset.Contract)); err != nil {
			return nil, err
		}
		if _, l.known = s.adapter.mint(i.Asset.Contract); l.known {
			l.of(solanago.TokenProgramID)
		}
		for _, text := range i.Accounts {
			key, err := parseKey(string(text))
			if err != nil {
				return nil, err
			}
			l.others = append(l.others, key)
		}
		if len(l.others) > 0 {
			l.parents = s.parents(l.owner)
		}
		p.legs = append(p.legs, l)
	}
	return p, nil
}

// of sets the token program and the accounts derived from it.
func (l *leg) of(program solanago.PublicKey) {
	l.program = program
	l.account = rpc.AccountOfProgram(l.owner, l.mint, program)
	l.settlement = rpc.AccountOfProgram(l.wallet, l.mint, program)
}

// parents are the owner's associated accounts, which nested ones belong to.
func (s *Sender) parents(owner solanago.PublicKey) (list []tokenAccount) {
	for _, m := range s.adapter.mints {
		list = append(list, tokenAccount{
			Key: s.adapter.addresses.Of(owner, m.key), Owner: owner, Mint: m.key, Program: solanago.TokenProgramID,
		})
	}
	return list
}

// keys lists the accounts under the owner's key that the leg's money may lie on.
func (l *leg) keys() []solanago.PublicKey {
	list := []solanago.PublicKey{l.account}
	for _, k := range l.others {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// read lists what must be read for the leg: its accounts, then the wallet, the settlement account and the parents.
func (l *leg) read() []solanago.PublicKey {
	list := append(l.keys(), l.wallet, l.settlement)
	for _, x := range l.parents {
		list = append(list, x.Key)
	}
	return list
}

// resolve reads the program and the decimals of mints that are not assets of the network. Only the operator
// can have those swept.
func (e *endpoint) resolve(ctx context.Context, p *sweepPlan) (verdict, err error) {
	for _, l := range p.legs {
		if l.native() || l.known {
			continue
		}
		m, err := e.Mint(ctx, l.mint)
		if err != nil {
			return nil, err
		}
		if m.Program.IsZero() {
			return fmt.Errorf("%w: there is no mint at %s", chain.ErrTooLarge, l.mint), nil
		}
		l.of(m.Program)
		l.decimals = m.Decimals
	}
	return nil, nil
}

// holds decodes the balance of the leg's account.
func (l *leg) holds(r *rpc.Account) (rpc.Holding, error) {
	if !l.native() {
		return r.HoldingOf(l.program)
	}
	if r == nil || r.Owner != solanago.SystemProgramID.String() {
		return rpc.Holding{}, nil
	}
	return rpc.Holding{Exists: true, Valid: true, Owner: l.owner, Amount: r.Lamports}, nil
}

// maxSources bounds the other accounts that a leg empties, so that it fits a transaction. What lies on more of them is
// left for the next sweep.
const maxSources = 4

// take decides how much is moved of what the leg's account holds, and what of the others: in all what is recorded, or
// everything in a rescue. usable: the account can be emptied. It returns how much that is.
func (l *leg) take(holds uint64, usable bool, others []source) uint64 {
	most := uint64(math.MaxUint64)
	if expected := l.Expected.Big(); !l.Rescue && expected.IsUint64() {
		most = expected.Uint64()
	}
	l.units, l.sources = 0, nil
	if usable {
		l.units = min(holds, most)
	}
	left := most - l.units
	for _, nested := range []bool{true, false} { // what is nested passes through the account
		for _, x := range others {
			if nested != (x.parent != nil) || nested && !usable || left == 0 || len(l.sources) == maxSources {
				continue
			}
			part := min(x.units, left)
			left -= part
			if nested {
				l.units += part
			} else {
				x.units = part
			}
			l.sources = append(l.sources, x)
		}
	}
	return most - left
}

// sourcesOf returns which of the leg's other accounts hold something, by what was read of them.
func (l *leg) sourcesOf(keys []solanago.PublicKey, read []*rpc.Account) (list []source, err error) {
	for i, key := range keys {
		held, err := read[i].HoldingOf(l.program)
		if err != nil {
			return nil, err
		}
		if !held.Valid || held.Mint != l.mint || held.Amount == 0 || held.Frozen {
			continue
		}
		x := source{
			tokenAccount: tokenAccount{Key: key, Owner: held.Owner, Mint: l.mint, Program: l.program},
			units:        held.Amount, lamports: read[i].Lamports,
		}
		at := slices.IndexFunc(l.parents, func(a tokenAccount) bool { return a.Key == held.Owner })
		if at >= 0 && l.program == solanago.TokenProgramID && key == rpc.AccountOf(held.Owner, l.mint) {
			x.parent = &l.parents[at]
		}
		if held.Owner == l.owner || x.parent != nil {
			list = append(list, x)
		}
	}
	return list, nil
}

// roomyAccount is a size, in bytes, that is enough for an account of Token-2022 with the extensions of any
// stablecoin.
const roomyAccount = 400

// accountSize is the size of the largest account that the sweep creates.
func (p *sweepPlan) accountSize() int {
	for _, l := range p.taken {
		if l.program == solanago.Token2022ProgramID {
			return roomyAccount
		}
	}
	return rpc.TokenAccountSize
}
