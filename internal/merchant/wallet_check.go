package merchant

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// walletCheckLimit bounds how long a chain may take to say what an address is.
const walletCheckLimit = 10 * time.Second

// checkWallets asks the chains about the settlement wallets that differ from those of the custodian before. A payment
// keeps the wallet it was started with, so one that cannot receive money must not be stored. It reads from networks,
// so it must not run in a transaction.
func (s *Service) checkWallets(ctx context.Context, before, after Custodian) error {
	if s.opts.CheckWallet == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, walletCheckLimit)
	defer cancel()
	var wrong []error
	for _, n := range slices.Sorted(maps.Keys(after.Wallets)) {
		if before.Wallets[n] == after.Wallets[n] {
			continue
		}
		wrong = append(wrong, fault.Within(WalletField(n), s.opts.CheckWallet(ctx, n, after.Wallets[n])))
	}
	return errors.Join(wrong...)
}

// checkInput refuses what is wrong with the input by itself, and asks the chains about its wallets.
func (s *Service) checkInput(ctx context.Context, key Key, in CustodianInput) error {
	after, err := s.with(Custodian{}, in)
	if err != nil || len(after.Wallets) == 0 || s.opts.CheckWallet == nil {
		return err
	}
	before, err := s.store.Custodian(ctx, key.ID)
	if err != nil && !errors.Is(err, ErrNoCustodian) {
		return err
	}
	return s.checkWallets(ctx, before, after)
}
