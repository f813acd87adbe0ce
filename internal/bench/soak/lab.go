package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/wallet"
)

// lab is everything a run needs: the networks, the program, the merchant's receiver, and what payers did.
type lab struct {
	settings
	began    time.Time
	dir      string
	networks []*network
	program  *program
	key      string
	receiver *http.Server
	busy     atomic.Bool // the receiver refuses webhooks

	mu       sync.Mutex
	orders   []*order
	received map[string]map[string]bool // events by payment
	refused  map[string]int             // webhooks by payment
	failures []error
}

// Times of payments: short, so that a run of minutes sees payments expire.
const (
	paymentTTL = 3 * time.Minute
	startTTL   = 2 * time.Minute
)

func newLab(ctx context.Context, s settings) (l *lab, err error) {
	l = &lab{settings: s, began: time.Now(), received: make(map[string]map[string]bool), refused: make(map[string]int)}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close(true))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, longestStart)
	defer cancel()
	if l.dir, err = os.MkdirTemp("", "florin-soak-*"); err != nil {
		return l, err
	}
	if l.program, err = build(ctx, l.dir); err != nil {
		return l, err
	}
	if err := l.startNetworks(ctx); err != nil {
		return l, err
	}
	return l, l.open(ctx)
}

// startNetworks starts the chains and adds what the program must know of them to its environment.
func (l *lab) startNetworks(ctx context.Context) error {
	gas, text, err := wallet.GenerateEVM()
	if err != nil {
		return err
	}
	l.program.environ = append(l.program.environ,
		"FLORIN_EVM_GAS_KEY="+text.Reveal(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true",
		"FLORIN_PAYMENT_TTL="+paymentTTL.String(), "FLORIN_START_TTL="+startTTL.String(),
		"FLORIN_SWEEP_WAIT=2s", "FLORIN_SWEEP_AGE=30s", "FLORIN_SWEEP_DUST="+sweepDust.String(),
		"FLORIN_RATE_COSTLY=100", "FLORIN_RATE_COSTLY_BURST=1000",
		"FLORIN_RATE_OPEN=100", "FLORIN_RATE_OPEN_BURST=1000",
	)
	for i := range evmNetworks {
		n, err := startEVM(ctx, i, gas.Address())
		if err != nil {
			return fmt.Errorf("start %s: %w", evmNetworks[i].name, err)
		}
		l.add(n)
	}
	n, err := startSolana(ctx)
	if err != nil {
		return fmt.Errorf("start SOL: %w", err)
	}
	l.add(n)
	return nil
}

// add makes a network known to payers, faults and the program.
func (l *lab) add(n *network) {
	l.networks = append(l.networks, n)
	l.program.environ = append(l.program.environ, n.environ...)
}

// open makes the merchant and serves.
func (l *lab) open(ctx context.Context) error {
	callback, err := l.listen()
	if err != nil {
		return err
	}
	p := l.program
	if _, err := p.call(
		ctx, "correct horse battery\n", "user", "create", "--email", "shop@example.com", "--json",
	); err != nil {
		return err
	}
	made, err := p.call(ctx, "", "key", "create", "--email", "shop@example.com", "--credits", "1000000", "--json")
	if err != nil {
		return err
	}
	var key struct{ Key string }
	if err := json.Unmarshal([]byte(made), &key); err != nil {
		return err
	}
	l.key, p.key = key.Key, key.Key
	if err := p.serve(ctx); err != nil {
		return err
	}
	wallets := make(map[string]string)
	for _, n := range l.networks {
		wallets[walletField[n.name]] = n.wallet
	}
	var answer struct {
		Data struct {
			CreateCustodianAccount struct {
				Code    int
				Message string
			}
		}
	}
	_, err = p.do(ctx, http.MethodPost, "/graphql", map[string]any{
		"query": `mutation ($in: CustodianCreateInput!) { createCustodianAccount(input: $in) { code message } }`,
		"variables": map[string]any{
			"in": map[string]any{"apiKey": l.key, "name": "Soak", "callbackUrl": callback, "wallets": wallets},
		},
	}, &answer)
	if made := answer.Data.CreateCustodianAccount; err == nil && made.Code != http.StatusOK {
		err = fmt.Errorf("createCustodianAccount: %d %s", made.Code, made.Message)
	}
	return err
}

// walletField is the name of a network in a custodian's wallets.
var walletField = map[string]string{"BEP20": "bep20", "POLYGON": "polygon", "BASE": "base", "SOL": "solana"}

// listen serves the merchant's receiver and returns its address.
func (l *lab) listen() (callback string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens until the end
	if err != nil {
		return "", err
	}
	l.receiver = &http.Server{Handler: http.HandlerFunc(l.receive), ReadHeaderTimeout: requestTime}
	go func() { _ = l.receiver.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/hook", nil
}

// webhookBody is the part of a webhook that is compared.
type webhookBody struct{ TxnID, EventID, Status string }

// receive records a webhook, unless the receiver is busy.
func (l *lab) receive(w http.ResponseWriter, r *http.Request) {
	var body webhookBody
	err := json.NewDecoder(r.Body).Decode(&body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy.Load() || err != nil {
		l.refused[body.TxnID]++
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	if l.received[body.TxnID] == nil {
		l.received[body.TxnID] = make(map[string]bool)
	}
	l.received[body.TxnID][body.Status] = true
}
