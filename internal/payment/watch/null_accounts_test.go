package watch_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

var values = regexp.MustCompile(`(?s)"value":\[.*\]`)

// nullAccounts is a node of the ledger that shows no account while it lies.
func nullAccounts(t *testing.T, upstream string, lies *atomic.Bool) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var call struct {
			Method string
			Params []json.RawMessage
		}
		_ = json.Unmarshal(body, &call)
		res, err := http.Post(upstream, "application/json", bytes.NewReader(body))
		if err != nil {
			return // the client gave up
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			return
		}
		if call.Method == "getMultipleAccounts" && lies.Load() {
			var keys []string
			_ = json.Unmarshal(call.Params[0], &keys)
			nulls, _ := json.Marshal(make([]any, len(keys)))
			answer = values.ReplaceAll(answer, append([]byte(`"value":`), nulls...))
		}
		_, _ = w.Write(answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestWatcher_NullAccounts: the only node shows no account for a while, in which a payment is paid. The money is seen
// soon after that.
func TestWatcher_NullAccounts(t *testing.T) {
	t.Parallel()
	for _, span := range []time.Duration{time.Minute, 4 * time.Minute} {
		t.Run(span.String(), func(t *testing.T) {
			t.Parallel()
			var lies atomic.Bool
			r := newLedgerRigOn(t, func(url string) []string { return []string{nullAccounts(t, url, &lies)} })
			p := r.start()
			r.lasts(10*time.Second, time.Second)
			lies.Store(true)
			r.pay(p)
			r.lasts(span, time.Second)
			r.expect(p, payment.Started, 0)
			lies.Store(false)
			r.lasts(time.Minute, time.Second)
			r.expect(p, payment.Completed, tenUSDC)
			r.lasts(time.Minute, time.Second)
			r.wantSetAside(0)
		})
	}
}
