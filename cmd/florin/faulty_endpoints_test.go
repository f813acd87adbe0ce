package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/testkit"
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

// faultyNode is an endpoint of a real chain that answers some calls otherwise.
type faultyNode struct {
	*httptest.Server
	mu    sync.Mutex
	takes time.Duration
	// answer returns what a method is answered in place of the chain's result; nil: an error.
	answer func(method string, params, result json.RawMessage) json.RawMessage
}

type nodeCall struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func newFaultyNode(t *testing.T, upstream string) *faultyNode {
	t.Helper()
	n := &faultyNode{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client gave up
		}
		n.mu.Lock()
		takes, answer := n.takes, n.answer
		n.mu.Unlock()
		select {
		case <-time.After(takes):
		case <-r.Context().Done():
			return
		}
		res, err := http.Post(upstream, "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		said, err := io.ReadAll(res.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		if answer != nil {
			said = altered(body, said, answer)
		}
		_, _ = w.Write(said) // the client may have gone
	}))
	t.Cleanup(n.Close)
	return n
}

// altered changes the answers to one call, or to a batch.
func altered(request, said []byte, answer func(string, json.RawMessage, json.RawMessage) json.RawMessage) []byte {
	var calls []nodeCall
	var replies []map[string]json.RawMessage
	one := bytes.HasPrefix(request, []byte("{"))
	if one {
		request, said = fmt.Appendf(nil, "[%s]", request), fmt.Appendf(nil, "[%s]", said)
	}
	if json.Unmarshal(request, &calls) != nil || json.Unmarshal(said, &replies) != nil {
		return said
	}
	for i, r := range replies {
		for _, c := range calls {
			if bytes.Equal(c.ID, r["id"]) && r["result"] != nil {
				if replies[i]["result"] = answer(c.Method, c.Params, r["result"]); replies[i]["result"] == nil {
					delete(replies[i], "result")
					replies[i]["error"] = json.RawMessage(`{"code":-32603,"message":"internal error"}`)
				}
			}
		}
	}
	var out any = replies
	if one {
		out = replies[0]
	}
	said, _ = json.Marshal(out)
	return said
}

func (n *faultyNode) set(answer func(string, json.RawMessage, json.RawMessage) json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answer = answer
}

func (n *faultyNode) slow(takes time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.takes = takes
}

// silent leaves all logs out.
func silent(method string, _, result json.RawMessage) json.RawMessage {
	if method == "eth_getLogs" {
		return json.RawMessage("[]")
	}
	return result
}

// inventing shows a transfer to an address that nobody made, in a block of the chain, with its receipt.
func (c testChain) inventing(
	t *testing.T, token, to string, units int64,
) func(string, json.RawMessage, json.RawMessage) json.RawMessage {
	t.Helper()
	head, err := c.Client().HeaderByNumber(t.Context(), nil)
	testkit.Must(t, err)
	number, tx := head.Number.Uint64()+1, crypto.Keccak256Hash([]byte(to)).Hex()
	log := func(block string) string {
		return fmt.Sprintf(`{"address":%q,"topics":[%q,%q,%q],"data":"0x%064x","blockNumber":"0x%x","blockHash":%q,`+
			`"transactionHash":%q,"transactionIndex":"0x0","logIndex":"0x0","removed":false}`,
			token, crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), common.HexToHash("0x01"),
			common.BytesToHash(common.HexToAddress(to).Bytes()), units, number, block, tx)
	}
	hash := func() string {
		h, err := c.Client().HeaderByNumber(context.WithoutCancel(t.Context()), new(big.Int).SetUint64(number))
		if err != nil {
			return common.Hash{}.Hex() // it is not made yet
		}
		return h.Hash().Hex()
	}
	return func(method string, params, result json.RawMessage) json.RawMessage {
		switch {
		case method == "eth_getLogs" && within(params, number):
			others := strings.Trim(string(result), "[]")
			return json.RawMessage("[" + strings.Trim(others+","+log(hash()), ",") + "]")
		case method == "eth_getTransactionReceipt" && strings.Contains(string(params), tx):
			block := hash()
			return fmt.Appendf(nil, `{"transactionHash":%q,"blockNumber":"0x%x","blockHash":%q,"status":"0x1","logs":[%s]}`,
				tx, number, block, log(block))
		}
		return result
	}
}

// within reports whether a range of logs holds the block.
func within(params json.RawMessage, block uint64) bool {
	var filter []struct{ FromBlock, ToBlock string }
	if json.Unmarshal(params, &filter) != nil || len(filter) == 0 {
		return false
	}
	from, err1 := strconv.ParseUint(strings.TrimPrefix(filter[0].FromBlock, "0x"), 16, 64)
	to, err2 := strconv.ParseUint(strings.TrimPrefix(filter[0].ToBlock, "0x"), 16, 64)
	return err1 == nil && err2 == nil && from <= block && block <= to
}
