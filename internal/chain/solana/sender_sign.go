package solana

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

const (
	// unitsMargin is how much more compute than the simulation used is requested, in per cent, and at least:
	// accounts may change before the block.
	unitsMargin, leastMargin = 20, 10_000
	// maxUnits is the most compute units that a transaction may request.
	maxUnits = 1_400_000
	// unitsEach is the compute budget of the simulation for each item, plus one: several times what the
	// programs use.
	unitsEach = 60_000
	// leastPrice is what an attempt offers at least, in micro-lamports a unit. Nodes report a recent price of 0
	// whenever some transaction was included for nothing, and in congestion nothing is included for that. A sweep
	// of five deposits costs about a thousand lamports more by it.
	leastPrice = 10_000
)

// Sign builds and signs the transaction that moves the items. It reads what the accounts hold, has the node
// simulate the transaction, and sends nothing. While an earlier attempt can still be included it refuses.
func (s *Sender) Sign(
	ctx context.Context, items []chain.SweepItem, previous []chain.Attempt, now time.Time, _ ...chain.Attempt,
) (chain.Attempt, error) {
	if len(items) == 0 {
		return chain.Attempt{}, errors.New("a sweep of nothing")
	}
	if len(previous) > 0 {
		seen, err := s.Track(ctx, items, previous)
		if err != nil {
			return chain.Attempt{}, err
		}
		if seen.Status != chain.TxDropped {
			return chain.Attempt{}, fault.New(fault.Unavailable, "the sweep's last transaction can still be included; wait for it")
		}
	}
	if err := s.check(items); err != nil {
		return chain.Attempt{}, err
	}
	plan, err := s.plan(items)
	if err != nil {
		return chain.Attempt{}, err
	}
	err = s.adapter.pool.unlessAll(ctx, func(ctx context.Context, e *endpoint) (verdict, err error) {
		return s.prepare(ctx, e, plan, len(previous))
	})
	if err != nil {
		return chain.Attempt{}, fmt.Errorf("sweep on %s: %w", s.Network(), err)
	}
	return chain.Attempt{
		Tx: chain.TxHash(plan.tx.Signatures[0].String()), Raw: plan.raw, Until: plan.until, MadeAt: now,
		Fee: chain.Fee{
			Gas: plan.units, Price: money.UnitsFromUint64(plan.price), Ceiling: money.UnitsFromUint64(plan.cost),
		},
	}, nil
}

// prepare turns the plan into signed bytes through one endpoint. Its verdict is a reason not to sweep, if all repeat
// it. previous is how many attempts were made before.
func (s *Sender) prepare(ctx context.Context, e *endpoint, p *sweepPlan, previous int) (verdict, err error) {
	if verdict, err = e.resolve(ctx, p); verdict != nil || err != nil {
		return verdict, err
	}
	balance, verdict, err := s.readBalances(ctx, e, p)
	if verdict != nil || err != nil {
		return verdict, err
	}
	recent, err := e.Price(ctx, p.writable(s.payer()))
	if err != nil {
		return nil, err
	}
	if recent > s.maxPrice {
		return fmt.Errorf("%w: %d micro-lamports a unit, and at most %d are allowed", chain.ErrTooExpensive, recent, s.maxPrice), nil
	}
	p.price = bid(recent, previous, s.maxPrice)
	if p.hash, p.until, err = e.Blockhash(ctx); err != nil {
		return nil, err
	}
	p.until = s.within(ctx, e, p.until)
	p.units = min(unitsEach*uint64(p.steps()+1), maxUnits)
	if verdict := s.compile(p); verdict != nil {
		return verdict, nil
	}
	if verdict, err = s.afford(ctx, e, p, balance); verdict != nil || err != nil {
		return verdict, err
	}
	used, why, err := e.Simulate(ctx, p.raw)
	reason, passing := rpc.Passing(why)
	switch {
	case err != nil:
		return nil, err
	case passing: // several nodes may serve one address
		return nil, rpc.Lagging("the simulation ends with %s", reason)
	case why != "":
		return fmt.Errorf("%w: the node refuses it: %s", chain.ErrTooLarge, why), nil
	}
	p.units = min(used+max(used*unitsMargin/100, leastMargin), maxUnits)
	if verdict := s.compile(p); verdict != nil {
		return verdict, nil
	}
	return s.afford(ctx, e, p, balance)
}

// hashAge is for how many blocks a transaction can be included that names the newest blockhash.
const hashAge = 150

