package merchant

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// WalletWarnings returns what a merchant should know of the EVM settlement wallets that differ from those of the
// custodian before: a wallet that is a contract on one network need not be its owner's on the next, whatever code is
// there. Money reaches it on every EVM network, since payers mix networks up and a rescue brings their money to the
// same address. It is no reason to refuse: the owner may be able to deploy the same wallet
// everywhere. It reads from networks, so it must not run in a transaction; one that cannot be asked is left out.
func (s *Service) WalletWarnings(ctx context.Context, before, after Custodian) []fault.Words {
	if s.opts.WalletCode == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, walletCheckLimit)
	defer cancel()
	var warnings []fault.Words
	var done []chain.Address
	for _, n := range slices.Sorted(maps.Keys(after.Wallets)) {
		w := after.Wallets[n]
		if !n.EVM() || before.Wallets[n] == w || slices.Contains(done, w) {
			continue
		}
		done = append(done, w)
		if warning, odd := s.walletWarning(ctx, w); odd {
			warnings = append(warnings, warning)
		}
	}
	return warnings
}

// walletWarning compares the code of a wallet on all EVM networks, which is odd unless it is the same.
func (s *Service) walletWarning(ctx context.Context, w chain.Address) (warning fault.Words, odd bool) {
	var contracts, plain []string
	var code []string
	for _, n := range chain.Networks() {
		if !n.EVM() {
			continue
		}
		here, known := s.opts.WalletCode(ctx, n, w)
		switch {
		case !known:
		case here == "":
			plain = append(plain, s.networkName(n))
		default:
			contracts, code = append(contracts, s.networkName(n)), append(code, here)
		}
	}
	slices.Sort(code)
	switch {
	case len(contracts) > 0 && len(plain) > 0:
		return fault.Text("The wallet %s is a contract on %s and not on %s: money that reaches it there may be lost, "+
			"unless its owner deploys the same wallet there.", w, and(contracts), and(plain)), true
	case len(slices.Compact(code)) > 1:
		return fault.Text("The wallet %s is a contract of its own on each of %s: make sure that it is yours on all of them.",
			w, and(contracts)), true
	}
	return warning, false
}

// and joins names for a sentence.
func and(names []string) fault.Words {
	last := len(names) - 1
	if last == 0 {
		return fault.Text("%s", names[0])
	}
	return fault.Text("%s and %s", strings.Join(names[:last], ", "), names[last])
}

// networkName returns the name of a network as people know it.
func (s *Service) networkName(n chain.Network) string {
	for _, p := range append(slices.Clone(s.opts.Profiles), chain.Profiles()...) {
		if p.Network == n {
			return p.Name
		}
	}
	return string(n)
}
