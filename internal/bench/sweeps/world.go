package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/wallet"
)

const (
	amount           = 25 * money.USD
	settlementWallet = chain.Address("0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0")
	validFor         = time.Hour
	// writers open payments at once; they share commits.
	writers = 64
)

// world is a chain, a database, and payments that wait to be paid.
type world struct {
	dir       string
	chain     *devchain.Chain
	asset     chain.Asset
	profile   chain.Profile
	reader    *evm.Adapter
	gas       *wallet.EVM
	store     *store.Store
	key       int64
	watcher   *watch.Watcher
	addresses []common.Address
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newULID() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() }

func newSweepID(time.Time) settlement.ID { return settlement.ID(newULID()) }

func newWorld(ctx context.Context, payments int) (w *world, err error) {
	w = &world{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.dir, err = os.MkdirTemp("", "florin-sweeps-*"); err != nil {
		return w, err
	}
	for _, open := range []func(context.Context) error{w.startChain, w.openStore, w.openShop} {
		if err := open(ctx); err != nil {
			return w, err
		}
	}
	w.watcher = watch.NewWatcher(w.profile, w.reader, w.store, "bench", time.Now, silent())
	w.watcher.Unpaced()
	if err := w.watcher.RunOnce(ctx); err != nil {
		return w, err
	}
	return w, w.openPayments(ctx, payments)
}

func (w *world) close() error {
	var errs []error
	if w.store != nil {
		errs = append(errs, w.store.Close())
	}
	if w.chain != nil {
		errs = append(errs, w.chain.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir))...)
}

func (w *world) startChain(ctx context.Context) (err error) {
	for _, p := range chain.Profiles() {
		if p.Network == chain.Polygon {
			w.profile = p
		}
	}
	w.chain, err = devchain.Start(devchain.Config{
		ChainID: w.profile.ChainID, Decimals: 6, BlockTime: blockTime, SafeDepth: finalDepth, FinalDepth: finalDepth,
	})
	if err != nil {
		return err
	}
	if err := w.chain.Setup(ctx); err != nil {
		return err
	}
	if w.gas, _, err = wallet.GenerateEVM(); err != nil {
		return err
	}
	tx, err := w.chain.FundNative(ctx, w.gas.Address(), new(big.Int).Mul(big.NewInt(1000), big.NewInt(1e18)))
	if err != nil {
		return err
	}
	if _, err := w.chain.WaitReceipt(ctx, tx); err != nil {
		return err
	}
	w.chain.Mine(finalDepth + 1)
	token := w.chain.Tokens().USDC
	w.asset = chain.Asset{
		Network: w.profile.Network, Contract: chain.AddressOf(w.profile.Network, token.Address[:]).Address,
		Symbol: token.Symbol, Decimals: int(token.Decimals), Token: money.USDC,
	}
	w.profile.Assets = []chain.Asset{w.asset}
	w.reader, err = evm.New(evm.Config{Profile: w.profile, Endpoints: []string{w.chain.URL()}})
	return err
}

func (w *world) openStore(ctx context.Context) error {
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	if err != nil {
		return err
	}
	w.store, err = store.Open(ctx, "sqlite://"+filepath.Join(w.dir, "florin.db"), sealer, store.Options{Log: silent()})
	if err != nil {
		return err
	}
	return w.store.Migrate(ctx)
}

func (w *world) openShop(ctx context.Context) error {
	now := time.Now()
	user, err := w.store.Identity().CreateUser(
		ctx, identity.User{PublicID: newULID(), Email: "shop@example.com", CreatedAt: now},
	)
	if err != nil {
		return err
	}
	key, err := w.store.Merchant().CreateKey(ctx, merchant.Key{
		PublicID: newULID(), UserID: user.ID, Hash: identity.Hash{1}, CreatedAt: now,
	}, func(id int64) []ledger.Entry {
		return []ledger.Entry{ledger.Grant(id, ledger.Credit, 1_000_000, ledger.ReasonGrant, "bench", now)}
	})
	w.key = key.ID
	return err
}

// openPayments starts payments and keeps their addresses.
func (w *world) openPayments(ctx context.Context, n int) error {
	w.addresses = make([]common.Address, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for i := range n {
		g.Go(func() (err error) {
			w.addresses[i], err = w.start(ctx)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("start %d payments: %w", n, err)
	}
	return nil
}

func (w *world) start(ctx context.Context) (common.Address, error) {
	now := time.Now()
	id := payment.ID(newULID())
	at, err := evm.NewDepositor(w.profile.Network).DepositAddress(chain.Settlement{
		Network: w.profile.Network, Wallet: settlementWallet, PaymentID: string(id), Scheme: chain.SchemeTxnID,
	})
	if err != nil {
		return common.Address{}, err
	}
	created := payment.New(payment.Request{
		ID: id, KeyID: w.key, Kind: payment.KindMerchant, Amount: amount, ValidFor: validFor,
	}, now)
	_, err = w.store.OpenPayment(ctx, created, func(p payment.Payment) (payment.Change, error) {
		return p.Start(
			payment.Choice{Network: w.profile.Network, Token: money.USDC},
			payment.Route{Address: at, Settlement: settlementWallet, Scheme: chain.SchemeTxnID}, validFor, now,
		)
	})
	return common.Address(at.Raw), err
}
