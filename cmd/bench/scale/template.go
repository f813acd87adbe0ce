package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// age is how far the newest of the history lies back, so that nothing of it is awaited any more.
const age = 2 * time.Hour

// templates stores one payment of each kind there is in a history, the most frequent most often. Their numbers are
// 1 to the number it returns.
func (d *database) templates(ctx context.Context) (int64, error) {
	lives := []func(context.Context, payment.Payment, time.Time) error{
		d.paid, d.paid, d.paid, d.paid, d.paid, d.paid, d.paid, d.expired, d.expired, d.untouched,
	}
	at := d.now.Add(-age)
	for i, live := range lives {
		p, err := d.CreatePayment(ctx, payment.New(payment.Request{
			ID: storetest.NewID(), KeyID: d.keys[0], Kind: payment.KindMerchant, Amount: 12_500_000,
			ValidFor: 30 * time.Minute,
			Details: payment.Details{
				Reference: "order 4711", Description: "Two tickets", SuccessURL: "https://shop.example/thanks",
				Metadata: map[string]string{"cart": "a-b-c"}, CustomerEmail: "payer@example.org",
			},
		}, at))
		if err != nil {
			return 0, err
		}
		if p.Number != int64(i+1) {
			return 0, fmt.Errorf("template %d has the number %d", i+1, p.Number)
		}
		if err := live(ctx, p, at); err != nil {
			return 0, err
		}
	}
	return int64(len(lives)), d.deliver(ctx, at)
}

// networkOf spreads the templates over the EVM networks.
func networkOf(p payment.Payment) chain.Network {
	return []chain.Network{chain.BEP20, chain.Polygon, chain.Base}[p.Number%3]
}

func (d *database) start(ctx context.Context, p payment.Payment, at time.Time) (payment.Payment, error) {
	return d.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
		raw := make([]byte, 20)
		raw[0] = 1
		binary.BigEndian.PutUint64(raw[12:], uint64(p.Number))
		return p.Start(payment.Choice{Network: networkOf(p), Token: money.USDC}, payment.Route{
			Address:    chain.AddressOf(chain.Polygon, raw),
			Settlement: "0x52908400098527886E0F7030069857D2E4169EE7",
			Scheme:     chain.SchemeTxnID,
		}, 30*time.Minute, at.Add(time.Minute))
	})
}

// paid is seen, and final later.
func (d *database) paid(ctx context.Context, p payment.Payment, at time.Time) error {
	p, err := d.start(ctx, p, at)
	if err != nil {
		return err
	}
	network := networkOf(p)
	var asset chain.Asset
	for _, profile := range chain.Profiles() {
		if profile.Network == network {
			asset, _ = profile.Asset(money.USDC)
		}
	}
	transfer := chain.Transfer{
		Key:   chain.Key{Network: network, Tx: chain.TxHash(fmt.Sprintf("0x%064x", p.Number)), Ordinal: 3},
		Asset: asset, From: "0x52908400098527886E0F7030069857D2E4169EE7", To: p.Routes[0].Address.Address,
		Units:  p.Amount.Units(asset.Decimals),
		Block:  chain.Head{Number: 10, Hash: fmt.Sprintf("0x%064x", 10), Time: at.Add(2 * time.Minute)},
		Source: "rpc.example",
	}
	for _, final := range []uint64{5, 20} {
		_, err := d.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Observe(payment.View{
				Network: network, From: 1, To: 30, Latest: chain.Head{Number: 30},
				Final: chain.Head{Number: final}, Finalized: chain.Head{Number: final},
				Transfers: []chain.Transfer{transfer},
			}, at.Add(3*time.Minute))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// expired was started, and nobody paid.
func (d *database) expired(ctx context.Context, p payment.Payment, at time.Time) error {
	if _, err := d.start(ctx, p, at); err != nil {
		return err
	}
	return d.untouched(ctx, p, at)
}

// untouched was never started.
func (d *database) untouched(ctx context.Context, p payment.Payment, at time.Time) error {
	_, err := d.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
		read := payment.Coverage{}
		for _, n := range chain.Networks() {
			read[n] = at.Add(time.Hour)
		}
		return p.Expire(read, at.Add(40*time.Minute))
	})
	return err
}

// shownHead is what an attempt shows of a request before its body.
const shownHead = "POST /hook HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: Florin\r\nContent-Type: application/json\r\n" +
	"Webhook-Id: evt_01234567890123456789012345\r\nWebhook-Timestamp: 1795257000\r\nWebhook-Signature: (masked)\r\n\r\n"

// deliver delivers the webhooks of the templates.
func (d *database) deliver(ctx context.Context, at time.Time) error {
	const holder = "scale"
	at = at.Add(time.Hour)
	due, err := d.DueReceivers(ctx, at)
	if err != nil {
		return err
	}
	for _, r := range due {
		list, err := d.Claim(ctx, holder, at, at.Add(time.Hour), []webhook.Share{{Receiver: r.ID, N: 100}})
		if err != nil {
			return err
		}
		for _, x := range list {
			a := webhook.Attempt{
				At: at, URL: x.URL, Status: 200, Latency: 20 * time.Millisecond, Response: "ok",
				Request: shownHead, Keyed: true,
			}
			if err := d.Settle(
				ctx, holder, webhook.Outcome{DeliveryID: x.ID, Attempt: a, State: webhook.Delivered},
			); err != nil {
				return err
			}
		}
	}
	return nil
}
