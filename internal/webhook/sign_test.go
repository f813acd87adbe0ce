package webhook_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// The test vector of the Standard Webhooks libraries.
const (
	vectorSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorTime      = 1614265330
	vectorBody      = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestSign_Vector(t *testing.T) {
	t.Parallel()
	got, err := webhook.Sign(
		[]secret.Text{secret.New(vectorSecret)}, vectorID, time.Unix(vectorTime, 999), []byte(vectorBody),
	)
	if err != nil || got != vectorSignature {
		t.Fatalf("got %q, %v; want %q", got, err, vectorSignature)
	}
}

func TestSign_EachLiveSecretVerifies(t *testing.T) {
	t.Parallel()
	secrets := []secret.Text{webhook.NewSigningSecret(), secret.New(vectorSecret), webhook.NewSigningSecret()}
	body := []byte(`{"txnid":"01JD","amount":0.1}`)
	now := time.Now()
	signature, err := webhook.Sign(secrets, "evt_01JD_3", now, body)
	testkit.Must(t, err)
	if n := len(strings.Fields(signature)); n != len(secrets) {
		t.Fatalf("%d signatures in %q, want %d", n, signature, len(secrets))
	}
	header := http.Header{}
	header.Set(webhook.HeaderID, "evt_01JD_3")
	header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(webhook.HeaderSignature, signature)
	for i, s := range secrets {
		mustVerify(t, s, body, header)
		tampered := append([]byte(nil), body...)
		tampered[len(tampered)-2] = '2'
		if err := verifier(t, s).Verify(tampered, header); !errors.Is(err, standardwebhooks.ErrNoMatchingSignature) {
			t.Errorf("secret %d: a changed body verified: %v", i, err)
		}
	}
	if err := verifier(t, webhook.NewSigningSecret()).Verify(body, header); !errors.Is(
		err, standardwebhooks.ErrNoMatchingSignature,
	) {
		t.Errorf("a foreign secret verified: %v", err)
	}
}

func TestSign_NoSecret(t *testing.T) {
	t.Parallel()
	got, err := webhook.Sign(nil, "evt_1", time.Unix(1, 0), nil)
	if got != "" || err != nil {
		t.Fatalf("got %q, %v; want nothing", got, err)
	}
}

func TestSign_Refuses(t *testing.T) {
	t.Parallel()
	bytesOf := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	good := secret.New(vectorSecret)
	for name, c := range map[string]struct {
		secret string
		id     string
		want   error
	}{
		"no prefix":      {strings.TrimPrefix(vectorSecret, "whsec_"), "evt_1", webhook.ErrSigningSecret},
		"not base64":     {"whsec_!!!!", "evt_1", webhook.ErrSigningSecret},
		"23 bytes":       {bytesOf(23), "evt_1", webhook.ErrSigningSecret},
		"65 bytes":       {bytesOf(65), "evt_1", webhook.ErrSigningSecret},
		"empty":          {"", "evt_1", webhook.ErrSigningSecret},
		"no id":          {vectorSecret, "", webhook.ErrEventID},
		"dot in id":      {vectorSecret, "evt.1", webhook.ErrEventID},
		"line end in id": {vectorSecret, "evt_1\r\nx: y", webhook.ErrEventID},
		"long id":        {vectorSecret, strings.Repeat("e", 129), webhook.ErrEventID},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := webhook.Sign([]secret.Text{good, secret.New(c.secret)}, c.id, time.Unix(1, 0), []byte("{}"))
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if c.secret != "" && strings.Contains(err.Error(), c.secret) {
				t.Fatalf("the error shows the secret: %v", err)
			}
		})
	}
	for _, n := range []int{24, 32, 64} {
		if _, err := webhook.Sign([]secret.Text{secret.New(bytesOf(n))}, "evt_1", time.Unix(1, 0), nil); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestNewSigningSecret(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 100 {
		text := webhook.NewSigningSecret().Reveal()
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
		if err != nil || len(key) != 32 || !strings.HasPrefix(text, "whsec_") || seen[text] {
			t.Fatalf("%q: %v, %d bytes, seen before: %v", text, err, len(key), seen[text])
		}
		seen[text] = true
	}
}

func verifier(t *testing.T, s secret.Text) *standardwebhooks.Webhook {
	t.Helper()
	v, err := standardwebhooks.NewWebhook(s.Reveal())
	testkit.Must(t, err)
	return v
}

// mustVerify checks a request as a receiver with the reference library does.
func mustVerify(t *testing.T, s secret.Text, body []byte, h http.Header) {
	t.Helper()
	if err := verifier(t, s).Verify(body, h); err != nil {
		t.Fatalf("the reference library refuses the request: %v", err)
	}
}
