package shell

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
)

const (
	// onceRuns is how long a form may run before it counts as crashed.
	onceRuns = time.Minute
	// onceWaits is how long a second click waits for the answer of the first.
	onceWaits = 10 * time.Second
	oncePolls = 100 * time.Millisecond
	// onceStands is for how long a form that is sent again gets the answer of the first: long enough for a second click
	// and for an answer that was lost in a lift, and short enough that who goes back to buy once more may.
	onceStands = time.Minute
	// mostOnces is how often the form of one page is sent again after that.
	mostOnces = 20
	// maxOnce bounds the number of a form, which the server made.
	maxOnce = 64
	// onceOfScope is how many answers one user, or one public page, has at once.
	onceOfScope = 1_000
)

// errOnceRuns answers who pressed a button twice while the first time has no answer yet.
var errOnceRuns = fault.New(fault.Conflict, "what you sent a moment ago is still being done; look at the list in a minute")

// onceAnswer is what a numbered form was answered.
type onceAnswer struct {
	Header http.Header
	Body   []byte
	Until  time.Time // when the form counts as another one
}

// Once runs a form that makes something once for its number (views.Once) and content: a second click, and a form
// that is sent again because its answer was lost, get the answer of the first within onceStands. A form that was
// refused made nothing, and may be sent again. scope is whose form it is, and vary are inputs that differ from
// click to click. A form without a number runs.
func (s *Shell) Once(c echo.Context, scope string, most int64, run func() error, vary ...string) error {
	kind := c.Request().Header.Get(echo.HeaderContentType)
	if s.forms.Store == nil || !strings.HasPrefix(kind, echo.MIMEApplicationForm) {
		return run()
	}
	values, err := ReadForm(c, most)
	if err != nil {
		return err
	}
	number := values.Get(views.OnceInput)
	if number == "" || len(number) > maxOnce {
		return run()
	}
	for _, name := range vary {
		values = without(values, name)
	}
	key := onceKey(scope, c.Request().URL.Path, values)
	for n := range mostOnces {
		claim := idempotency.Claim{Key: key + ":" + strconv.Itoa(n), Holder: rand.Text()}
		answer, err := s.onceBegin(c.Request().Context(), claim, scope)
		if err != nil {
			return err
		}
		if answer.Status == 0 {
			return s.onceRun(c, claim, run)
		}
		if again, err := s.onceAgain(c, claim, answer); again || err != nil {
			return err
		}
	}
	return run()
}

// onceRun runs the form of the claim, and keeps its answer.
func (s *Shell) onceRun(c echo.Context, claim idempotency.Claim, run func() error) error {
	kept := &recorder{ResponseWriter: c.Response().Writer}
	c.Response().Writer = kept
	failed := run()
	c.Response().Writer = kept.ResponseWriter
	// What was done is answered as done. A second click waits for the claim to expire then, and does it again.
	if err := s.onceEnd(c, claim, kept, failed); err != nil {
		s.Log.ErrorContext(c.Request().Context(), "the answer of a form was not stored", "error", err)
	}
	return failed
}

func without(values url.Values, name string) url.Values {
	rest := maps.Clone(values)
	delete(rest, name)
	return rest
}

// onceKey is the name of a form with a number: whose it is, what it is sent to, and what it says.
func onceKey(scope, path string, values url.Values) string {
	sum := sha256.Sum256([]byte(scope + "\n" + path + "\n" + values.Encode()))
	return "form:" + hex.EncodeToString(sum[:])
}

// onceBegin takes the form, or returns what it was answered, for which it waits.
func (s *Shell) onceBegin(ctx context.Context, claim idempotency.Claim, scope string) (idempotency.Answer, error) {
	for give := time.Now().Add(onceWaits); ; {
		now := s.Now()
		_, answer, err := s.forms.Store.IdempotencyBegin(ctx, idempotency.Try{
			Claim: claim, Scope: "form:" + scope, Most: onceOfScope, Request: sha256.Sum256([]byte(claim.Key)),
			Now: now, LockedUntil: now.Add(onceRuns),
		})
		if !errors.Is(err, idempotency.ErrRunning) {
			return answer, err
		}
		if time.Now().After(give) {
			return answer, errOnceRuns
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(oncePolls):
		}
	}
}

// onceAgain answers as the first time, or returns false if that is too long ago.
func (s *Shell) onceAgain(c echo.Context, claim idempotency.Claim, a idempotency.Answer) (bool, error) {
	text, err := s.forms.Sealer.Open(idempotency.AnswerPlace(0, claim.Key), string(a.Body))
	if err != nil {
		return false, err
	}
	var first onceAnswer
	if err := json.Unmarshal([]byte(text.Reveal()), &first); err != nil {
		return false, err
	}
	if !s.Now().Before(first.Until) {
		return false, nil
	}
	maps.Copy(c.Response().Header(), first.Header)
	c.Response().WriteHeader(a.Status)
	_, err = c.Response().Write(first.Body)
	return true, err
}

// onceEnd keeps the answer of what was done, and frees the form of what was refused.
func (s *Shell) onceEnd(c echo.Context, claim idempotency.Claim, kept *recorder, failed error) error {
	ctx, status := context.WithoutCancel(c.Request().Context()), c.Response().Status
	if failed != nil || status >= http.StatusBadRequest {
		return s.forms.Store.IdempotencyForget(ctx, claim)
	}
	answer := onceAnswer{Header: http.Header{}, Body: kept.body.Bytes(), Until: s.Now().Add(onceStands)}
	for _, name := range []string{
		"Location", "Content-Type", "Content-Security-Policy", "Set-Cookie", "Cache-Control",
	} {
		if v := c.Response().Header()[name]; len(v) > 0 {
			answer.Header[name] = v
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	body := s.forms.Sealer.Seal(idempotency.AnswerPlace(0, claim.Key), secret.New(string(text)))
	return s.forms.Store.IdempotencyFinish(ctx, idempotency.Kept{
		Claim: claim, Answer: idempotency.Answer{Status: status, Body: []byte(body)}, At: s.Now(),
	})
}

// recorder keeps what a handler writes.
type recorder struct {
	http.ResponseWriter

	body bytes.Buffer
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
