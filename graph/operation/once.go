package operation

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// A write holds its key for claimTime, and for longer as long as it runs. So a
// crash frees the key within 5 s, and a request that takes a minute keeps it.
const (
	claimTime   = 4 * time.Second
	extendEvery = time.Second
)

// recordTime bounds how long writing down an answer may take.
const recordTime = 10 * time.Second

// scope is the owner of an Idempotency-Key: a merchant, or the payer of one of
// the merchant's payments.
type scope struct {
	keyID   int64
	payment payment.ID // empty for the merchant
	// operation is what the key is sent with: an order number may be sent with each operation on the order.
	operation string
	// password: the request holds one, so only a MAC of it is stored: a password could be
	// guessed by a plain hash.
	password bool
}

// request returns what identifies a request: what was read of it, whatever its bytes are. read holds no API key, which
// the scope stands for, and is written as JSON.
func (s scope) request(read any) (idempotency.Hash, error) {
	text, err := json.Marshal(read)
	if err != nil {
		return idempotency.Hash{}, fmt.Errorf("write what was read of a request: %w", err)
	}
	return sha256.Sum256(append([]byte(s.operation+"\n"), text...)), nil
}

// macs returns what is stored of a request with a password: its MAC, and those under the secret keys that a rotation
// replaces, which a first try may have stored.
func (s scope) macs(o *Operations, request idempotency.Hash) (mac idempotency.Hash, replaced []idempotency.Hash) {
	for _, key := range o.d.Sealer.DeriveAll("request with a password v1") {
		mac := hmac.New(sha256.New, key)
		mac.Write(request[:])
		replaced = append(replaced, idempotency.Hash(mac.Sum(nil)))
	}
	return replaced[0], replaced[1:]
}

// most is how many records the scope may have, if it is public.
func (s scope) most() int {
	if strings.HasPrefix(string(s.payment), campaignScope) {
		return idempotency.MaxOfCampaign
	}
	return idempotency.MaxOfPayment
}

// campaignScope begins the scope of a campaign, whose donors have no payment yet.
const campaignScope = "donation:"

// payerOf is the scope of an operation of the payment's payer.
func payerOf(p payment.Payment, operation string) scope {
	return scope{keyID: p.KeyID, payment: p.ID, operation: operation}
}

// name is the name the key is stored under: whose it is, what it is sent with, and its hash, which is short.
func (s scope) name(key string) string {
	sum := sha256.Sum256([]byte(key))
	return string(s.payment) + ":" + s.operation + ":" + hex.EncodeToString(sum[:])
}

// place is the context a sealed answer is bound to.
func (s scope) place(key string) string {
	return idempotency.AnswerPlace(s.keyID, s.name(key))
}

// write is one run of a write.
type write struct {
	// subject is the id of the object that the write makes: the same for every
	// repetition, so that a crash between the write and the record of its answer cannot
	// make two.
	subject payment.ID
	// keep stores the answer in the transaction of what is made; nil: the request has no Idempotency-Key.
	keep idempotency.Keep
}

// keptBy is the act, with the answer that it keeps.
func (w write) keptBy(act audit.Act) audit.Act {
	act.Keep = w.keep
	return act
}

// as is the answer of a write that makes nothing else.
func as[R any](out R) R { return out }

// once runs a write once for each Idempotency-Key within the scope, and
// replays its first answer after that. read is what was read of the request, and answer writes what was made of it.
func once[In, T any, R result[T]](
	ctx context.Context, o *Operations, s scope, read any, answer func(In) R, run func(w write) (In, error),
) (R, error) {
	call, now := CallOf(ctx), o.d.Now()
	id := o.d.NewID(now)
	if call.IdempotencyKey == "" {
		made, err := run(write{id, nil})
		if err != nil {
			return nil, err
		}
		return answer(made), nil
	}
	claim := idempotency.Claim{KeyID: s.keyID, Key: s.name(call.IdempotencyKey), Holder: string(id)}
	request, err := s.request(read)
	if err != nil {
		return nil, err
	}
	var replaced []idempotency.Hash
	if s.password {
		request, replaced = s.macs(o, request)
	}
	subject, first, err := o.d.Store.IdempotencyBegin(ctx, idempotency.Try{
		Claim: claim, Scope: string(s.payment), Most: s.most(),
		Request: request, Replaced: replaced, Subject: string(id), Now: now, LockedUntil: now.Add(claimTime),
	})
	if err != nil {
		return nil, err
	}
	if first.Status != 0 {
		return replay[T, R](o, call, s, first)
	}
	kept := func(out R) (*idempotency.Kept, error) {
		text, err := sealed[T](o, s, call.IdempotencyKey, succeeded[T](ctx, out))
		return &idempotency.Kept{Claim: claim, Answer: text, At: o.d.Now()}, err
	}
	w := write{payment.ID(subject), func(made any) (*idempotency.Kept, error) {
		return kept(answer(made.(In))) //nolint:forcetypeassert // it is what run returns
	}}
	made, err := holding(ctx, o, claim, func() (In, error) { return run(w) })
	var out R
	if err == nil {
		out = answer(made)
	}
	return record[T](ctx, o, claim, out, err, kept)
}

