package solana

import (
	"context"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/ata"
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
	units              uint64
	empty              bool // the account can be closed
}

func (l *leg) native() bool { return l.Asset.Contract == "" }

// sweepPlan is a sweep before it is signed.
type sweepPlan struct {
	legs  []*leg
	taken []*leg // those of them that move money
	fresh map[solanago.PublicKey]bool
	// closing: the taken accounts are closed, and nothing is moved.
	closing bool

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
		p.legs = append(p.legs, l)
	}
	return p, nil
}

// of sets the token program and the accounts derived from it.
func (l *leg) of(program solanago.PublicKey) {
	l.program = program
	l.account, l.settlement = ata.OfProgram(l.owner, l.mint, program), ata.OfProgram(l.wallet, l.mint, program)
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

// take decides how much of an account's balance is moved: what is recorded, or all of it in a rescue.
func (l *leg) take(holds uint64) {
	l.units = holds
	if expected := l.Expected.Big(); !l.Rescue && expected.IsUint64() && expected.Uint64() < holds {
		l.units = expected.Uint64()
	}
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
