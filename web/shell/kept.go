package shell

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/secret"
)

// Keep stores a text, sealed, and returns the name by which Kept reads it again. scope keeps most texts; the oldest
// gives way.
func (s *Shell) Keep(ctx context.Context, scope string, most int, text secret.Text) (name string, err error) {
	name = rand.Text()
	try := s.keptAs(name)
	try.Scope, try.Most = "kept:"+scope, most
	if _, _, err := s.forms.Store.IdempotencyBegin(ctx, try); err != nil {
		return "", err
	}
	body := s.forms.Sealer.Seal(idempotency.AnswerPlace(0, try.Key), text)
	return name, s.forms.Store.IdempotencyFinish(ctx, idempotency.Kept{
		Claim: try.Claim, Answer: idempotency.Answer{Status: http.StatusOK, Body: []byte(body)}, At: try.Now,
	})
}

// Kept returns the text that Keep stored under the name; ok is false if there is none.
func (s *Shell) Kept(ctx context.Context, name string) (text secret.Text, ok bool, err error) {
	try := s.keptAs(name)
	_, answer, err := s.forms.Store.IdempotencyBegin(ctx, try)
	if err != nil {
		return secret.Text{}, false, err
	}
	if answer.Status == 0 {
		return secret.Text{}, false, s.forms.Store.IdempotencyForget(ctx, try.Claim)
	}
	text, err = s.forms.Sealer.Open(idempotency.AnswerPlace(0, try.Key), string(answer.Body))
	return text, err == nil, err
}

func (s *Shell) keptAs(name string) idempotency.Try {
	sum := sha256.Sum256([]byte(name))
	key, now := "kept:"+hex.EncodeToString(sum[:]), s.Now()
	return idempotency.Try{
		Claim: idempotency.Claim{Key: key, Holder: rand.Text()}, Request: sum, Now: now,
		LockedUntil: now.Add(time.Minute),
	}
}
