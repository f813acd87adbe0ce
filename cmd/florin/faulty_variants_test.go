package main_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

type alteration = func(method string, params, result json.RawMessage) json.RawMessage

// TestServe_HidingEndpoint: the quickest of three endpoints, which is asked first, leaves the money of one order out of
// its logs while another one is paid in the next block. Both are credited in time.
func TestServe_HidingEndpoint(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"First": 0, "Third": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFaultyShop(t, name)
			for i, n := range f.nodes {
				if i != at {
					n.slow(500 * time.Millisecond)
				}
			}
			time.Sleep(5 * time.Second) // in which that is noticed
			txnid, address := f.start(t, "POLYGON", "USDC", 500)
			other, paid := f.start(t, "POLYGON", "USDC", 700)
			f.nodes[at].set(hiding(address))
			f.chain.pay(t, f.chain.Tokens().USDC, address, 500)
			f.chain.pay(t, f.chain.Tokens().USDC, paid, 700) // or the blocks are not read before the endpoint is right
			f.within(t, 30*time.Second, other, "COMPLETED", 7)
			f.within(t, 90*time.Second, txnid, "COMPLETED", 5) // while it still hides it
		})
	}
}

// TestServe_TwoOfThree: while two of three endpoints are silent nothing is credited, and afterwards it is in time. What
// two leave out, the balances show when the payment's time has run out: it does not expire, and its money is found.
func TestServe_TwoOfThree(t *testing.T) {
	t.Parallel()
	for name, takes := range map[string]time.Duration{"Silent": time.Minute, "Hiding": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFaultyShopAt(t, 3, nil, "FLORIN_PAYMENT_TTL=40s", "FLORIN_START_TTL=40s")
			txnid, address := f.start(t, "POLYGON", "USDC", 500)
			for _, n := range f.nodes[:2] {
				if n.slow(takes); takes == 0 {
					n.set(silent)
				}
			}
			f.chain.pay(t, f.chain.Tokens().USDC, address, 500)
			if takes > 0 {
				time.Sleep(15 * time.Second)
				f.within(t, 0, txnid, "STARTED", 0)
				for _, n := range f.nodes {
					n.slow(0)
				}
			}
			f.within(t, 90*time.Second, txnid, "COMPLETED", 5)
		})
	}
}

// TestServe_OneVoice: an endpoint that invents money is one opinion, however its address is spelled and wherever it
// stands in the list.
func TestServe_OneVoice(t *testing.T) {
	t.Parallel()
	for name, spell := range map[string]func(liar, honest string) []string{
		"User": func(liar, honest string) []string {
			return []string{liar, honest, strings.Replace(liar, "://", "://user:secret@", 1)}
		},
		"Socket": func(liar, honest string) []string {
			return []string{liar, strings.Replace(liar, "http://127.0.0.1", "ws://localhost", 1) + "/key", honest}
		},
		"Name": func(liar, honest string) []string {
			return []string{strings.Replace(liar, "127.0.0.1", "localhost", 1) + "/one", liar + "/v3?key=1", honest}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFaultyShopAt(t, 2, func(urls []string) []string { return spell(urls[0], urls[1]) })
			txnid, address := f.start(t, "POLYGON", "USDC", 500)
			other, paid := f.start(t, "POLYGON", "USDC", 700)
			f.nodes[0].set(f.chain.inventing(t, f.chain.Tokens().USDC.Address.Hex(), address, 5_000_000))
			time.Sleep(2 * time.Second)
			f.chain.pay(t, f.chain.Tokens().USDC, paid, 700) // or the block of the lie is not read for a while
			f.within(t, 60*time.Second, other, "COMPLETED", 7)
			time.Sleep(35 * time.Second) // as long as until the second reading
			f.within(t, 0, txnid, "STARTED", 0)
			f.chain.pay(t, f.chain.Tokens().USDC, address, 500)
			f.within(t, 60*time.Second, txnid, "COMPLETED", 5)
		})
	}
}

