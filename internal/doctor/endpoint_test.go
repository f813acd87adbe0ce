package doctor_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/doctor"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// now is the time of every check.
var now = time.Unix(1_795_000_000, 0)

// canary is a key in the address of an endpoint.
const canary = "c4n4ryc4n4ry"

// node is an endpoint with limits, and the reader of it. Its newest block is number 10,000,000, and it makes one a
// second.
type node struct {
	chain.Reader // nil: what is not below is not called

	check   error
	age     time.Duration // of the newest block
	blocks  uint64        // most of one eth_getLogs; 0: any number
	oldest  uint64        // it has no older block
	logs    uint64        // it has no older logs, though blocks
	refused string        // what it says then; empty: that they are pruned
	broken  error         // what it answers for a block that is asked for by its number
	unknown string        // tag
	calls   int           // most of a batch; 0: any number
	burst   int           // most calls before it answers 429; 0: any number
	slots   uint64        // first available block of Solana
	list    int           // most accounts of Solana at once; 0: any number

	mu  sync.Mutex
	now int // calls so far, outside batches
}

const newest = 10_000_000

var errBroken = errors.New("broken")

func (n *node) Check(context.Context) error { return n.check }

func (n *node) head(number uint64) chain.Head {
	return chain.Head{Number: number, Hash: "0x1", Time: now.Add(-n.age - time.Duration(newest-number)*time.Second)}
}

func (n *node) Heads(context.Context) (chain.Heads, error) {
	return chain.Heads{Latest: n.head(newest), Final: n.head(newest), Finalized: n.head(newest)}, nil
}

func (n *node) BlockAt(_ context.Context, number uint64) (chain.Head, bool, error) {
	if n.broken == nil && number < n.oldest {
		return chain.Head{}, false, errors.New("does not have it")
	}
	return n.head(number), n.broken == nil, n.broken
}

func (n *node) Scan(context.Context, uint64, chain.Head, *chain.WatchSet, ...string) ([]chain.Transfer, string, error) {
	return nil, "", nil
}

func (n *node) Coins(context.Context, []chain.Address, chain.Head) ([]money.Units, error) {
	return []money.Units{money.UnitsFromUint64(1)}, nil
}

func (n *node) Endpoints() []chain.EndpointHealth { return []chain.EndpointHealth{{Name: "node"}} }

type rpcCall struct {
	ID     int
	Method string
	Params []json.RawMessage
}

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var batch []rpcCall
	if json.Unmarshal(raw, &batch) == nil {
		if n.calls > 0 && len(batch) > n.calls {
			http.Error(w, "batch too large for "+canary, http.StatusBadRequest)
			return
		}
		answers := make([]any, len(batch))
		for i, c := range batch {
			answers[i] = n.answer(c)
		}
		_ = json.NewEncoder(w).Encode(answers)
		return
	}
	var c rpcCall
	_ = json.Unmarshal(raw, &c)
	if n.crowded(c.Method) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	_ = json.NewEncoder(w).Encode(n.answer(c))
}

// crowded reports whether the call is one too many of a burst, which is of the shortest calls.
func (n *node) crowded(method string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.burst == 0 || method != "eth_blockNumber" && method != "getSlot" {
		return false
	}
	n.now++
	return n.now > n.burst
}

func (n *node) answer(c rpcCall) any {
	result, err := n.result(c)
	if err != nil {
		return map[string]any{
			"jsonrpc": "2.0", "id": c.ID, "error": map[string]any{"code": -32000, "message": err.Error()},
		}
	}
	return map[string]any{"jsonrpc": "2.0", "id": c.ID, "result": result}
}

func (n *node) result(c rpcCall) (any, error) {
	text := func(raw json.RawMessage) (s string) { _ = json.Unmarshal(raw, &s); return s }
	number := func(s string) (x uint64) { _, _ = fmt.Sscanf(s, "0x%x", &x); return x }
	switch c.Method {
	case "eth_blockNumber", "getSlot":
		return "0x1", nil
	case "eth_getBlockByNumber":
		tag := text(c.Params[0])
		if tag == n.unknown {
			return nil, errors.New("unknown block tag")
		}
		if strings.HasPrefix(tag, "0x") && n.broken != nil {
			return nil, n.broken
		}
		if strings.HasPrefix(tag, "0x") && number(tag) < n.oldest {
			return json.RawMessage("null"), nil
		}
		return map[string]string{"number": "0x1"}, nil
	case "eth_getLogs":
		var filter struct{ FromBlock, ToBlock string }
		_ = json.Unmarshal(c.Params[0], &filter)
		if n.blocks > 0 && number(filter.ToBlock)-number(filter.FromBlock)+1 > n.blocks {
			return nil, errors.New("range too long at " + canary)
		}
		if number(filter.FromBlock) < n.logs {
			return nil, errors.New(cmp.Or(n.refused, "history has been pruned for this block"))
		}
		return []any{}, nil
	case "getFirstAvailableBlock":
		return n.slots, nil
	case "getMultipleAccounts":
		var keys []string
		_ = json.Unmarshal(c.Params[0], &keys)
		if n.list > 0 && len(keys) > n.list {
			return nil, errors.New("too many accounts")
		}
		return map[string]any{"value": []any{}}, nil
	}
	return nil, errors.New("no such method: " + c.Method)
}

