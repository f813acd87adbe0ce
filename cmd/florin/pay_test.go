package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// receiver is a merchant's server that keeps the webhooks it receives.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	arrivals []arrival
	busy     bool           // it refuses what comes
	refused  map[string]int // webhooks by payment
	hangs    atomic.Pointer[hanging]
}

// hanging is a payment whose next webhook gets no answer.
type hanging struct {
	txnid string
	began chan struct{}
}

type arrival struct {
	at     time.Time
	id     string
	method string
	header http.Header
	raw    []byte
	body   map[string]any
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{refused: make(map[string]int)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		a := arrival{
			at: time.Now(), id: req.Header.Get("Webhook-Id"), method: req.Method, header: req.Header.Clone(), raw: raw,
		}
		_ = json.Unmarshal(raw, &a.body)
		if h := r.hangs.Load(); h != nil && a.body["txnid"] == h.txnid && r.hangs.CompareAndSwap(h, nil) {
			close(h.began)
			<-req.Context().Done()
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.busy {
			r.refused[fmt.Sprint(a.body["txnid"])]++
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		r.arrivals = append(r.arrivals, a)
	}))
	t.Cleanup(r.Close)
	return r
}

// about returns the webhooks about the payment.
func (r *receiver) about(txnid string) []arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []arrival
	for _, a := range r.arrivals {
		if a.body["txnid"] == txnid {
			list = append(list, a)
		}
	}
	return list
}

// shop is a merchant with a key, a custodian and a receiver, and a running program.
type shop struct {
	installation
	*server
	*receiver
	chains  []testChain
	key     string
	signing string
	updates atomic.Int64 // changes of the custodian that were asked for
}

const settlementWallet = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"

func openShop(t *testing.T, more ...string) *shop {
	t.Helper()
	return openShopOn(t, startChains(t), more...)
}

// openShopOn opens a shop that accepts money on the chains.
func openShopOn(t *testing.T, chains []testChain, more ...string) *shop {
	t.Helper()
	s := &shop{receiver: newReceiver(t), chains: chains}
	env := []string{"FLORIN_ALLOW_PRIVATE_CALLBACKS=true"}
	for _, c := range s.chains {
		env = append(env, c.environ()...)
	}
	s.open(
		t,
		append(env, more...),
		map[string]any{
			"bep20": settlementWallet, "polygon": settlementWallet, "base": settlementWallet,
			"solana": solanaWallet,
		},
	)
	return s
}

// open starts the program and creates the merchant, whose money is settled to the wallets.
func (s *shop) open(t testing.TB, env []string, wallets map[string]any) {
	t.Helper()
	s.installation = newInstallation(t, env...)
	s.must(t, "correct horse battery\n", "user", "create", "--email", "shop@example.com", "--json")
	var key struct{ Key string }
	made := s.must(t, "", "key", "create", "--email", "shop@example.com", "--json")
	testkit.Must(t, json.Unmarshal([]byte(made), &key))
	s.key = key.Key
	s.server = s.serve(t)
	input := map[string]any{"apiKey": s.key, "secret": "callback-secret", "name": "Corner Coffee", "wallets": wallets}
	if s.receiver != nil {
		input["callbackUrl"] = s.receiver.URL
	}
	created := s.graphql(t, "createCustodianAccount", `mutation ($in: CustodianCreateInput!) {
		createCustodianAccount(input: $in) { code message custodian { id apiKey callbackUrl signingSecret } apiKey { creditsLeft } } }`,
		map[string]any{"in": input})
	s.signing = created["custodian"].(map[string]any)["signingSecret"].(string)
}

// graphql runs an operation and returns its result, which must have code 200.
func (s *shop) graphql(t testing.TB, field, query string, variables map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	testkit.Must(t, err)
	_, answer := s.post(t, "/graphql", string(body))
	data, _ := answer["data"].(map[string]any)
	out, _ := data[field].(map[string]any)
	if out["code"] != 200.0 {
		t.Fatalf("%s answers %v", field, answer)
	}
	return out
}

