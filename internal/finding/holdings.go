package finding

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// parseAddress reads the address a payer sent from, or was shown, with the
// networks it can be on.
func parseAddress(text string) (chain.Address, []chain.Network, bool) {
	text = strings.TrimSpace(text)
	if a, err := chain.ParseAddress(chain.Polygon, text); err == nil {
		return a.Address, []chain.Network{chain.BEP20, chain.Polygon, chain.Base}, true
	}
	if a, err := chain.ParseAddress(chain.Solana, text); err == nil {
		return a.Address, []chain.Network{chain.Solana}, true
	}
	return "", nil, false
}

// from is what became of money that came from an address, or that was sent to
// one the payer was shown: what is known already, else what the payment's
// addresses hold.
func (s *Service) from(ctx context.Context, p payment.Payment, a chain.Address, networks []chain.Network) Finding {
	best := Finding{}
	for _, d := range p.Deposits {
		if d.Transfer.From != a && d.Transfer.To != a {
			continue
		}
		if f, ok := known(p, d.Transfer.Tx, s.finalIn, s.now()); ok {
			best = better(best, f)
		}
	}
	if best.Verdict != "" {
		return best
	}
	return s.held(ctx, p, networks)
}

// held asks the networks what the payment's addresses hold that no deposit
// tells of. Whoever sent it: the addresses are this payment's alone.
func (s *Service) held(ctx context.Context, p payment.Payment, networks []chain.Network) Finding {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		best = Finding{Verdict: NotFound}
	)
	for _, n := range networks {
		reader, ok := s.readers[n]
		lane, configured := s.payments.Lane(n)
		if !ok || !configured {
			continue
		}
		for _, asset := range lane.Profile.Assets {
			wg.Go(func() {
				f := s.holding(ctx, reader, p, lane.Profile, asset)
				mu.Lock()
				defer mu.Unlock()
				best = better(best, f)
			})
		}
	}
	wg.Wait()
	return best
}

// holding judges what the payment's addresses hold of one asset.
func (s *Service) holding(ctx context.Context, reader Reader, p payment.Payment, profile chain.Profile, asset chain.Asset) Finding {
	n := profile.Network
	told := slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool {
		return d.Transfer.Network == n && d.Transfer.Asset.Contract == asset.Contract && d.State != payment.DepositVanished
	})
	var addresses []chain.Address
	for _, r := range p.Routes {
		if r.Network == n || r.Network.EVM() && n.EVM() {
			addresses = append(addresses, r.Address.Address)
		}
	}
	if told || len(addresses) == 0 {
		return Finding{Verdict: NotFound}
	}
	units, err := reader.Balances(ctx, asset, addresses, s.payments.Health(n).Latest)
	if err != nil || len(units) != len(addresses) {
		return Finding{Verdict: Unavailable, Network: n}
	}
	best := Finding{Verdict: NotFound}
	for i, held := range units {
		if held.IsZero() {
			continue
		}
		t := chain.Transfer{Key: chain.Key{Network: n}, Asset: asset, To: addresses[i], Units: held}
		best = better(best, judgeTransfer(p, profile, t, false, s.finalIn(n)))
	}
	return best
}
