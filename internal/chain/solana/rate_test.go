package solana_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
)

// quiet is a node of a cluster on which nothing happens. It answers in the process, some time later, and counts calls.
type quiet struct {
	genesis string
	takes   time.Duration

	mu sync.Mutex
	at []time.Time
}

func (q *quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	q.mu.Lock()
	q.at = append(q.at, time.Now())
	q.mu.Unlock()
	time.Sleep(q.takes)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var c struct {
		Method string
		Params []json.RawMessage
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, err
	}
	answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":%s}`, q.answer(c.Method, c.Params))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer)), Request: r,
	}, nil
}

func (q *quiet) answer(method string, params []json.RawMessage) string {
	slot := uint64(time.Now().UnixMilli() / 400) //nolint:gosec // after 1970
	switch method {
	case "getGenesisHash":
		return `"` + q.genesis + `"`
	case "getSlot":
		return strconv.FormatUint(slot, 10)
	case "getBlock":
		of, err := strconv.ParseInt(string(params[0]), 10, 64)
		if err != nil {
			return `null`
		}
		return fmt.Sprintf(`{"blockhash":"hash of %d","parentSlot":1,"blockTime":%d}`, of, of*400/1000)
	case "getMultipleAccounts":
		n := strings.Count(string(params[0]), `"`) / 2
		return fmt.Sprintf(`{"context":{"slot":%d},"value":[%s]}`, slot, strings.Trim(strings.Repeat("null,", n), ","))
	}
	return `[]`
}

// most returns the most calls in any second.
func (q *quiet) most() (most int) {
	for i, first := range q.at {
		n := 0
		for _, at := range q.at[i:] {
			if at.Sub(first) < time.Second {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestRate: however many addresses are watched, and however fast the node answers, no second sees more calls to it than
// the rate; and the rate is used.
func TestRate(t *testing.T) {
	t.Parallel()
	const mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
	for name, c := range map[string]struct {
		rate, watched int
		takes         time.Duration
	}{
		"Default": {0, 6_000, 30 * time.Millisecond}, "AtOnce": {0, 6_000, 0}, "Slow": {0, 3_000, 3 * time.Second},
		"Lower": {5, 1_000, 0}, "Few": {0, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				node := &quiet{genesis: mainnet, takes: c.takes}
				reader, err := solana.New(solana.Config{
					Profile: mainnetProfile(t), Endpoints: []string{"http://node.example"}, Rate: float64(c.rate),
					Client: &http.Client{Transport: node}, Sweeps: "Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb",
				})
				if err != nil {
					t.Fatal(err)
				}
				set := chain.NewWatchSet(c.watched)
				for i := range c.watched {
					raw := make([]byte, 32)
					binary.BigEndian.PutUint32(raw, uint32(i)) //nolint:gosec // small
					set.Add(chain.AddressOf(chain.Solana, raw))
				}
				begin := time.Now()
				for range 3 {
					heads, err := reader.Heads(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if _, _, err := reader.Scan(t.Context(), heads.Latest.Number, heads.Latest, set); err != nil {
						t.Fatal(err)
					}
				}
				rate := 25
				if c.rate > 0 {
					rate = c.rate
				}
				calls, took := len(node.at), time.Since(begin)
				if got := node.most(); got > rate {
					t.Errorf("%d calls in one second, the rate is %d", got, rate)
				}
				if want := c.watched * 2 / 100; calls < want {
					t.Errorf("%d calls for %d addresses", calls, c.watched)
				}
				// Eight calls are made at the same time, and a few one after the other.
				limit := time.Duration(calls/rate+2)*(time.Second+c.takes) + time.Duration(calls/8+60)*c.takes
				if took > limit {
					t.Errorf("%d calls took %s, at most %s", calls, took, limit)
				}
			})
		})
	}
}

func mainnetProfile(t *testing.T) chain.Profile {
	t.Helper()
	for _, p := range chain.Profiles() {
		if p.Network == chain.Solana {
			return p
		}
	}
	t.Fatal("there is no profile of Solana")
	return chain.Profile{}
}
