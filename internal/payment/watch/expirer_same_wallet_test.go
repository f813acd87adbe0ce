package watch_test

import (
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// sameWallet is a second EVM network of a rig, on which the merchant's wallet is the same, as on a third one, which
// cannot be read.
type sameWallet struct {
	*rig
	chain   *chaintest.EVM
	profile chain.Profile
	watcher *watch.Watcher
	expirer *watch.Expirer
}

func newSameWallet(t *testing.T) *sameWallet {
	t.Helper()
	s := &sameWallet{rig: newRig(t, 1)}
	var blind chain.Profile
	for _, p := range chain.Profiles() {
		if p.Network == chain.Base {
			s.profile = p
		}
		if p.Network == chain.BEP20 {
			blind = p
		}
	}
	s.profile.Finality = s.rig.profile.Finality
	s.profile.SafeLimit, s.profile.FinalizedLimit = rigFinalLimit, rigFinalLimit
	s.chain = chaintest.NewEVM(chaintest.EVMConfig{
		ChainID: s.profile.ChainID, Assets: s.profile.Assets, BlockTime: time.Second,
		SafeDepth: rigSafeDepth, FinalDepth: rigFinalDepth,
	})
	s.chain.Mine(rigFinalDepth + 2)
	a, err := evm.New(evm.Config{Profile: s.profile, Endpoints: []string{s.chain.Endpoint(t).URL}, Now: s.now})
	s.must(err)
	s.watcher = watch.NewWatcher(s.profile, unchecked{a}, s.store, "one", s.now, slog.New(slog.DiscardHandler))
	s.expirer = watch.NewExpirer([]chain.Profile{s.rig.profile, s.profile, blind}, map[chain.Network]chain.Reader{
		s.rig.profile.Network: s.reader(), s.profile.Network: unchecked{a}, blind.Network: unchecked{a},
	}, s.store, s.store.Settlement(), s.now, slog.New(slog.DiscardHandler))
	s.must(s.watcher.RunOnce(t.Context()))
	return s
}

// startAnyWay starts a payment on the rig's network whose money counts on the sameWallet too.
func (s *sameWallet) startAnyWay() payment.Payment {
	s.Helper()
	p, err := s.service.Create(s.Context(), payment.CreateInput{KeyID: s.key.ID, Amount: "10"}, audit.Act{})
	s.must(err)
	n := s.rig.profile.Network
	at, err := evm.NewDepositor(n).DepositAddress(
		chain.Settlement{Network: n, Wallet: rigWallet, PaymentID: string(p.ID), Scheme: chain.SchemeTxnID},
	)
	s.must(err)
	p, err = s.store.UpdatePayment(s.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Start(payment.Choice{Network: n, Token: money.USDC}, payment.Route{
			Address: at, Settlement: rigWallet, Scheme: chain.SchemeTxnID,
			Also: []payment.Choice{
				{Network: s.profile.Network, Token: money.USDC}, {Network: chain.BEP20, Token: money.USDC},
			},
		}, rigStartTTL, s.now())
	})
	s.must(err)
	return p
}

// A blind network that the payer did not choose keeps no payment open, though its money counts there as well.
func TestExpirer_SameWalletIsBlind(t *testing.T) {
	t.Parallel()
	s := newSameWallet(t)
	p := s.startAnyWay()
	s.reads(s.profile.Network, false)
	s.watchFor(rigTTL)
	s.must(s.expirer.RunOnce(t.Context()))
	s.expect(p, payment.Expired, 0)
}

// A payment does not expire before a network was read on which its money counts as well, and which can be read: what
// came there in time pays for it, instead of coming late.
func TestExpirer_SameWallet(t *testing.T) {
	t.Parallel()
	for name, pays := range map[string]bool{"Unpaid": false, "Paid": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSameWallet(t)
			p := s.startAnyWay()
			if pays {
				asset, _ := s.profile.Asset(money.USDC)
				s.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: []chaintest.Log{
					chaintest.TransferLog(string(asset.Contract), "0x00000000000000000000000000000000000000f1",
						string(p.Routes[0].Address.Address), big.NewInt(tenUSDC)),
				}})
			}
			s.chain.Mine(1)
			s.watchFor(rigTTL)
			s.reads(s.profile.Network, true)
			s.must(s.expirer.RunOnce(t.Context()))
			s.expect(p, payment.Started, 0) // Base is not read so far

			c, _, err := s.store.Cursor(t.Context(), s.profile.Network)
			s.must(err)
			c.UpdatedAt = s.now().Add(-2 * time.Second)
			s.must(s.store.SaveCursor(t.Context(), s.profile.Network, c))
			s.chain.Wait(s.now().Sub(s.chain.Head().Time))
			s.chain.Mine(rigFinalDepth + 2)
			for range 3 { // it was not read for an hour
				s.must(s.watcher.RunOnce(t.Context()))
				s.chain.Mine(1)
			}
			s.must(s.expirer.RunOnce(t.Context()))
			if pays {
				s.expect(p, payment.Completed, 10*money.USD)
			} else {
				s.expect(p, payment.Expired, 0)
			}
		})
	}
}

// A network that this installation no longer reads holds nothing back.
func TestExpirer_SameWalletIsOff(t *testing.T) {
	t.Parallel()
	s := newSameWallet(t)
	p := s.startAnyWay()
	s.watchFor(rigTTL)
	s.must(s.rig.expirer.RunOnce(t.Context())) // it knows the one network only
	s.expect(p, payment.Expired, 0)
}

// Money that a payer sends on another network than was chosen is seen there within 12 s, though nobody chose that one:
// its quick reads ask about the address from the start on.
func TestWatcher_SentOnAnotherNetwork(t *testing.T) {
	t.Parallel()
	s := newSameWallet(t)
	s.startAnyWay()
	s.readChainFor(s.watcher, s.chain, time.Minute) // what is open is known
	p := s.startAnyWay()
	s.readChainFor(s.watcher, s.chain, 3*time.Second)
	route, _ := p.Route()
	asset, _ := s.profile.Asset(money.USDC)
	s.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: []chaintest.Log{
		chaintest.TransferLog(string(asset.Contract), "0x00000000000000000000000000000000000000f1", string(route.Address.Address), big.NewInt(tenUSDC)),
	}})
	s.readChainFor(s.watcher, s.chain, 12*time.Second)
	if got := s.get(p); len(got.Deposits) != 1 {
		t.Errorf("12 s after the transfer %d deposits are seen", len(got.Deposits))
	}
}
