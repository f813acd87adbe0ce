package solana_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// clock is a clock that is advanced by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

// newClock begins now, as the ledger does.
func newClock() *clock { return &clock{now: time.Now().UTC()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// through is a reader of the ledger by a clock of its own, through so many nodes.
func (h *ledgerHarness) through(t *testing.T, n int, with ...func(*solana.Config)) (*solana.Adapter, []*node, *clock) {
	t.Helper()
	nodes, urls, c := make([]*node, n), make([]string, n), newClock()
	for i := range nodes {
		nodes[i] = newNode(t, h.URL())
		urls[i] = nodes[i].url()
	}
	config := solana.Config{Profile: h.profile(), Endpoints: urls, Rate: unhurried, Now: c.Now}
	for _, f := range with {
		f(&config)
	}
	reader, err := solana.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return reader, nodes, c
}

// boast makes a node call its newest slot finalized.
func (n *node) boast(t *testing.T, upstream string) {
	n.set("getSlot", func(json.RawMessage, json.RawMessage) json.RawMessage {
		var slot uint64
		call(t, upstream, &slot, "getSlot", map[string]any{"commitment": "confirmed"})
		return json.RawMessage(strconv.FormatUint(slot, 10))
	})
}

// still makes a node report a slot as the finalized one, whatever becomes final.
func (n *node) still(slot uint64) {
	n.set("getSlot", func(params, result json.RawMessage) json.RawMessage {
		if strings.Contains(string(params), "finalized") {
			return json.RawMessage(strconv.FormatUint(slot, 10))
		}
		return result
	})
}

// TestHeads_OneWord: final is what a second node has finalized too, whichever of them calls its newest slot final.
func TestHeads_OneWord(t *testing.T) {
	t.Parallel()
	for boaster := range 2 {
		h := newLedger(t)
		h.Mine(100)
		reader, nodes, _ := h.through(t, 2)
		nodes[boaster].boast(t, h.URL())
		for range 3 {
			heads := mustHeads(t, reader)
			want := heads.Latest.Number - devsol.DefaultFinalDepth
			if heads.Final.Number != want || heads.Finalized.Number != want {
				t.Errorf("node %d boasts: final %d, finalized %d of %d, want %d",
					boaster, heads.Final.Number, heads.Finalized.Number, heads.Latest.Number, want)
			}
			h.Mine(1)
		}
	}
}

// TestHeads_OneVoice: a node under two addresses is one opinion, and does not agree with itself.
func TestHeads_OneVoice(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	h.Mine(100)
	boaster, honest := newNode(t, h.URL()), newNode(t, h.URL())
	boaster.boast(t, h.URL())
	for _, alias := range []string{
		boaster.url() + "/KEY", boaster.url() + "?key=1", strings.Replace(boaster.url(), "127.0.0.1", "LOCALHOST", 1),
	} {
		reader, err := solana.New(solana.Config{
			Profile: h.profile(), Endpoints: []string{boaster.url(), alias, honest.url()}, Rate: unhurried,
		})
		if err != nil {
			t.Fatal(err)
		}
		heads := mustHeads(t, reader)
		if want := heads.Latest.Number - devsol.DefaultFinalDepth; heads.Final.Number != want {
			t.Errorf("%s boasts too: final %d of %d, want %d", alias, heads.Final.Number, heads.Latest.Number, want)
		}
		if got := chain.Voices(reader.Endpoints()); got != 2 {
			t.Errorf("%s: %d voices", alias, got)
		}
	}
}

// TestHeads_SingleWord: the word of the only node counts.
func TestHeads_SingleWord(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	h.Mine(100)
	reader, nodes, _ := h.through(t, 1)
	if heads := mustHeads(t, reader); heads.Final.Number != heads.Latest.Number-devsol.DefaultFinalDepth {
		t.Errorf("heads are %+v", heads)
	}
	nodes[0].boast(t, h.URL())
	h.Mine(1)
	if heads := mustHeads(t, reader); heads.Final != heads.Latest {
		t.Errorf("heads are %+v", heads)
	}
}

// TestHeads_SecondIsDown: what was final stays, nothing becomes final, and more is final once the second node is back.
func TestHeads_SecondIsDown(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"Refuses", "Garbled", "OtherCluster"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := newLedger(t)
			h.Mine(100)
			reader, nodes, clock := h.through(t, 2)
			before := mustHeads(t, reader)
			switch how {
			case "Refuses":
				nodes[1].refuse(503)
			case "Garbled":
				nodes[1].set("getSlot", always(`"?"`))
			default:
				nodes[1].set("getGenesisHash", always(`"EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"`))
				clock.advance(time.Hour)
			}
			h.Mine(5)
			if heads := mustHeads(t, reader); heads.Final != before.Final ||
				heads.Latest.Number != before.Latest.Number+5 {
				t.Errorf("heads are %+v, were %+v", heads, before)
			}
			nodes[1].refuse(0)
			nodes[1].set("getSlot", nil)
			nodes[1].set("getGenesisHash", nil)
			clock.advance(time.Hour)
			if heads := mustHeads(t, reader); heads.Final.Number != before.Final.Number+5 {
				t.Errorf("heads are %+v, were %+v", heads, before)
			}
		})
	}
}

