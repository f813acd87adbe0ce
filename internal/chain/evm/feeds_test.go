package evm_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// feedOf deploys a feed with a price of 1.16152, and returns what reads it.
func (h *holders) feedOf(of, description string, decimals uint8) (devchain.Feed, chain.Feed) {
	h.t.Helper()
	f := devchain.NewFeed(of+description, description, decimals)
	if _, err := h.chain.Deploy(h.t.Context(), f); err != nil {
		h.t.Fatal(err)
	}
	h.Mine(1)
	h.set(f, 116_152_000)
	at := chain.AddressOf(h.profile.Network, f.Address[:]).Address
	return f, chain.Feed{Of: of, Contract: at, MaxAge: time.Hour}
}

func (h *holders) set(f devchain.Feed, price int64) {
	h.t.Helper()
	if err := h.chain.SetFeed(h.t.Context(), f, big.NewInt(price), time.Unix(1_790_000_000, 0)); err != nil {
		h.t.Fatal(err)
	}
	h.Mine(1)
}

// Price feeds are read with one call where Multicall is and one by one elsewhere, each by itself: one that is retired,
// or is no feed, leaves the others as they are.
func TestFeeds(t *testing.T) {
	t.Parallel()
	h := newHolders(t, 1)
	euro, readsEuro := h.feedOf("EUR", "EUR / USD", 8)
	below, readsBelow := h.feedOf("JPY", "JPY / USD", 8)
	h.set(below, -5)
	_, readsOther := h.feedOf("GBP", strings.Repeat("x", 200), 18)
	retired, readsRetired := h.feedOf("CHF", "CHF / USD", 8)
	if err := h.chain.StopFeed(t.Context(), retired); err != nil {
		t.Fatal(err)
	}
	h.Mine(1)
	nothing := chain.Feed{Of: "CNY", Contract: h.addresses[0]}
	token := chain.Feed{Of: "CAD", Contract: h.Credited().Contract}
	feeds := []chain.Feed{readsEuro, readsBelow, readsOther, readsRetired, nothing, token}
	for name, contract := range map[string]rpc.Multicall{"multicall": h.contract, "one by one": {At: rpc.Address{1}}} {
		h.through(h.chain.URL(), contract)
		if _, err := h.reader.Feeds(t.Context(), feeds); err != nil { // learns what the endpoint has
			t.Fatal(err)
		}
		clear(h.calls)
		got, err := h.reader.Feeds(t.Context(), feeds)
		if err != nil || len(got) != len(feeds) {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		if x := got[0]; x.Answer.Int64() != 116_152_000 || x.Decimals != 8 || x.Description != "EUR / USD" ||
			x.UpdatedAt.Unix() != 1_790_000_000 || x.Problem != "" {
			t.Errorf("%s: %s says %+v", name, euro.Of, x)
		}
		if got[1].Answer.Int64() != -5 || got[2].Decimals != 18 || got[2].Description != "" {
			t.Errorf("%s: a price below zero %+v, other decimals and a long name %+v", name, got[1], got[2])
		}
		for _, x := range got[3:] {
			if x.Problem == "" || x.Answer != nil {
				t.Errorf("%s: no feed says %+v", name, x)
			}
		}
		if calls := h.calls["eth_call"]; name == "multicall" && (calls != 1 || len(h.calls) != 1) {
			t.Errorf("%s: read with %v", name, h.calls)
		}
	}
}

// An endpoint whose newest block is old says nothing of prices.
func TestFeeds_OldBlock(t *testing.T) {
	t.Parallel()
	h := newHolders(t, 1)
	_, euro := h.feedOf("EUR", "EUR / USD", 8)
	h.profile.HeadLimit = -time.Hour
	for _, contract := range []rpc.Multicall{h.contract, {At: rpc.Address{1}}} {
		h.through(h.chain.URL(), contract)
		if got, err := h.reader.Feeds(t.Context(), []chain.Feed{euro}); err == nil {
			t.Errorf("an old block says %+v", got)
		}
	}
}
