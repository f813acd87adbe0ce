package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/views/sandbox"
)

// inboxPath is where the inbox receives.
const inboxPath = "/sandbox/inbox"

// Mode is how the inbox answers webhooks.
type Mode string

// Modes of the inbox.
const (
	ModeUp      Mode = "up"
	ModeFailing Mode = "failing" // answers 500
	ModeSlow    Mode = "slow"    // answers after SlowAnswer
)

const (
	// SlowAnswer is longer than the sender's timeout, so a slow receiver means a failed attempt.
	SlowAnswer = 20 * time.Second
	// inboxKeeps is how many deliveries the inbox keeps: it is for looking on, not for storage.
	inboxKeeps = 100
	// inboxBody is the limit of a body in bytes; webhooks are far smaller.
	inboxBody = 64 << 10
)

// Inbox is a merchant's webhook receiver: it verifies every delivery with the reference library and shows it.
type Inbox struct {
	mu         sync.Mutex
	mode       Mode
	verifier   *standardwebhooks.Webhook
	deliveries []sandbox.Delivery // newest first
}

// NewInbox returns an inbox that verifies signatures with the signing secret.
func NewInbox(signing string) (*Inbox, error) {
	v, err := standardwebhooks.NewWebhook(signing)
	if err != nil {
		return nil, fmt.Errorf("signing secret of the demo merchant: %w", err)
	}
	return &Inbox{mode: ModeUp, verifier: v}, nil
}

// SetMode changes how the inbox answers; it returns false for an unknown mode.
func (b *Inbox) SetMode(m Mode) bool {
	if !slices.Contains([]Mode{ModeUp, ModeFailing, ModeSlow}, m) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mode = m
	return true
}

// Mode returns how the inbox answers.
func (b *Inbox) Mode() Mode {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mode
}

// Deliveries returns the received deliveries, newest first.
func (b *Inbox) Deliveries() []sandbox.Delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.deliveries)
}

// ServeHTTP receives one webhook.
func (b *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "webhooks come by POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, inboxBody))
	if err != nil {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	mode := b.Mode()
	status := http.StatusOK
	if mode == ModeFailing {
		status = http.StatusInternalServerError
	}
	b.keep(r, body, status)
	if mode == ModeSlow {
		select {
		case <-time.After(SlowAnswer):
		case <-r.Context().Done():
		}
	}
	w.WriteHeader(status)
}

func (b *Inbox) keep(r *http.Request, body []byte, answered int) {
	d := sandbox.Delivery{
		At: time.Now(), ID: r.Header.Get("Webhook-Id"), Body: string(body), Answered: answered,
		Signed: true, Verdict: "The signature is right.",
	}
	if err := b.verifier.Verify(body, r.Header); err != nil {
		d.Signed, d.Verdict = false, "It is not signed with the demo merchant's secret, the only one this inbox knows: "+err.Error()+"."
	}
	var fields struct {
		TxnID  string `json:"txnid"`
		Status string `json:"status"`
	}
	if json.Unmarshal(body, &fields) == nil {
		d.TxnID, d.Status = fields.TxnID, fields.Status
	}
	for _, name := range []string{
		"Content-Type", "User-Agent", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature",
	} {
		if v := r.Header.Get(name); v != "" {
			d.Headers = append(d.Headers, sandbox.Header{Name: name, Value: v})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deliveries = append([]sandbox.Delivery{d}, b.deliveries...)
	if len(b.deliveries) > inboxKeeps {
		b.deliveries = b.deliveries[:inboxKeeps]
	}
}