// examine returns what the doctor reports of the node, by name.
func (n *node) examine(t *testing.T, p chain.Profile, rate float64) map[string]doctor.Check {
	t.Helper()
	s := httptest.NewServer(n)
	t.Cleanup(s.Close)
	watched, err := chain.ParseAddress(p.Network, map[bool]string{
		true: "0x000000000000000000000000000000000000dEaD", false: "1nc1nerator11111111111111111111111111111111",
	}[p.Network.EVM()])
	if err != nil {
		t.Fatal(err)
	}
	var r doctor.Report
	r.Network(t.Context(), doctor.Network{
		Profile: p, All: n, Watched: watched, Gas: watched.Address, Rate: rate,
		Endpoints: []doctor.Endpoint{{Reader: n, Address: secret.New(s.URL + "/" + canary)}},
	}, func() time.Time { return now })
	found := make(map[string]doctor.Check)
	for _, c := range r {
		name, ok := strings.CutPrefix(c.Name, string(p.Network)+" endpoint 1")
		if ok {
			found[strings.TrimSpace(name)] = c
		}
		if strings.Contains(c.Text, canary) {
			t.Errorf("a key is shown: %+v", c)
		}
	}
	return found
}

func TestReport_Endpoint(t *testing.T) {
	t.Parallel()
	polygon, base, solana := chain.Profiles()[1], chain.Profiles()[2], chain.Profiles()[3]
	for name, x := range map[string]struct {
		node    *node
		profile chain.Profile
		rate    float64
		check   string
		verdict doctor.Verdict
		says    string
	}{
		"Identity":      {&node{}, polygon, 25, "", doctor.Fine, "chain id 137, contracts, tokens and decimals"},
		"WrongIdentity": {&node{check: errors.New("another chain")}, polygon, 25, "", doctor.Wrong, "another chain"},
		"Lag":           {&node{age: 3 * time.Second}, polygon, 25, "lag", doctor.Fine, "3s old, limit 1m0s"},
		"Behind":        {&node{age: 2 * time.Minute}, polygon, 25, "lag", doctor.Wrong, "2m0s old, limit 1m0s"},
		"Future":        {&node{age: -time.Minute}, polygon, 25, "lag", doctor.Warning, "ahead of this machine's clock: let NTP"},
		"Tags":          {&node{}, base, 25, "tags", doctor.Fine, "finalized and safe"},
		"NoFinalized": {
			&node{unknown: "finalized"}, polygon, 25, "tags", doctor.Wrong, "nothing that it reports becomes final",
		},
		"NoSafe":       {&node{unknown: "safe"}, base, 25, "tags", doctor.Wrong, "does not know the tag safe"},
		"OnlySafe":     {&node{unknown: "finalized"}, base, 25, "tags", doctor.Warning, "not know the tag finalized"},
		"Range":        {&node{}, polygon, 25, "getLogs", doctor.Fine, "10000 blocks at once"},
		"ShorterRange": {&node{blocks: 2_000}, polygon, 25, "getLogs", doctor.Fine, "1250 blocks at once"},
		"ShortRange": {
			&node{blocks: 10}, polygon, 25, "getLogs", doctor.Warning, "9 blocks at once: after an outage",
		},
		"Depth":         {&node{}, polygon, 25, "archive depth", doctor.Fine, "30 days old"},
		"DepthOfAWeek":  {&node{oldest: newest - 10*86_400}, polygon, 25, "archive depth", doctor.Fine, "7 days old; it is pruned"},
		"DepthOfAnHour": {&node{oldest: newest - 86_000}, polygon, 25, "archive depth", doctor.Warning, "needs another endpoint"},
		"DepthOfLogs": {
			&node{logs: newest - 86_000}, polygon, 25, "archive depth", doctor.Warning,
			"an hour old; it is pruned and does not have what is a day old, so an outage",
		},
		"DepthOfNothing": {&node{oldest: newest - 10}, polygon, 25, "archive depth", doctor.Wrong, "that keeps some days"},
		"DepthAsked": {
			&node{logs: newest - 4_000, refused: "internal error"}, polygon, 25, "archive depth", doctor.Warning,
			"whether it has what is a day old was not found out: internal error",
		},
		"DepthUnknown": {&node{broken: errBroken}, polygon, 25, "archive depth", doctor.Warning, "not found out: broken"},
		"Batch":        {&node{}, polygon, 0, "batch", doctor.Fine, "50 calls in one request"},
		"BatchOfRate":  {&node{}, polygon, 20, "batch", doctor.Fine, "20 calls in one request"},
		"SmallBatch":   {&node{calls: 10}, polygon, 25, "batch", doctor.Fine, "6 calls in one request"},
		"NoBatch":      {&node{calls: 1}, polygon, 25, "batch", doctor.Warning, "only one call a request"},
		"Rate":         {&node{}, polygon, 25, "rate", doctor.Fine, "25 calls in a second"},
		"NoRate":       {&node{}, polygon, 0, "rate", doctor.Fine, "no limit"},
		"RateTooHigh":  {&node{burst: 10}, polygon, 25, "rate", doctor.Warning, "10 of 25 calls in a second: a server asks less"},
		"SolanaLag":    {&node{}, solana, 25, "lag", doctor.Fine, "0s old"},
		"Accounts":     {&node{}, solana, 25, "accounts", doctor.Fine, "100 accounts at once"},
		"FewAccounts":  {&node{list: 5}, solana, 25, "accounts", doctor.Warning, "only 3 accounts at once"},
		"FirstSlot":    {&node{slots: 7}, solana, 25, "archive depth", doctor.Fine, "from slot 7"},
		"YoungNode":    {&node{slots: newest - 9_000}, solana, 25, "archive depth", doctor.Warning, "of the last 1h0m0s only"},
		"SolanaRate":   {&node{burst: 3}, solana, 25, "rate", doctor.Warning, "3 of 25 calls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := x.node.examine(t, x.profile, x.rate)[x.check]
			if found.Verdict != x.verdict || !strings.Contains(found.Text, x.says) {
				t.Errorf("%q is %s: %q, want %s with %q", x.check, found.Verdict, found.Text, x.verdict, x.says)
			}
		})
	}
}
