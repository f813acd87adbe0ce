package main_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	keys "github.com/florinpay/florin/internal/wallet"
)

// scansOf is an endpoint of a chain that notes from which blocks logs are asked.
type scansOf struct {
	*httptest.Server
	mu   sync.Mutex
	from []uint64
}

func newScansOf(t *testing.T, upstream string) *scansOf {
	t.Helper()
	to, err := url.Parse(upstream)
	testkit.Must(t, err)
	s, proxy := &scansOf{}, httputil.NewSingleHostReverseProxy(to)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client gave up
		}
		s.note(body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// note keeps the first block of each eth_getLogs, single or in a batch.
func (s *scansOf) note(body []byte) {
	type call struct {
		Method string `json:"method"`
		Params []struct {
			FromBlock string `json:"fromBlock"`
		} `json:"params"`
	}
	var calls []json.RawMessage
	if json.Unmarshal(body, &calls) != nil {
		calls = []json.RawMessage{body}
	}
	for _, raw := range calls {
		var c call
		if json.Unmarshal(raw, &c) != nil || c.Method != "eth_getLogs" || len(c.Params) == 0 {
			continue // parameters of another form
		}
		if n, err := strconv.ParseUint(strings.TrimPrefix(c.Params[0].FromBlock, "0x"), 16, 64); err == nil {
			s.mu.Lock()
			s.from = append(s.from, n)
			s.mu.Unlock()
		}
	}
}

func (s *scansOf) all() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]uint64(nil), s.from...)
}

// TestServe_EndpointsChanged: with another endpoint and another gas wallet, a network is read on from where it stands.
// What was paid while the server was down is found, and no block is read again that was read twice before.
func TestServe_EndpointsChanged(t *testing.T) {
	t.Parallel()
	s := openShop(t, settling...)
	s.fundGas(t)
	polygon := s.chains[1]
	first, address := s.start(t, "POLYGON", "USDT", 1250)
	polygon.pay(t, polygon.Tokens().USDT, address, 1250)
	s.await(t, first, "COMPLETED")
	second, address := s.start(t, "POLYGON", "USDC", 700)
	began, err := polygon.Client().BlockNumber(t.Context())
	testkit.Must(t, err)
	var stands uint64
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "test.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	testkit.Must(t, err)
	defer db.Close()
	eventually(t, "the network is read twice", func() bool {
		err := db.QueryRow("SELECT second_number FROM cursors WHERE network = 'POLYGON'").Scan(&stands)
		return err == nil && stands > began
	})
	s.stop(t, syscall.SIGTERM)
	polygon.pay(t, polygon.Tokens().USDC, address, 700)
	other := newScansOf(t, polygon.URL())
	gas, key, err := keys.GenerateEVM()
	testkit.Must(t, err)
	_, err = polygon.FundNative(t.Context(), gas.Address(), big.NewInt(1e18))
	testkit.Must(t, err)
	s.env = append(s.env, "FLORIN_POLYGON_RPC="+other.URL, "FLORIN_EVM_GAS_KEY="+key.Reveal())
	s.server = s.serve(t)
	s.await(t, second, "COMPLETED")
	eventually(t, "the new gas wallet sweeps", func() bool {
		return polygon.balance(t, polygon.Tokens().USDC, settlementWallet) == 700
	})
	list := other.all()
	if len(list) == 0 {
		t.Fatal("the new endpoint was asked for no logs; the test shows nothing")
	}
	for _, from := range list {
		if from < began {
			t.Errorf("the network was read twice up to block %d, and was read again from %d", stands, from)
		}
	}
}
