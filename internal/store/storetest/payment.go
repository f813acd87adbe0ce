package storetest

import (
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Request describes an ordinary payment.
func Request(k merchant.Key) payment.Request {
	return payment.Request{
		ID: NewID(), KeyID: k.ID, Kind: payment.KindMerchant, Amount: 12_500_000, ValidFor: time.Hour,
		Terms: payment.Terms{ShortBasis: 50, LateFor: time.Hour},
		Details: payment.Details{
			Reference: "order 'ñ' \"7\" ?", Description: "naïve 👛 \\ %s", SuccessURL: "https://shop.example/ok?x=1&y=2",
			Metadata: map[string]string{"k?": "v'\\\"", "": "empty"}, CustomerEmail: "c@example.org",
		},
	}
}

// NewPayment stores a payment of the key, created at Start.
func (w *World) NewPayment(k merchant.Key) payment.Payment { return w.NewPaymentAt(k, Start) }

// NewPaymentAt stores a payment of the key.
func (w *World) NewPaymentAt(k merchant.Key, when time.Time) payment.Payment {
	w.T.Helper()
	p, err := w.CreatePayment(w.T.Context(), payment.New(Request(k), when))
	w.Must(err)
	return p
}

// Stored reads the payment.
func (w *World) Stored(id payment.ID) payment.Payment {
	w.T.Helper()
	p, err := w.Payment(w.T.Context(), id)
	w.Must(err)
	return p
}

// Update changes a payment and returns it.
func (w *World) Update(id payment.ID, decide func(payment.Payment) (payment.Change, error)) payment.Payment {
	w.T.Helper()
	p, err := w.UpdatePayment(w.T.Context(), id, decide)
	w.Must(err)
	return p
}

// RouteOf makes a deposit address of the payment's number, so that tests can tell addresses apart.
func RouteOf(n chain.Network, number int64) payment.Route {
	raw := make([]byte, 20)
	if n == chain.Solana {
		raw = make([]byte, 32)
	}
	raw[0] = 0xd0
	for i := range 8 {
		raw[len(raw)-1-i] = byte(number >> (8 * i))
	}
	return payment.Route{
		Address: chain.AddressOf(n, raw), Settlement: "0x52908400098527886E0F7030069857D2E4169EE7", Scheme: chain.SchemeTxnID,
	}
}

// StartOn returns the decision that starts a payment.
func StartOn(n chain.Network, token money.Token, now time.Time) func(payment.Payment) (payment.Change, error) {
	return func(p payment.Payment) (payment.Change, error) {
		return p.Start(payment.Choice{Network: n, Token: token}, RouteOf(n, p.Number), 30*time.Minute, now)
	}
}

// NewStarted stores a payment and starts it on Polygon in USDC.
func (w *World) NewStarted(k merchant.Key) payment.Payment {
	w.T.Helper()
	return w.Update(w.NewPayment(k).ID, StartOn(chain.Polygon, money.USDC, Start))
}

// Transfer is a transfer to the payment's Polygon address.
func Transfer(p payment.Payment, tx string, amount money.Micros, block uint64) chain.Transfer {
	profile := chain.Profiles()[1]
	asset, _ := profile.Asset(money.USDC)
	r, _ := p.Route()
	return chain.Transfer{
		Key:   chain.Key{Network: chain.Polygon, Tx: chain.TxHash(tx), Ordinal: 3},
		Asset: asset, From: "0x52908400098527886E0F7030069857D2E4169EE7", To: r.Address.Address,
		Units:  amount.Units(asset.Decimals),
		Block:  chain.Head{Number: block, Hash: fmt.Sprintf("0xb%d", block), Time: Start.Add(time.Minute)},
		Source: "rpc.example",
	}
}

// Observe returns the decision that records the transfers; those up to block final are final.
func Observe(final uint64, transfers ...chain.Transfer) func(payment.Payment) (payment.Change, error) {
	return func(p payment.Payment) (payment.Change, error) {
		return p.Observe(payment.View{
			Network: chain.Polygon, From: 1, To: 1000, Final: chain.Head{
				Number: final,
			}, Finalized: chain.Head{Number: final},
			Transfers: transfers,
		}, Start.Add(2*time.Minute))
	}
}