// TestServe_FaultyReceipt: one transaction whose receipt an endpoint never answers rightly concerns that transaction:
// the money of others is credited in time, and the network can be chosen. Where a quorum of endpoints can read it, it
// is credited, too.
func TestServe_FaultyReceipt(t *testing.T) {
	t.Parallel()
	failing := func(json.RawMessage) json.RawMessage { return nil }
	empty := func(r json.RawMessage) json.RawMessage {
		return regexp.MustCompile(`"logs":\[.*\]`).ReplaceAll(r, []byte(`"logs":[]`))
	}
	renumbered := func(r json.RawMessage) json.RawMessage {
		return regexp.MustCompile(`"(logIndex|transactionIndex)":"0x[0-9a-f]+"`).ReplaceAll(r, []byte(`"$1":"0x2a"`))
	}
	late := func(r json.RawMessage) json.RawMessage {
		time.Sleep(25 * time.Second)
		return r
	}
	for name, c := range map[string]struct {
		endpoints int
		alter     func(json.RawMessage) json.RawMessage // of receipts; nil: logs name another block
		credited  bool                                  // as long as it lasts, within 30 s
	}{
		"HashOfOne": {1, nil, false}, "HashOfTwo": {2, nil, false}, "HashOfThree": {3, nil, true},
		"One": {1, failing, false}, "Two": {2, failing, false}, "Three": {3, failing, true},
		"EmptyOfOne": {1, empty, false}, "EmptyOfTwo": {2, empty, false},
		"NumbersOfOne": {1, renumbered, true}, "LateOfTwo": {2, late, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := openFaultyShopAt(t, c.endpoints, nil)
			bad, badAddress := f.start(t, "POLYGON", "USDC", 500)
			good, address := f.start(t, "POLYGON", "USDC", 700)
			if f.nodes[0].set(onReceipts(badAddress, c.alter)); c.alter == nil {
				f.nodes[0].set(rehashed(badAddress))
			}
			f.chain.pay(t, f.chain.Tokens().USDC, badAddress, 500)
			time.Sleep(2 * time.Second)
			f.chain.pay(t, f.chain.Tokens().USDC, address, 700)
			f.within(t, 30*time.Second, good, "COMPLETED", 7)
			f.startNow(t, "POLYGON")
			if c.credited {
				f.within(t, 30*time.Second, bad, "COMPLETED", 5)
			}
			f.nodes[0].set(nil)
			f.within(t, 90*time.Second, bad, "COMPLETED", 5)
		})
	}
}

// onReceipts alters the receipts that name an address.
func onReceipts(address string, alter func(json.RawMessage) json.RawMessage) alteration {
	topic := strings.ToLower(strings.TrimPrefix(address, "0x"))
	return func(method string, _, result json.RawMessage) json.RawMessage {
		if strings.Contains(method, "Receipt") && strings.Contains(strings.ToLower(string(result)), topic) {
			return alter(result)
		}
		return result
	}
}

// rehashed names another block in the logs of money to an address.
func rehashed(address string) alteration {
	topic := strings.ToLower(strings.TrimPrefix(address, "0x"))
	hash := regexp.MustCompile(`"blockHash":"0x[0-9a-f]+"`)
	return func(method string, _, result json.RawMessage) json.RawMessage {
		var logs []json.RawMessage
		if method != "eth_getLogs" || json.Unmarshal(result, &logs) != nil || len(logs) == 0 {
			return result
		}
		for i, l := range logs {
			if strings.Contains(strings.ToLower(string(l)), topic) {
				logs[i] = hash.ReplaceAll(l, []byte(`"blockHash":"`+common.HexToHash("0x77").Hex()+`"`))
			}
		}
		all, err := json.Marshal(logs)
		if err != nil {
			return result
		}
		return all
	}
}

// hiding leaves the logs of money to one address out.
func hiding(address string) alteration {
	topic := strings.ToLower(strings.TrimPrefix(address, "0x"))
	return func(method string, _, result json.RawMessage) json.RawMessage {
		var logs []json.RawMessage
		if method != "eth_getLogs" || json.Unmarshal(result, &logs) != nil {
			return result
		}
		others := []json.RawMessage{}
		for _, l := range logs {
			if !strings.Contains(strings.ToLower(string(l)), topic) {
				others = append(others, l)
			}
		}
		all, err := json.Marshal(others)
		if err != nil {
			return result
		}
		return all
	}
}

// startNow fails unless a payment can be started on the network at the first try.
func (f *faultyShop) startNow(t *testing.T, network string) {
	t.Helper()
	_, created := f.post(t, "/create-payment", `{"apiKey":"`+f.key+`","amount":1}`)
	txnid := created["transaction"].(map[string]any)["txnid"].(string)
	status, answer := f.post(t, "/pay", `{"txnid":"`+txnid+`","network":"`+network+`","token":"USDC"}`)
	if status != http.StatusOK {
		t.Errorf("a start is answered %d: %v", status, answer)
	}
}
