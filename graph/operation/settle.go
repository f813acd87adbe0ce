package operation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
)

// Refusal is an error as the caller sees it.
type Refusal struct {
	Code       int
	Message    string
	RetryAfter time.Duration // zero if retrying does not help
	Reason     fault.Reason  // of 409 and 422; empty otherwise
}

// retryTimeout is when to retry an operation that took too long.
const retryTimeout = 2 * time.Second

// Refuse maps an error to a code and a message. An error that is not a fault of
// the caller is logged under the request's id, and the message holds only that id.
func Refuse(ctx context.Context, log *slog.Logger, err error) Refusal {
	call := CallOf(ctx)
	r := refusal(ctx, log, call, err)
	if r.RetryAfter > 0 {
		call.RetryAfter = r.RetryAfter
	}
	return r
}

// Refuse is the package's Refuse with the operations' log.
func (o *Operations) Refuse(ctx context.Context, err error) Refusal { return Refuse(ctx, o.d.Log, err) }

func refusal(ctx context.Context, log *slog.Logger, call *Call, err error) Refusal {
	f := fault.Of(err)
	if f != nil && f.Kind != fault.Internal {
		logDenied(ctx, log, call, f.Kind)
		if errors.Is(err, fault.ErrStorage) {
			log.ErrorContext(ctx, "the database cannot be used", "request", call.RequestID, "error", err)
		}
		return Refusal{f.Kind.Code(), f.Message, f.RetryAfter, f.ReasonOf()}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		log.WarnContext(ctx, "an operation ran out of time", "request", call.RequestID, "error", err)
		return Refusal{
			Code: fault.Unavailable.Code(), Message: "this took too long; ask again", RetryAfter: retryTimeout,
		}
	}
	log.ErrorContext(ctx, "an operation failed", "request", call.RequestID, "error", err)
	return Refusal{
		Code:    fault.Internal.Code(),
		Message: "something went wrong on our side; if it stays so, tell the operator request " + call.RequestID,
	}
}

// logDenied logs a refused authentication or authorization. Over GraphQL its
// status is 200, so the log of requests does not show it.
func logDenied(ctx context.Context, log *slog.Logger, call *Call, kind fault.Kind) {
	if kind == fault.Unauthorized || kind == fault.Forbidden {
		log.InfoContext(ctx, "access denied", "request", call.RequestID, "client", call.Client, "code", kind.Code())
	}
}

// result is a pointer to a result type.
type result[T any] interface {
	*T
	Envelope() model.Envelope
}

// okMessage is the message of a success without a message of its own.
const okMessage = "OK"

// Settle runs an operation and always returns a result: an error or a panic
// becomes a result that has only code and message.
func Settle[T any, R result[T]](ctx context.Context, o *Operations, run func(context.Context) (R, error)) (out R) {
	ctx = WithWarnings(ctx, slices.Clone(warningsOf(ctx))...) // those of this operation, not of others in the request
	defer func() {
		if p := recover(); p != nil {
			logPanic(ctx, o.d.Log, p)
			out = refused[T, R](ctx, o.Refuse(ctx, errPanic))
		}
	}()
	out, err := run(ctx)
	if err != nil {
		return refused[T, R](ctx, o.Refuse(ctx, err))
	}
	return succeeded[T](ctx, out)
}

var errPanic = errors.New("a panic was recovered")

// logPanic logs where the panic happened, but not its value, which may hold an
// argument.
func logPanic(ctx context.Context, log *slog.Logger, p any) {
	log.ErrorContext(
		ctx, "panic", "request", CallOf(ctx).RequestID, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()),
	)
}

func refused[T any, R result[T]](ctx context.Context, r Refusal) R {
	out := R(new(T))
	e := out.Envelope()
	*e.Code, *e.Message, *e.Reason = r.Code, r.Message, optional(string(r.Reason))
	return warned[T](ctx, out)
}

func succeeded[T any, R result[T]](ctx context.Context, out R) R {
	e := out.Envelope()
	if *e.Code == 0 {
		*e.Code = 200
	}
	if *e.Message == "" {
		*e.Message = okMessage
	}
	return warned[T](ctx, out)
}