// holding runs a write, and holds its key while it runs. If it cannot, another try may
// take the request over; what this one writes fails then (idempotency.KeepAnswer).
func holding[R any](ctx context.Context, o *Operations, claim idempotency.Claim, run func() (R, error)) (R, error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // the write may outlive its caller
	ended := make(chan struct{})
	defer func() {
		stop()
		<-ended // an extension must not follow the record of the answer
	}()
	go func() {
		defer close(ended)
		tick := time.NewTicker(extendEvery)
		defer tick.Stop()
		for held := true; held; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			var err error
			held, err = o.d.Store.IdempotencyHold(ctx, claim, o.d.Now().Add(claimTime))
			if err != nil && ctx.Err() == nil {
				o.d.Log.WarnContext(ctx, "an idempotency key was not held for longer", "error", err)
				held = true // it may be, the next time
			}
		}
	}()
	return run()
}

func replay[T any, R result[T]](o *Operations, call *Call, s scope, a idempotency.Answer) (R, error) {
	text, err := o.d.Sealer.Open(s.place(call.IdempotencyKey), string(a.Body))
	if err != nil {
		return nil, err
	}
	out := R(new(T))
	if err := json.Unmarshal([]byte(text.Reveal()), out); err != nil {
		return nil, fmt.Errorf("read a kept answer: %w", err)
	}
	call.Replayed = true
	return out, nil
}

// record stores the answer of what was done, and frees the key of what was not. A client that disconnected must find
// its answer when it retries, so recording does not end with the request.
func record[T any, R result[T]](
	ctx context.Context, o *Operations, claim idempotency.Claim, out R, failed error,
	kept func(R) (*idempotency.Kept, error),
) (R, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	switch fate := fateOf(failed, failed == nil && codeOf[T](out) == codeAccepted); fate {
	case keyFreed:
		if err := o.d.Store.IdempotencyForget(ctx, claim); err != nil {
			o.d.Log.ErrorContext(ctx, "the record of a refused request was not deleted", "error", err)
		}
		return out, failed
	case keyRetried:
		if _, err := o.d.Store.IdempotencyHold(ctx, claim, o.d.Now().Add(-claimTime)); err != nil {
			o.d.Log.ErrorContext(ctx, "an idempotency key was not released", "error", err)
		}
		return out, failed
	case keyKept:
	}
	answer, err := kept(out)
	if err != nil {
		return nil, err
	}
	if err := o.d.Store.IdempotencyFinish(ctx, *answer); err != nil {
		// The write has happened, so its answer is returned. A repetition waits
		// for the claim to expire and then makes the same object again.
		o.d.Log.ErrorContext(ctx, "an answer was not stored", "error", err)
	}
	return out, nil
}

// fate is what becomes of an Idempotency-Key after a run of its request.
type fate int

const (
	keyKept    fate = iota // the answer is stored and replayed
	keyRetried             // the same request runs on, to report how it ended
	keyFreed               // nothing was made, so it may be sent with any request
)

// fateOf is the rule: what was done is kept; a refusal is not, so that it is forgotten once its cause is gone. After a
// fault of ours, or a transfer that is on its way or came to nothing, the request may have taken effect; what is not
// available has not begun.
func fateOf(failed error, underway bool) fate {
	if failed == nil {
		if underway {
			return keyRetried
		}
		return keyKept
	}
	switch f := fault.Of(failed); {
	case f == nil, f.Kind == fault.Internal, f.Reason == fault.ReasonRechargeFailed:
		return keyRetried
	}
	return keyFreed
}

// sealed encrypts an answer for storage, because some hold secrets.
func sealed[T any, R result[T]](o *Operations, s scope, key string, out R) (idempotency.Answer, error) {
	text, err := json.Marshal(out)
	if err != nil {
		return idempotency.Answer{}, fmt.Errorf("write an answer to keep: %w", err)
	}
	body := o.d.Sealer.Seal(s.place(key), secret.New(string(text)))
	return idempotency.Answer{Status: codeOf[T](out), Body: []byte(body)}, nil
}

func codeOf[T any, R result[T]](out R) int {
	return *out.Envelope().Code
}