// within keeps the last height at which a transaction can be included near what another node says, if there is one: it
// decides when the sweep is made again. One that is too high keeps it from that for ever, and one that is too low has
// two transactions make it.
func (s *Sender) within(ctx context.Context, e *endpoint, until uint64) uint64 {
	for _, o := range append(s.adapter.pool.without(e.Name), e) {
		var height uint64
		err := s.adapter.pool.try(ctx, o, func(ctx context.Context, o *endpoint) (err error) {
			height, err = o.BlockHeight(ctx)
			return err
		})
		if err == nil {
			return min(max(until, height+hashAge), height+2*hashAge)
		}
	}
	return until
}

// readBalances reads what the accounts and the gas wallet hold. A frozen or empty account is left out.
func (s *Sender) readBalances(ctx context.Context, e *endpoint, p *sweepPlan) (balance uint64, verdict, err error) {
	final, err := e.Slot(ctx, rpc.Finalized)
	if err != nil {
		return 0, nil, err
	}
	keys := []solanago.PublicKey{s.payer()}
	for _, l := range p.legs {
		keys = append(keys, l.read()...)
	}
	all := make([]*rpc.Account, len(keys))
	err = rpc.Each(ctx, keys, rpc.AccountsPerCall, func(ctx context.Context, part []solanago.PublicKey, at int) error {
		got, _, err := e.Accounts(ctx, part, final)
		copy(all[at:], got)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	p.taken, p.fresh = nil, make(map[solanago.PublicKey]bool)
	note, rest := "there is nothing to move", all[1:]
	for _, l := range p.legs {
		read := rest[:len(l.read())]
		rest = rest[len(read):]
		refusal, err := p.pick(l, read)
		if err != nil {
			return 0, nil, err
		}
		note = cmp.Or(refusal, note)
	}
	if len(p.taken) == 0 {
		return 0, fmt.Errorf("%w: %s", chain.ErrTooLarge, note), nil
	}
	if all[0] != nil {
		balance = all[0].Lamports
	}
	return balance, nil, nil
}

// pick takes the leg if there is something to move, by what was read for it, and otherwise returns why it must not be.
func (p *sweepPlan) pick(l *leg, read []*rpc.Account) (refusal string, err error) {
	keys := l.keys()
	wallet, settlement, parents := read[len(keys)], read[len(keys)+1], read[len(keys)+2:]
	held, err := l.holds(read[0])
	if err != nil {
		return "", err
	}
	var others []source
	if !l.native() {
		if others, err = l.sourcesOf(keys[1:], read[1:len(keys)]); err != nil {
			return "", err
		}
	}
	usable := !held.Frozen && (!held.Valid || held.Owner == l.owner)
	if len(others) > 0 {
		held.Frozen = false // the others are not
	}
	if refusal, err = l.refusal(held, wallet, settlement); refusal != "" || err != nil {
		return refusal, err
	}
	if l.take(held.Amount, usable, others) == 0 {
		return "", nil
	}
	p.taken = append(p.taken, l)
	if l.native() {
		return "", nil
	}
	p.fresh[l.settlement] = !settlement.Token()
	for _, x := range l.sources {
		if x.parent != nil {
			p.fresh[l.account] = !read[0].Token()
			at := slices.IndexFunc(l.parents, func(a tokenAccount) bool { return a.Key == x.parent.Key })
			p.fresh[x.parent.Key] = !parents[at].Token()
		}
	}
	return "", nil
}

// steps counts the movements of the plan.
func (p *sweepPlan) steps() (n int) {
	for _, l := range p.taken {
		n += 1 + 2*len(l.sources)
	}
	return n
}

// frozenNote is why a frozen account is not swept.
const frozenNote = "the issuer has frozen the account"

// refusal returns the reason for which the leg must not be moved, if there is one. Only the owner of a token
// account can spend from it, and an associated account of the classic program can be given to another owner, so
// the address of a settlement account does not say whose it is. The transaction checks that again, because the
// account may change after it was signed (create). A delegate is the wallet's own decision and does not count.
func (l *leg) refusal(held rpc.Holding, wallet, settlement *rpc.Account) (string, error) {
	switch {
	case wallet.Token():
		return "the settlement wallet " + l.wallet.String() + " is a token account; it must be its owner", nil
	case held.Frozen:
		return frozenNote, nil
	case l.native() || !settlement.Token():
		return "", nil
	}
	paid, err := settlement.HoldingOf(l.program)
	switch {
	case err != nil:
		return "", err
	case !paid.Valid, paid.Mint != l.mint:
		return "the settlement account " + l.settlement.String() + " does not hold this token", nil
	case paid.Owner != l.wallet:
		return "the owner of the settlement account " + l.settlement.String() + " is " + paid.Owner.String() +
			", not the settlement wallet", nil
	case paid.Frozen:
		return "the issuer has frozen the settlement account " + l.settlement.String(), nil
	}
	return "", nil
}

// writable lists the accounts the sweep changes: the priority fee depends on the competition for them.
func (p *sweepPlan) writable(payer solanago.PublicKey) []string {
	keys := []string{payer.String()}
	for _, l := range p.taken {
		changed := []solanago.PublicKey{l.account, l.settlement} // both wallets, for SOL
		for _, x := range l.sources {
			changed = append(changed, x.Key)
		}
		for _, k := range changed {
			if !slices.Contains(keys, k.String()) {
				keys = append(keys, k.String())
			}
		}
	}
	return keys
}

// compile builds and signs the transaction.
func (s *Sender) compile(p *sweepPlan) (verdict error) {
	list := s.instructions(p, solanago.PublicKey(s.seed.SweepsAddress().Raw))
	tx, err := solanago.NewTransaction(list, p.hash, solanago.TransactionPayer(s.payer()))
	if err != nil {
		return err
	}
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return err
	}
	tx.Signatures = make([]solanago.Signature, tx.Message.Header.NumRequiredSignatures)
	for i, key := range tx.Message.AccountKeys[:len(tx.Signatures)] {
		if key == s.payer() {
			tx.Signatures[i] = s.gas.Sign(message)
			continue
		}
		at := slices.IndexFunc(p.taken, func(l *leg) bool { return l.owner == key })
		if at < 0 {
			return fmt.Errorf("no key signs for %s", key)
		}
		id, err := chain.ParseTxnID(p.taken[at].PaymentID)
		if err != nil {
			return err
		}
		tx.Signatures[i] = s.seed.Deposit(id).Sign(message)
	}
	if p.raw, err = tx.MarshalBinary(); err != nil {
		return err
	}
	if len(p.raw) > maxTransaction {
		return fmt.Errorf("%w: %d bytes of %d", chain.ErrTooLarge, len(p.raw), maxTransaction)
	}
	if err := tx.VerifySignatures(); err != nil {
		return err
	}
	p.tx = tx
	return nil
}

// bid returns the price of the next attempt: the recent one but at least leastPrice, doubled for every attempt that
// was not included, and at most the operator's limit.
func bid(recent uint64, previous int, most uint64) uint64 {
	price := max(recent, leastPrice)
	for ; previous > 0 && price <= most/2; previous-- {
		price *= 2
	}
	if previous > 0 {
		return most
	}
	return min(price, most)
}

// afford reads from the node what the sweep costs, with the rent of new accounts, and checks that the gas
// wallet has it.
func (s *Sender) afford(ctx context.Context, e *endpoint, p *sweepPlan, balance uint64) (verdict, err error) {
	message, err := p.tx.Message.MarshalBinary()
	if err != nil {
		return nil, err
	}
	var fee struct {
		Value *uint64 `json:"value"`
	}
	if err := e.Ask(ctx, &fee, "getFeeForMessage", base64.StdEncoding.EncodeToString(message), rpc.Options{"commitment": rpc.Confirmed}); err != nil {
		return nil, err
	}
	if fee.Value == nil {
		return nil, rpc.Lagging("the blockhash it gave is not there")
	}
	rent, err := e.Rent(ctx, p.accountSize())
	if err != nil {
		return nil, err
	}
	least, err := e.Rent(ctx, 0)
	if err != nil {
		return nil, err
	}
	p.cost = *fee.Value
	for _, fresh := range p.fresh {
		if fresh {
			p.cost += rent
		}
	}
	if balance < p.cost+least {
		return s.noGas(balance, p.cost+least), nil
	}
	return nil, nil
}

func (s *Sender) noGas(has, needs uint64) error {
	sol := func(v uint64) string { return money.UnitsFromUint64(v).Format(rpc.CoinDecimals) }
	return fmt.Errorf("%w: %s holds %s SOL, and the sweep needs %s", chain.ErrNoGas, s.payer(), sol(has), sol(needs))
}
