package watch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// gateway stands before an endpoint and answers requests in its place.
type gateway struct {
	refuses func(method string, params []json.RawMessage) bool // a request with such a call
	answer  http.HandlerFunc
}

// behind returns a watcher that reads the rig's endpoints through gateways, of which so many refuse what g says.
func (r *rig) behind(bad int, g *atomic.Pointer[gateway]) *watch.Watcher {
	r.Helper()
	var urls []string
	for i, e := range r.endpoints {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			if f := g.Load(); f != nil && i < bad && f.refusesAny(body) {
				f.answer(w, q)
				return
			}
			passOn(w, e.URL, body)
		}))
		s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		r.Cleanup(s.Close)
		urls = append(urls, s.URL)
	}
	a, err := evm.New(evm.Config{
		Profile: r.profile, Endpoints: urls, Now: r.now, Alone: chain.AloneSmall, Timeout: time.Second,
	})
	r.must(err)
	r.watcher.Release(r.Context())
	return r.on(r.store, unchecked{a})
}

func (g *gateway) refusesAny(body []byte) bool {
	type call struct {
		Method string
		Params []json.RawMessage
	}
	var calls []call
	if json.Unmarshal(body, &calls) != nil {
		calls = make([]call, 1)
		_ = json.Unmarshal(body, &calls[0])
	}
	for _, c := range calls {
		if g.refuses(c.Method, c.Params) {
			return true
		}
	}
	return false
}

func passOn(w http.ResponseWriter, target string, body []byte) {
	resp, err := http.Post(target, "application/json", bytes.NewReader(body)) //nolint:gosec,noctx // of a test
	if err != nil {
		http.Error(w, "the test is over", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

// answered is a gateway's answer.
func answered(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// failed is a gateway that answers with an error object.
func failed(code int, message string) http.HandlerFunc {
	return answered(http.StatusOK,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"error":{"code":%d,"message":%q}}`, code, message))
}

// hangs is a gateway that does not answer.
func hangs(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }

// TestWatcher_NoLogs: one of several endpoints that has no eth_getLogs at all, or hangs at it, still judges what the
// others show.
func TestWatcher_NoLogs(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"NoMethod":  failed(-32601, "no such method"),
		"Forbidden": answered(http.StatusForbidden, "<html>not on your plan</html>"),
		"Slow":      hangs,
	} {
		for _, endpoints := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s1Of%d", name, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				var g atomic.Pointer[gateway]
				w := r.behind(1, &g)
				r.must(w.RunOnce(r.Context()))
				g.Store(&gateway{func(method string, _ []json.RawMessage) bool {
					return method == "eth_getLogs"
				}, answer})
				for range 3 {
					p := r.start()
					r.pay(p)
					for range rigFinalDepth + 1 {
						r.chain.Mine(1)
						r.must(w.RunOnce(r.Context()))
					}
					r.expect(p, payment.Completed, tenUSDC)
					r.chain.Wait(10 * time.Second)
				}
				r.wantSetAside(0)
			})
		}
	}
}
