package recharge_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/store/storetest"
)

// distorting returns the address of a proxy of the chain's endpoint that passes every receipt to change. A receipt
// that change marks as "gone" is answered with null.
func (w *world) distorting(change func(receipt map[string]any)) string {
	w.t.Helper()
	one := func(answer map[string]any) {
		if receipt, ok := answer["result"].(map[string]any); ok && receipt["logs"] != nil {
			change(receipt)
			if receipt["gone"] != nil {
				answer["result"] = nil
			}
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		q, err := http.NewRequestWithContext(in.Context(), http.MethodPost, w.chain.URL(), in.Body)
		if err != nil {
			panic(err)
		}
		q.Header.Set("Content-Type", "application/json")
		reply, err := http.DefaultClient.Do(q)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = reply.Body.Close() }()
		body, err := io.ReadAll(reply.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		var answer any
		if decoder.Decode(&answer) != nil {
			panic(http.ErrAbortHandler)
		}
		switch x := answer.(type) {
		case []any:
			for _, a := range x {
				if m, ok := a.(map[string]any); ok {
					one(m)
				}
			}
		case map[string]any:
			one(x)
		}
		_ = json.NewEncoder(out).Encode(answer) // the client may be gone
	}))
	w.t.Cleanup(s.Close)
	return s.URL
}

// One of two endpoints omits the logs of a receipt, or reports that the transaction failed: the recharge stays SIGNED
// until both agree.
func TestFailed_EndpointsDisagree(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(map[string]any){
		"NoLogs": func(r map[string]any) { r["logs"] = []any{} },
		"Failed": func(r map[string]any) { r["logs"], r["status"] = []any{}, "0x0" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			r := w.signed(3)
			w.must(w.remit.Broadcast(t.Context(), r.Bytes))
			w.finalize()
			p := w.profile
			a, err := evm.New(evm.Config{Profile: p, Endpoints: []string{w.distorting(change), w.chain.URL()}})
			w.must(err)
			honest := w.remit
			w.remit = sender.NewTransfers(a, money.UnitsFromUint64(100e9))
			w.round()
			if w.state(r) != recharge.Signed || w.queries() != 0 {
				t.Errorf("while two endpoints disagree: %s, %d queries", w.state(r), w.queries())
			}
			w.remit = honest
			w.round()
			w.round()
			if w.state(r) != recharge.Credited || w.queries() != 3 {
				t.Errorf("when they agree: %s, %d queries", w.state(r), w.queries())
			}
			w.balanced()
		})
	}
}

// The only endpoint reports that the transfer failed, and finds it later: the money has arrived, so the units are
// credited.
func TestFailed_FoundLater(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := w.signed(3)
		w.must(w.remit.Broadcast(t.Context(), r.Bytes))
		w.finalize()
		a, err := evm.New(evm.Config{Profile: w.profile, Endpoints: []string{w.distorting(func(r map[string]any) {
			r["logs"] = []any{}
		})}})
		w.must(err)
		honest := w.remit
		w.remit = sender.NewTransfers(a, money.UnitsFromUint64(100e9))
		w.round()
		if w.state(r) != recharge.Failed {
			t.Fatalf("without its logs: %s", w.state(r))
		}
		if _, ok, err := w.store.Settlement().RechargeOf(t.Context(), w.wallet); ok || err != nil {
			t.Errorf("a failed recharge blocks the next: %v", err)
		}
		w.remit = honest
		w.pass(10 * time.Minute)
		w.round()
		if w.state(r) != recharge.Credited || w.queries() != 3 {
			t.Errorf("found later: %s, %d queries", w.state(r), w.queries())
		}
		w.balanced()
	})
}

// While the second endpoint does not have the receipt yet, neither a failed nor a paid transfer is confirmed.
func TestFailed_SecondEndpointBehind(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(map[string]any){
		"Failed": func(r map[string]any) { r["logs"], r["status"] = []any{}, "0x0" },
		"Paid":   func(map[string]any) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			r := w.signed(3)
			w.must(w.remit.Broadcast(t.Context(), r.Bytes))
			w.finalize()
			behind := w.distorting(func(r map[string]any) { r["gone"] = true })
			a, err := evm.New(evm.Config{Profile: w.profile, Endpoints: []string{w.distorting(change), behind}})
			w.must(err)
			honest := w.remit
			w.remit = sender.NewTransfers(a, money.UnitsFromUint64(100e9))
			for range 2 {
				w.round()
				if w.state(r) != recharge.Signed || w.queries() != 0 {
					t.Errorf("while one endpoint lacks the receipt: %s, %d queries", w.state(r), w.queries())
				}
			}
			w.remit = honest
			w.round()
			w.round()
			if w.state(r) != recharge.Credited || w.queries() != 3 {
				t.Errorf("when both have the receipt: %s, %d queries", w.state(r), w.queries())
			}
		})
	}
}

// One of three endpoints, the first that is asked, has the transaction and says that no block does: it holds nothing
// up.
func TestCredited_OneOfThreeSaysPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	r := w.signed(3)
	w.must(w.remit.Broadcast(t.Context(), r.Bytes))
	w.finalize()
	a, err := evm.New(evm.Config{Profile: w.profile, Endpoints: []string{
		w.distorting(func(r map[string]any) { r["gone"] = true }), w.chain.URL(), w.distorting(func(map[string]any) {}),
	}})
	w.must(err)
	w.remit = sender.NewTransfers(a, money.UnitsFromUint64(100e9))
	w.round()
	if w.state(r) != recharge.Credited || w.queries() != 3 {
		t.Errorf("%s, %d queries", w.state(r), w.queries())
	}
	w.balanced()
}
