package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// Answers keeps the answers of writes that came with an Idempotency-Key. Every
// method is one transaction.
type Answers interface {
	// BeginAnswer claims the key within the scope for the request until the
	// time given, or tells what is known of it. subject names what the write
	// is going to make; a claim that was left behind, by a crash or with
	// ReleaseAnswer, keeps its first subject, so that repeating the write
	// makes the same thing. What is older than keep is forgotten.
	BeginAnswer(ctx context.Context, q Question, now time.Time) (Claim, error)
	// FinishAnswer keeps the answer of a claim.
	FinishAnswer(ctx context.Context, scope, key, answer string) error
	// ReleaseAnswer gives a claim up without an answer; the subject stays.
	ReleaseAnswer(ctx context.Context, scope, key string) error
}

// Question is a write that must happen once.
type Question struct {
	Scope   string // whose key it is
	Key     string
	Request [32]byte // hash of the request's body
	Subject string
	Until   time.Time // when the claim is given up if nobody finishes it
	Since   time.Time // answers kept before it are forgotten
}

// Claim is what became of a Question.
type Claim struct {
	// Mine: the caller shall do the write, for Subject, and finish the claim.
	Mine    bool
	Subject string
	// Other: the key was used for another request.
	Other bool
	// Answer is what was answered; empty while the write is still running.
	Answer string
}

const (
	// answersKept is for how long an answer is replayed.
	answersKept = 24 * time.Hour
	// claimTime is how long a write may run: longer than any request does.
	claimTime = 90 * time.Second
)

// Refusals of an Idempotency-Key.
var (
	errOtherRequest = fault.New(fault.Unprocessable, "this Idempotency-Key was used for another request; use a new key")
	errStillRunning = fault.Retry(fault.Conflict, time.Second, "the first request with this Idempotency-Key is still running; ask again")
)

// once runs a write once for each Idempotency-Key within the scope, and
// replays its first answer after that. subject is the id of what the write
// makes: the same for every repetition, so that a crash between the write and
// the record of its answer cannot make two.
func once[T any, R result[T]](ctx context.Context, o *Operations, scope string, run func(subject payment.ID) (R, error)) (R, error) {
	call, now := CallOf(ctx), o.d.Now()
	subject := o.d.NewID(now)
	if call.IdempotencyKey == "" {
		return run(subject)
	}
	claim, err := o.d.Answers.BeginAnswer(ctx, Question{
		Scope: scope, Key: call.IdempotencyKey, Request: call.Request, Subject: string(subject),
		Until: now.Add(claimTime), Since: now.Add(-answersKept),
	}, now)
	if err != nil {
		return nil, err
	}
	if !claim.Mine {
		return replay[T, R](o, call, scope, claim)
	}
	out, err := run(payment.ID(claim.Subject))
	return record[T](ctx, o, scope, out, err)
}

func replay[T any, R result[T]](o *Operations, call *Call, scope string, c Claim) (R, error) {
	switch {
	case c.Other:
		return nil, errOtherRequest
	case c.Answer == "":
		return nil, errStillRunning
	}
	text, err := o.d.Sealer.Open(place(scope, call.IdempotencyKey), c.Answer)
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

// record keeps the answer, unless asking again may give a better one: after a
// fault of ours or of the moment the claim is released.
func record[T any, R result[T]](ctx context.Context, o *Operations, scope string, out R, failed error) (R, error) {
	// A client that has gone must not keep its retry from being answered.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	key := CallOf(ctx).IdempotencyKey
	if failed != nil {
		switch fault.KindOf(failed) {
		case fault.Internal, fault.Limited, fault.Unavailable:
			if err := o.d.Answers.ReleaseAnswer(ctx, scope, key); err != nil {
				o.d.Log.ErrorContext(ctx, "an idempotency key could not be released", "error", err)
			}
			return nil, failed
		}
		out = refused[T, R](o.Refuse(ctx, failed))
	} else {
		out = succeeded[T](out)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write an answer to keep: %w", err)
	}
	sealed := o.d.Sealer.Seal(place(scope, key), secret.New(string(text)))
	if err := o.d.Answers.FinishAnswer(ctx, scope, key, sealed); err != nil {
		// The write has happened: its answer is given, and a repetition finds
		// the claim, waits for it to end and makes the same thing again.
		o.d.Log.ErrorContext(ctx, "an answer could not be kept", "error", err)
	}
	return out, nil
}

func place(scope, key string) string { return "answer:" + scope + ":" + key }
