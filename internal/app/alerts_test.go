package app

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

var testAlert = alert.Notification{
	ID: "ntc_01M7Z95F5DE7BD6RTSPKBNS62H", Phase: alert.Begins, At: time.Unix(1_795_000_000, 0),
	Alert: alert.Alert{Since: time.Unix(1_795_000_000, 0), Condition: alert.Condition{
		Kind: alert.GasLow, Subject: "POLYGON", Title: "The gas wallet runs low",
		Text: "It holds 1 POL.", Advice: "Send POL.",
	}},
}

// TestOperatorHook: the webhook is signed as those of merchants are, and its text is the whole message.
func TestOperatorHook(t *testing.T) {
	t.Parallel()
	key := webhook.NewSigningSecret()
	var problem error
	var text string
	status := http.StatusNoContent
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		verifier, wrong := standardwebhooks.NewWebhook(key.Reveal())
		problem = errors.Join(err, wrong)
		if problem == nil {
			problem = verifier.Verify(body, r.Header)
		}
		var fields struct{ Text, Kind, EventID string }
		problem = errors.Join(problem, json.Unmarshal(body, &fields))
		if fields.Kind != "gas_low" || fields.EventID != testAlert.ID || r.Header.Get("webhook-id") != testAlert.ID {
			problem = errors.Join(problem, errors.New(string(body)))
		}
		text = fields.Text
		w.WriteHeader(status)
	}))
	t.Cleanup(receiver.Close)
	const canary = "T0KEN"
	a := &App{
		Config: config.Config{
			BaseURL: "https://pay.example", OperatorHook: secret.New(receiver.URL + "/" + canary), OperatorHookKey: key,
		},
		clock: newClock(time.Now(), sinceBoot),
	}
	post := a.operatorHook()
	body, err := testAlert.Body(a.Config.BaseURL + "/operator")
	testkit.Must(t, err)
	letter := mail.Mail{ID: testAlert.ID, Kind: mail.Hook, Text: secret.New(string(body))}
	if got := post(t.Context(), letter).Attempt; got.Status != status || problem != nil {
		t.Fatalf("the attempt is %+v, the receiver says %v", got, problem)
	}
	for _, part := range []string{"The gas wallet runs low", "It holds 1 POL.", "Send POL.", "https://pay.example/operator"} {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks %q: %s", part, text)
		}
	}
	status = http.StatusInternalServerError
	if got := post(t.Context(), letter).Attempt; got.Status != status {
		t.Errorf("a receiver that answers 500: %+v", got)
	}
	receiver.Close()
	if got := post(t.Context(), letter).Attempt; got.Error == "" || strings.Contains(got.Error, canary) {
		t.Errorf("a receiver that is gone: %+v", got)
	}
}
