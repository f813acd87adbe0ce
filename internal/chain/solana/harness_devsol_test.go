package solana_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// harness adapts a bank to the conformance suite.
type harness struct {
	*bank
	reader *solana.Adapter
}

var _ chaintest.Summer = (*harness)(nil)

func newHarness(t *testing.T, b *bank, endpoints ...string) *harness {
	t.Helper()
	reader, err := solana.New(solana.Config{Profile: b.profile(), Endpoints: endpoints, Rate: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	return &harness{b, reader}
}

func (h *harness) Reader() chain.Reader     { return h.reader }
func (h *harness) Credited() chain.Asset    { return h.assets[0] }
func (h *harness) Other() chain.Asset       { return h.assets[2] }
func (h *harness) Counterfeit() chain.Asset { return h.assets[3] }
func (h *harness) Mine(n int)               { h.Seal(n) }
func (h *harness) Sums()                    {}

func (h *harness) Address() chain.Watched { return watched(newKey(h.t).PublicKey()) }

func (h *harness) Pay(payments ...chaintest.Payment) chain.TxHash {
	var list []solanago.Instruction
	for _, p := range payments {
		list = append(list, h.pays(p)...)
	}
	return chain.TxHash(h.mustSend(list).String())
}

func (h *harness) PayFailed(p chaintest.Payment) chain.TxHash {
	// The last transfer is more than the payer has, so the whole transaction fails.
	mint, payer := h.mints[p.Asset.Contract], h.rich.PublicKey()
	from := ata(payer, mint)
	list := append(h.pays(p), transferChecked(from, mint, ata(solanago.PublicKey(p.To.Raw), mint), payer, 1<<62, 6))
	return chain.TxHash(h.mustSend(list).String())
}

// ledger is the development ledger under the test's control.
type ledger struct {
	*devsol.Ledger
	t *testing.T
}

func (l *ledger) Blockhash() solanago.Hash {
	var answer struct {
		Value struct {
			Blockhash solanago.Hash `json:"blockhash"`
		} `json:"value"`
	}
	call(l.t, l.URL(), &answer, "getLatestBlockhash", map[string]any{"commitment": "confirmed"})
	return answer.Value.Blockhash
}

func (l *ledger) Send(raw []byte) {
	var signature string
	call(l.t, l.URL(), &signature, "sendTransaction", base64.StdEncoding.EncodeToString(raw), map[string]any{"encoding": "base64", "skipPreflight": true})
}

func (l *ledger) Seal(n int) {
	l.t.Helper()
	if err := l.Ledger.Seal(n); err != nil {
		l.t.Fatal(err)
	}
}

func (l *ledger) Finalize() { l.Seal(devsol.DefaultFinalDepth + 1) }

// ledgerHarness can also roll slots back.
type ledgerHarness struct {
	*harness
	ledger *ledger
}

var _ chaintest.Forker = (*ledgerHarness)(nil)

func (h *ledgerHarness) Reorg(n int, keep bool) {
	h.t.Helper()
	if err := h.ledger.Fork(n, keep); err != nil {
		h.t.Fatal(err)
	}
}

func startLedger(t *testing.T, c devsol.Config) *ledger {
	t.Helper()
	l, err := devsol.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &ledger{l, t}
}

func newLedger(t *testing.T) *ledgerHarness {
	t.Helper()
	l := startLedger(t, devsol.Config{})
	b := newBank(t, l, l.Faucet(), func(size int) uint64 { return uint64(size+128) * devsol.DefaultLamportsPerByte })
	l.Seal(1)
	return &ledgerHarness{newHarness(t, b, l.URL()), l}
}

// call makes a JSON-RPC call that must succeed.
func call(t *testing.T, url string, into any, method string, params ...any) {
	t.Helper()
	if failed := try(t, url, into, method, params...); failed != "" {
		t.Fatalf("%s: %s", method, failed)
	}
}

// try makes a JSON-RPC call and returns the error object it was answered with.
func try(t *testing.T, url string, into any, method string, params ...any) (failed string) {
	t.Helper()
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error != nil {
		return string(answer.Error)
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		t.Fatal(err)
	}
	return ""
}