// start creates a payment of cents, starts it, and returns its id and address.
func (s *shop) start(t *testing.T, network, token string, cents int64) (txnid, address string) {
	t.Helper()
	amount := strconv.FormatFloat(float64(cents)/100, 'f', 2, 64)
	status, created := s.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":%s}`, s.key, amount))
	if status != http.StatusOK || created["message"] != "created successfully" {
		t.Fatalf("create: %d %v", status, created)
	}
	txnid = created["transaction"].(map[string]any)["txnid"].(string)
	deadline := time.Now().Add(patience)
	for {
		status, started := s.post(t, "/pay", fmt.Sprintf(`{"txnid":%q,"network":%q,"token":%q}`, txnid, network, token))
		if status == http.StatusOK {
			return txnid, started["transaction"].(map[string]any)["wallet"].(map[string]any)["address"].(string)
		}
		// A network is offered only once it has been read.
		if status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			t.Fatalf("start: %d %v", status, started)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *shop) status(t *testing.T, txnid string) map[string]any {
	t.Helper()
	code, order := s.do(t, http.MethodGet, "/orders/"+txnid, "")
	if code != http.StatusOK {
		t.Fatalf("read %s: %d %v", txnid, code, order)
	}
	return order["transaction"].(map[string]any)
}

// await polls until the payment has the status and returns it.
func (s *shop) await(t *testing.T, txnid, status string) map[string]any {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		p := s.status(t, txnid)
		if p["status"] == status {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("payment %s is %v, want %s", txnid, p, status)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// awaitWebhook waits for the webhook about the payment and checks it.
func (s *shop) awaitWebhook(t testing.TB, txnid, status string) arrival {
	t.Helper()
	testkit.Until(t, patience, "a webhook about "+txnid, func() bool { return len(s.about(txnid)) > 0 })
	a := s.about(txnid)[0]
	verifier, err := standardwebhooks.NewWebhook(s.signing)
	testkit.Must(t, err)
	if err := verifier.Verify(a.raw, a.header); err != nil {
		t.Errorf("signature of the webhook about %s: %v", txnid, err)
	}
	if a.body["status"] != status || a.body["secret"] != "callback-secret" ||
		a.body["privateKey"] != "callback-secret" {
		t.Errorf("webhook about %s: %v", txnid, a.body)
	}
	return a
}

// TestPay receives real payments on every network in every token, over HTTP only.
func TestPay(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, c := range s.chains {
		for _, token := range []string{"USDT", "USDC"} {
			t.Run(c.name+token, func(t *testing.T) {
				t.Parallel()
				txnid, address := s.start(t, c.name, token, 1250)
				tx := c.pay(t, c.token(token), address, 1250)
				p := s.await(t, txnid, "COMPLETED")
				if p["hash"] != tx || p["receivedAmount"] != 12.5 || p["network"] != c.name || p["token"] != token {
					t.Errorf("paid by %s, got %v", tx, p)
				}
				a := s.awaitWebhook(t, txnid, "completed")
				if a.body["hash"] != tx || a.body["amount"] != 12.5 || a.body["token"] != token {
					t.Errorf("webhook: %v", a.body)
				}
			})
		}
	}
}

// TestPay_NeverCredited sends transfers that look like the payment and are not.
func TestPay_NeverCredited(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	polygon := s.chains[1]
	txnid, address := s.start(t, "POLYGON", "USDT", 1250)
	control, controlAddress := s.start(t, "POLYGON", "USDT", 1250)

	polygon.pay(t, polygon.Tokens().Counterfeit, address, 1250)
	polygon.pay(t, polygon.Tokens().USDT, address, 0)
	polygon.pay(t, polygon.Tokens().Bridged, address, 1250)
	failed := polygon.transferOfNothing(t, polygon.Tokens().USDT.Address, common.HexToAddress(address))

	// A valid payment sent after all of them is seen only after they were.
	polygon.pay(t, polygon.Tokens().USDT, controlAddress, 1250)
	s.await(t, control, "COMPLETED")
	if p := s.status(t, txnid); p["status"] != "STARTED" || p["receivedAmount"] != 0.0 || p["hash"] != nil {
		t.Errorf("after a counterfeit, nothing, a bridged twin and failed transfer %s: %v", failed, p)
	}
}

// transferOfNothing sends a transfer of tokens that the sender does not have. It fails in its block.
func (c testChain) transferOfNothing(t *testing.T, token, to common.Address) string {
	t.Helper()
	data := append(common.FromHex("0xa9059cbb"), common.LeftPadBytes(to.Bytes(), 32)...)
	data = append(data, common.LeftPadBytes(big.NewInt(12_500_000).Bytes(), 32)...)
	tx, err := c.Send(t.Context(), devchain.FaucetKey(), devchain.Tx{To: &token, Gas: 200_000, Data: data})
	testkit.Must(t, err)
	r, err := c.WaitReceipt(t.Context(), tx)
	if err != nil || r.Status != 0 {
		t.Fatalf("the transfer that should fail: status %v, %v", r, err)
	}
	return tx.Hex()
}

// TestPay_Killed kills the program between deposit and webhook: after the
// restart the payment completes once and the webhook arrives.
func TestPay_Killed(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	polygon := s.chains[1]
	txnid, address := s.start(t, "POLYGON", "USDC", 1250)
	s.stop(t, syscall.SIGKILL)
	tx := polygon.pay(t, polygon.Tokens().USDC, address, 1250)
	if _, err := polygon.WaitReceipt(t.Context(), common.HexToHash(tx)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		// The program is killed several times at arbitrary moments while it works.
		s.server = s.serve(t)
		time.Sleep(300 * time.Millisecond)
		s.stop(t, syscall.SIGKILL)
	}
	s.server = s.serve(t)
	p := s.await(t, txnid, "COMPLETED")
	if p["hash"] != tx || p["receivedAmount"] != 12.5 {
		t.Errorf("after the restart: %v", p)
	}
	s.awaitWebhook(t, txnid, "completed")
	ids := map[string]bool{}
	for _, a := range s.about(txnid) {
		ids[a.id] = true
	}
	if len(ids) != 1 {
		t.Errorf("the payment was reported as %d events", len(ids))
	}
}

// TestPay_LastCredit: without credits no address is issued.
func TestPay_LastCredit(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	poor := s.must(t, "", "key", "create", "--email", "shop@example.com", "--credits", "2", "--json")
	var key struct{ Key string }
	testkit.Must(t, json.Unmarshal([]byte(poor), &key))
	s.key = key.Key
	s.graphql(
		t, "createCustodianAccount",
		`mutation ($in: CustodianCreateInput!) { createCustodianAccount(input: $in) { code message } }`,
		map[string]any{"in": map[string]any{"apiKey": s.key, "wallets": map[string]any{"base": settlementWallet}}},
	)
	s.start(t, "BASE", "USDC", 100)
	_, created := s.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":1}`, s.key))
	txnid := created["transaction"].(map[string]any)["txnid"].(string)
	status, refused := s.post(t, "/pay", fmt.Sprintf(`{"txnid":%q,"network":"BASE","token":"USDC"}`, txnid))
	if status != http.StatusPaymentRequired || refused["transaction"] != nil {
		t.Errorf("start without credits: %d %v", status, refused)
	}
	if p := s.status(t, txnid); p["status"] != "PENDING" || p["wallet"] != nil {
		t.Errorf("after it: %v", p)
	}
	status, refused = s.post(t, "/pay", fmt.Sprintf(`{"txnid":%q,"network":"POLYGON","token":"USDC"}`, txnid))
	if status != http.StatusUnprocessableEntity {
		t.Errorf("start without a wallet on the network: %d %v", status, refused)
	}
}
