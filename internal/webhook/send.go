package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/stringify"
)

// userAgent names the sender to receivers and their firewalls.
const userAgent = "Florin-Webhooks/1.0"

// timeFormat is RFC 3339 in UTC with milliseconds, as every surface writes times.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Options configure a Sender.
type Options struct {
	// AllowPrivate lets http, any port and private addresses pass: for
	// development only, since it opens the operator's own network to
	// every merchant.
	AllowPrivate bool
	Hosts        Hosts            // the only ones that webhooks are sent to; empty: every public one
	Now          func() time.Time // required
	RootCAs      *x509.CertPool   // nil: those of the system
	Resolver     *net.Resolver    // nil: that of the system
	// Certificate receives until when the certificate that a host has shown is valid. It must not block; nil: not
	// needed.
	Certificate func(host string, expires time.Time)
}

// Sender makes single attempts. It is safe for concurrent use.
type Sender struct {
	client       *http.Client
	allowPrivate bool
	hosts        Hosts
	now          func() time.Time
	timeout      time.Duration // AttemptTimeout
	certificate  func(host string, expires time.Time)
}

// NewSender returns a sender.
func NewSender(o Options) *Sender {
	return &Sender{
		client:       newClient(clientOptions{allowPrivate: o.AllowPrivate, roots: o.RootCAs, resolver: o.Resolver}),
		allowPrivate: o.AllowPrivate,
		hosts:        o.Hosts,
		now:          o.Now,
		timeout:      AttemptTimeout,
		certificate:  o.Certificate,
	}
}

// Send makes one attempt. It returns no error: a failure is in the result. It
// takes at most AttemptTimeout.
func (s *Sender) Send(ctx context.Context, d Delivery) Result {
	a := Attempt{At: s.now(), URL: d.URL}
	if err := s.Refuses(d.URL); err != nil {
		a.Error = reason(err, s.now())
		return Result{Attempt: a, Unsent: true}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := s.request(ctx, d, a.At)
	if err != nil {
		a.Error = reason(err, s.now())
		return Result{Attempt: a}
	}
	a.Request, a.Keyed = request.shown, !d.Secret.Empty()
	answer, err := s.client.Do(request.Request)
	received := s.now()
	a.Latency = max(received.Sub(a.At), 0)
	s.noteCertificate(request.URL.Host, answer, err)
	if err != nil {
		a.Error = reason(err, s.now())
		return Result{Attempt: a, Refused: refused(err)}
	}
	defer func() { _ = answer.Body.Close() }() // only its beginning is needed
	a.Status = answer.StatusCode
	if a.Status >= 300 && a.Status <= 399 {
		a.Error = redirected
	}
	a.Response = readAnswer(answer.Body, cancel, d.Secret)
	wait, _ := ParseRetryAfter(answer.Header.Get("Retry-After"), received)
	return Result{Attempt: a, RetryAfter: wait}
}

// Refuses returns why nothing is sent to a callback URL: there is none, or the rules it was set under have changed.
func (s *Sender) Refuses(callbackURL string) error {
	if callbackURL == "" {
		return errNoURL
	}
	if err := CheckURL(callbackURL, s.allowPrivate); err != nil {
		return err
	}
	return s.hosts.Check(callbackURL)
}

var errNoURL = fault.New(fault.Invalid, "there is no callback URL")

// noteCertificate reports the certificate of the receiver, also one that was refused.
func (s *Sender) noteCertificate(host string, answer *http.Response, err error) {
	var refused *tls.CertificateVerificationError
	var chain []*x509.Certificate
	switch {
	case s.certificate == nil:
	case errors.As(err, &refused):
		chain = refused.UnverifiedCertificates
	case err == nil && answer.TLS != nil:
		chain = answer.TLS.PeerCertificates
	}
	if len(chain) > 0 {
		s.certificate(host, chain[0].NotAfter)
	}
}

// TestStatuses are the statuses that a test event can have.
func TestStatuses() []string { return []string{"completed", "expired", "cancelled"} }

// Ping makes one attempt with a body like that of the event with the status, so
// that a merchant can see how a receiver answers. Nothing is stored and nothing
// retried. The body is marked as a test, and its txnid is no payment's, so a
// receiver that looks up its order finds none. eventID is made by the caller;
// it must not be that of an event.
func (s *Sender) Ping(
	ctx context.Context, eventID, custodianID, status, callbackURL string, sec secret.Text, signing ...secret.Text,
) Attempt {
	p := ping{
		Test: true, TxnID: testTxnID, Status: status, Amount: json.Number("49.9"),
		AmountInToken: json.Number("49.9"), ReceivedAmount: json.Number("0"),
		CreatedAt: s.now().UTC().Format(timeFormat),
		Reference: testTxnID, Metadata: map[string]string{}, EventID: eventID,
		CustodianID: custodianID,
	}
	if status == "completed" {
		p.Network, p.Token, p.ReceivedAmount = "polygon", "USDC", p.Amount
	}
	body, err := stringify.JSON(p)
	if err != nil {
		panic(fmt.Sprintf("webhook: a ping cannot be written as JSON: %v", err))
	}
	return s.Send(
		ctx, Delivery{EventID: eventID, URL: callbackURL, Body: body, Secret: sec, SigningSecrets: signing},
	).Attempt
}

// testTxnID is no ULID, so it can never be a payment's.
const testTxnID = "TEST"

// ping is the body of a test: that of an event, marked.
type ping struct {
	Test           bool              `json:"test"`
	TxnID          string            `json:"txnid"`
	Status         string            `json:"status"`
	Amount         json.Number       `json:"amount"`
	AmountInToken  json.Number       `json:"amountInToken"`
	Network        string            `json:"network"`
	CreatedAt      string            `json:"createdAt"`
	Token          string            `json:"token"`
	Hash           string            `json:"hash"`
	ReceivedAmount json.Number       `json:"receivedAmount"`
	Reference      string            `json:"reference"`
	Metadata       map[string]string `json:"metadata"`
	EventID        string            `json:"eventId"`
	CustodianID    string            `json:"custodianId"`
}

// request is an HTTP request and how it is shown.
type request struct {
	*http.Request
	shown string
}

func (s *Sender) request(ctx context.Context, d Delivery, at time.Time) (request, error) {
	body, err := Body(d.Body, d.Secret)
	if err != nil {
		return request{}, err
	}
	signature, err := Sign(d.SigningSecrets, d.EventID, at, body)
	if err != nil {
		return request{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return request{}, fmt.Errorf("build the request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", userAgent)
	r.Header.Set(HeaderID, d.EventID)
	r.Header.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	if d.Replayed {
		r.Header.Set(HeaderReplayed, "true")
	}
	if signature != "" {
		r.Header.Set(HeaderSignature, signature)
	}
	return request{r, showRequest(r)}, nil
}

// readAnswer reads the beginning of an answer's body. The status is known
// already, so aborting an answer that never ends loses only text.
func readAnswer(body io.Reader, cancel context.CancelFunc, s secret.Text) string {
	timer := time.AfterFunc(bodyTimeout, cancel)
	defer timer.Stop()
	text, _ := io.ReadAll(io.LimitReader(body, maxResponseRead)) // after an error, the text so far is shown
	return showResponse(text, s)
}
