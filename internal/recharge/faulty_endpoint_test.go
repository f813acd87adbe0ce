package recharge_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

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

// What endpoints do to a receipt.
var (
	honest = func(map[string]any) {}
	noLogs = func(r map[string]any) { r["logs"] = []any{} }
	failed = func(r map[string]any) { r["logs"], r["status"] = []any{}, "0x0" }
	gone   = func(r map[string]any) { r["gone"] = true }
)

// One of two endpoints omits the logs of a receipt, reports that the transaction failed, or does not have the receipt
// yet: the recharge stays SIGNED until both agree.
func TestFailed_EndpointsDisagree(t *testing.T) {
	t.Parallel()
	for name, say := range map[string][2]func(receipt map[string]any){
		"NoLogs":       {noLogs, honest},
		"Failed":       {failed, honest},
		"FailedBehind": {failed, gone},
		"PaidBehind":   {honest, gone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			r := w.broadcast(3)
			w.finalize()
			back := w.asks(w.distorting(say[0]), w.distorting(say[1]))
			for range 2 {
				w.round()
				w.wants("while two endpoints disagree", r, recharge.Signed, 0)
			}
			back()
			w.round()
			w.round()
			w.wants("when they agree", r, recharge.Credited, 3)
			w.balanced()
		})
	}
}

// The only endpoint reports that the transfer failed, and finds it later: the money has arrived, so the units are
// credited.
func TestFailed_FoundLater(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := w.broadcast(3)
		w.finalize()
		back := w.asks(w.distorting(noLogs))
		w.round()
		w.wants("without its logs", r, recharge.Failed, 0)
		if _, ok, err := w.store.Settlement().RechargeOf(t.Context(), w.wallet); ok || err != nil {
			t.Errorf("a failed recharge blocks the next: %v", err)
		}
		back()
		w.clock.Pass(10 * time.Minute)
		w.round()
		w.wants("found later", r, recharge.Credited, 3)
		w.balanced()
	})
}

// One of three endpoints, the first that is asked, has the transaction and says that no block does: it holds nothing
// up.
func TestCredited_OneOfThreeSaysPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	r := w.broadcast(3)
	w.finalize()
	w.asks(w.distorting(gone), w.chain.URL(), w.distorting(honest))
	w.round()
	w.wants("one of three endpoints says pending", r, recharge.Credited, 3)
	w.balanced()
}