// TestHeads_NeverAgreed: before two nodes have agreed no slot is final, and nothing is confirmed as if it were.
func TestHeads_NeverAgreed(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	h.Mine(100)
	reader, nodes, _ := h.through(t, 2)
	nodes[1].refuse(503)
	heads := mustHeads(t, reader)
	if heads.Final.Number != 0 || heads.Finalized != heads.Final || heads.Latest.Number < 100 {
		t.Errorf("heads are %+v", heads)
	}
	if age := heads.Latest.Time.Sub(heads.Final.Time); age < h.profile().FinalLimit() {
		t.Errorf("nothing is final, and its age is %s", age)
	}
}

// TestHeads_Apart: two nodes whose chains differ are named, since nothing is final meanwhile, and no more once they
// agree. A third one that agrees with one of them decides.
func TestHeads_Apart(t *testing.T) {
	t.Parallel()
	hash := regexp.MustCompile(`"blockhash": *"[^"]*"`)
	for n := 2; n <= 3; n++ {
		h := newLedger(t)
		h.Mine(100)
		reader, nodes, clock := h.through(t, n)
		mustHeads(t, reader)
		pass := func() {
			for range 4 {
				clock.advance(15 * time.Second)
				h.Mine(5)
				_, _ = reader.Heads(t.Context())
			}
		}
		named := func() bool { return chain.TooFew(reader.Endpoints()) != "" }
		nodes[1].set("getBlock", func(_, result json.RawMessage) json.RawMessage {
			return hash.ReplaceAll(result, []byte(`"blockhash":"`+someHash+`"`))
		})
		if pass(); named() != (n == 2) {
			t.Errorf("of %d while they differ: %+v", n, reader.Endpoints())
		}
		nodes[1].set("getBlock", nil)
		if pass(); named() {
			t.Errorf("of %d when they agree: %+v", n, reader.Endpoints())
		}
	}
}

// TestHeads_ThirdHelps: where one of three nodes stands still, the other two agree.
func TestHeads_ThirdHelps(t *testing.T) {
	t.Parallel()
	for stalled := range 3 {
		h := newLedger(t)
		h.Mine(100)
		reader, nodes, clock := h.through(t, 3)
		nodes[stalled].still(mustHeads(t, reader).Final.Number)
		for range 3 {
			h.Mine(5)
			clock.advance(10 * time.Second)
			heads := mustHeads(t, reader)
			if want := heads.Latest.Number - devsol.DefaultFinalDepth; heads.Final.Number != want {
				t.Errorf("node %d stands still: final is %d, want %d", stalled, heads.Final.Number, want)
			}
		}
	}
}

// TestHeads_FinalGoesBack: a node whose finalized slot falls takes back nothing that was final.
func TestHeads_FinalGoesBack(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	h.Mine(100)
	reader, nodes, _ := h.through(t, 2)
	before := mustHeads(t, reader)
	for _, n := range nodes {
		n.still(before.Final.Number - 20)
	}
	h.Mine(3)
	if heads := mustHeads(t, reader); heads.Final != before.Final || heads.Finalized != before.Finalized {
		t.Errorf("heads are %+v, were %+v", heads, before)
	}
}

// TestHeads_OtherFork: nodes that show different blocks in a slot do not agree about it.
func TestHeads_OtherFork(t *testing.T) {
	t.Parallel()
	for liar := range 2 {
		h := newLedger(t)
		h.Mine(100)
		reader, nodes, _ := h.through(t, 2)
		before := mustHeads(t, reader)
		h.Mine(5)
		nodes[liar].set("getBlock", func(_, result json.RawMessage) json.RawMessage {
			return json.RawMessage(strings.Replace(string(result), `"blockhash":"`, `"blockhash":"1`, 1))
		})
		if heads := mustHeads(t, reader); heads.Final != before.Final {
			t.Errorf("node %d is on another fork: heads are %+v, were %+v", liar, heads, before)
		}
	}
}

// TestHeads_OneNodeTwice: one address given twice is no second opinion.
func TestHeads_OneNodeTwice(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	for _, twice := range [][]string{
		{"http://a.example/x", "http://a.example/x"},
		{"http://a.example/x", " http://A.example/x "},
		{"http://a.example:80/x", "http://a.example/x"},
		{"https://a.example/x", "https://a.example:443/x#1"},
	} {
		if _, err := solana.New(solana.Config{Profile: h.profile(), Endpoints: twice}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v, want Invalid", twice, err)
		}
	}
	if _, err := solana.New(solana.Config{
		Profile: h.profile(), Endpoints: []string{"http://a.example/x", "http://a.example/y", "https://a.example/x"},
	}); err != nil {
		t.Error(err)
	}
}

// TestScan_OneWord: money that only one of two nodes calls final is not in the final range.
func TestScan_OneWord(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	h.Mine(100)
	reader, nodes, _ := h.through(t, 2)
	nodes[0].boast(t, h.URL())
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	scan := func() []chain.Transfer {
		got, _, err := reader.Scan(t.Context(), 0, mustHeads(t, reader).Final, watching(to))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	wantUnits(t, scan())
	h.Finalize()
	wantUnits(t, scan(), 5)
}
