package main_test

import (
	"strings"
	"testing"
	"time"
)

// TestServe_FaultyEndpoints: the program reads a real chain through three endpoints, of which one is silent, slow, or
// invents money, or another network of which is dead.
func TestServe_FaultyEndpoints(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, f *faultyShop){
		"Silent": func(t *testing.T, f *faultyShop) {
			txnid, address := f.start(t, "POLYGON", "USDC", 500)
			f.nodes[0].set(silent)
			f.chain.pay(t, f.chain.Tokens().USDC, address, 500)
			time.Sleep(8 * time.Second)
			f.nodes[0].set(nil)
			f.within(t, 40*time.Second, txnid, "COMPLETED", 5)
		},
		"Inventing": func(t *testing.T, f *faultyShop) {
			txnid, address := f.start(t, "POLYGON", "USDC", 500)
			f.nodes[0].set(f.chain.inventing(t, f.chain.Tokens().USDC.Address.Hex(), address, 3_000_000))
			time.Sleep(5 * time.Second)
			f.chain.pay(t, f.chain.Tokens().USDC, address, 500)
			f.within(t, 20*time.Second, txnid, "COMPLETED", 5) // while the lie lasts
		},
		"Slow": func(t *testing.T, f *faultyShop) {
			f.nodes[0].slow(12 * time.Second)
			txnid, address := f.start(t, "POLYGON", "USDC", 500)
			f.chain.pay(t, f.chain.Tokens().USDC, address, 500)
			f.within(t, 20*time.Second, txnid, "COMPLETED", 5)
		},
		"Blind": func(t *testing.T, f *faultyShop) {
			txnid, _ := f.start(t, "BASE", "USDC", 500)
			for _, n := range f.nodes {
				n.CloseClientConnections()
				n.Close()
			}
			f.within(t, 60*time.Second, txnid, "EXPIRED", 0)
			f.awaitWebhook(t, txnid, "expired")
			txnid, address := f.start(t, "BASE", "USDC", 500)
			f.chains[1].pay(t, f.chains[1].Tokens().USDC, address, 500)
			f.within(t, 15*time.Second, txnid, "COMPLETED", 5)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openFaultyShop(t, name))
		})
	}
}

// faultyShop is a shop on Polygon, read through three nodes, and in one case on Base as well.
type faultyShop struct {
	*shop
	chain testChain
	nodes []*faultyNode
}

// openFaultyShopAt opens a shop that reads Polygon through so many nodes, at the addresses that spell makes of theirs.
func openFaultyShopAt(t *testing.T, count int, spell func([]string) []string, env ...string) *faultyShop {
	t.Helper()
	f := &faultyShop{chain: startChain(t, 1, 1, 2)}
	urls := f.addNodes(t, count)
	if spell != nil {
		urls = spell(urls)
	}
	f.shop = openShopOn(t, []testChain{f.chain}, append(env, "FLORIN_POLYGON_RPC="+strings.Join(urls, ","))...)
	return f
}

func (f *faultyShop) addNodes(t *testing.T, count int) (urls []string) {
	t.Helper()
	for range count {
		n := newFaultyNode(t, f.chain.URL())
		f.nodes, urls = append(f.nodes, n), append(urls, n.URL)
	}
	return urls
}

func openFaultyShop(t *testing.T, name string) *faultyShop {
	t.Helper()
	f := &faultyShop{chain: startChain(t, 1, 1, 2)}
	urls := f.addNodes(t, 3)
	env, chains := []string{}, []testChain{f.chain}
	if name == "Blind" {
		chains = append(chains, startChain(t, 2, 1, 2))
		env = append(env, "FLORIN_PAYMENT_TTL=20s", "FLORIN_START_TTL=20s")
	}
	f.shop = openShopOn(t, chains, append(env, "FLORIN_POLYGON_RPC="+strings.Join(urls, ","))...)
	return f
}

// within waits for so long until the payment has the status, and fails unless it has received so many dollars.
func (f *faultyShop) within(t *testing.T, most time.Duration, txnid, status string, received float64) {
	t.Helper()
	for end := time.Now().Add(most); ; time.Sleep(100 * time.Millisecond) {
		p := f.status(t, txnid)
		if p["status"] == status && p["receivedAmount"] == received {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s the payment is %v, want %s with %g", most, p, status, received)
		}
	}
}
