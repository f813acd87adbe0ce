package lookup

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// claimed returns the transfers, with those to token accounts under the key of an address of the payment as paid to the
// address.
func claimed(
	p payment.Payment, profile chain.Profile, reader chain.Reader, transfers []chain.Transfer,
) []chain.Transfer {
	list := slices.Clone(transfers)
	for i := range list {
		t := &list[i]
		to := t.To
		for _, address := range addressesOn(p, t.Network) {
			if t.Holder != "" && (t.Holder == address || slices.Contains(chain.Under(reader, address), t.Holder)) {
				to = address
			}
		}
		if to == t.To && isContract(profile, t.Asset.Contract) {
			t.Account = "" // the associated one, which every scan reads
		}
		t.To = to
	}
	return list
}

// listCost is how many owners' worth of calls chain.ListAll takes for one.
const listCost = 3

// byAccounts looks for money on token accounts under the keys of the payment's addresses that no deposit accounts for,
// and has it read.
func (l *Finder) byAccounts(ctx context.Context, reader chain.Reader, p payment.Payment, profile chain.Profile) Result {
	n := profile.Network
	owners := addressesOn(p, n)
	if _, lists := reader.(chain.TokenLister); !lists || len(owners) == 0 ||
		l.Lists[n].Take(listCost*len(owners)) < listCost*len(owners) {
		return Result{Verdict: NotFound}
	}
	all, err := chain.TokenAccounts(ctx, reader, owners, chain.ListAll)
	if err != nil {
		return Result{Verdict: Unavailable, Network: n}
	}
	best := Result{Verdict: NotFound}
	var found []chain.Transfer
	for _, x := range all {
		if x.Units.Cmp(recordedOn(p, x.Account)) <= 0 {
			continue
		}
		t := chain.Transfer{Key: chain.Key{Network: n}, Asset: x.Asset, To: x.Owner, Account: x.Account, Units: x.Units}
		found = append(found, t)
		best = betterResult(best, judgeTransfer(p, profile, t, false, l.finalIn(n)))
	}
	if accounts := accountsOf(found); len(accounts) > 0 && !l.pending(ctx, p, n, math.MaxUint64, nil, accounts) {
		err := watch.RepairSince(ctx, l.repairs, reader, p.ID, time.Time{}, errFound, l.now(), accounts...)
		best.Reread = err == nil
	}
	return best
}

// recordedOn returns the sum of the deposits that came to a token account.
func recordedOn(p payment.Payment, account chain.Address) (sum money.Units) {
	for _, d := range p.Deposits {
		if d.Transfer.Account == account && d.State != payment.DepositVanished && !d.Swept {
			sum = sum.Add(d.Transfer.Units)
		}
	}
	return sum
}
