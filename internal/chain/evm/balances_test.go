package evm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// TestBalances_OneBreaksRequest: an address at which the endpoint breaks off, whatever else is asked for in a request,
// is the only one whose balance is not known, and the endpoint stays in use: by the contract that reads many balances
// at once, and without it.
func TestBalances_OneBreaksRequest(t *testing.T) {
	t.Parallel()
	h := newHolders(t, 90)
	const at = 41
	bad := h.addresses[at]
	breaks := map[string]func(at func(chaintest.ProviderCall) bool) chaintest.Rules{
		"Refused": func(at func(chaintest.ProviderCall) bool) chaintest.Rules {
			return refusing(chaintest.RPCError{Code: -32005, Message: "limit exceeded"}, at)
		},
	}
	for name, answer := range map[string]chaintest.HTTPAnswer{
		"Status500": {Status: 500, Body: "internal"}, "Status502": {Status: 502, Body: "bad gateway"},
		"Status504": {Status: 504, Body: "timeout"}, "Dropped": {Drop: true},
		"Cut": {Status: 200, Body: `[{"jsonrpc":"2.0","id":0,"res`},
	} {
		breaks[name] = func(at func(chaintest.ProviderCall) bool) chaintest.Rules {
			return breakingOff(answer, at)
		}
	}
	p := chaintest.NewProvider(t, h.chain.URL())
	for name, rules := range breaks {
		for _, contract := range []rpc.Multicall{h.contract, {At: rpc.Address{1}}} {
			p.Behave(chaintest.Rules{})
			h.through(p.URL, contract)
			h.mustHold()
			head := h.latest()
			p.Behave(rules(func(c chaintest.ProviderCall) bool {
				return (c.Method == "eth_call" || c.Method == "eth_getBalance") &&
					strings.Contains(strings.ToLower(string(c.Params[0])), strings.ToLower(string(bad[2:])))
			}))
			for range 2 {
				held, err := h.reader.MostHeld(t.Context(), h.Credited(), h.addresses, head)
				unread, _ := errors.AsType[*chain.UnreadError](err)
				if unread == nil || !slices.Equal(unread.Addresses, []chain.Address{bad}) {
					t.Fatalf("%s: %v", name, err)
				}
				for i, a := range h.addresses {
					if i != at && held[i].Cmp(units(h.tokens[a])) != 0 {
						t.Fatalf("%s: address %d holds %s, want %d", name, i, held[i], h.tokens[a])
					}
				}
				_, err = h.reader.Coins(t.Context(), []chain.Address{bad}, head)
				if unread, _ = errors.AsType[*chain.UnreadError](err); unread == nil {
					t.Errorf("%s: the coins of one address: %v", name, err)
				}
			}
			if e := h.reader.Endpoints()[0]; !e.Healthy || !e.CoolUntil.IsZero() || len(e.Learnt) > 0 {
				t.Errorf("%s: the endpoint rests, or gets less: %+v", name, e)
			}
		}
	}
}

// TestBalances_AllBreak: an endpoint that breaks off at every balance is not asked for each of them alone.
func TestBalances_AllBreak(t *testing.T) {
	t.Parallel()
	h := newHolders(t, 200)
	p := chaintest.NewProvider(t, h.chain.URL())
	h.through(p.URL, h.contract)
	h.mustHold()
	head := h.latest()
	p.Behave(breakingOff(chaintest.HTTPAnswer{Status: 500}, func(c chaintest.ProviderCall) bool {
		return c.Method == "eth_call"
	}))
	before, _ := p.Requests()
	if held, err := h.reader.MostHeld(t.Context(), h.Credited(), h.addresses, head); err == nil {
		t.Errorf("balances %v", held)
	}
	if after, _ := p.Requests(); after-before > 40 {
		t.Errorf("%d requests", after-before)
	}
}
