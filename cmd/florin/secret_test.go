package main_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

// rotated is an installation whose secret key is changed.
type rotated struct {
	*shop

	old, fresh string // NAME=value of the two keys
	write      *keyedWrite
	answer     map[string]any
}

func openRotated(t *testing.T, more ...string) *rotated {
	t.Helper()
	r := &rotated{shop: openShop(t, more...), old: "FLORIN_SECRET_KEY=" + secretKey}
	r.fresh, _, _ = strings.Cut(r.must(t, "", "keygen"), "\n")
	r.write = &keyedWrite{"/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, r.key), "before the change"}
	var status int
	if status, r.answer = r.write.send(t.Context(), r.url); status != http.StatusOK {
		t.Fatalf("a payment: %d %v", status, r.answer)
	}
	return r
}

// works fails unless the server opens what was sealed: the kept answer, and the custodian's secrets for a webhook.
func (r *rotated) works(t *testing.T, what string, s *server) {
	t.Helper()
	status, answer := r.write.send(t.Context(), s.url)
	if status != http.StatusOK || !reflect.DeepEqual(answer, r.answer) {
		t.Errorf("%s: the kept answer is %d %v, not %v", what, status, answer, r.answer)
	}
	create := &keyedWrite{"/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, r.key), what}
	status, made := create.send(t.Context(), s.url)
	if status != http.StatusOK {
		t.Fatalf("%s: a payment: %d %v", what, status, made)
	}
	txnid := made["transaction"].(map[string]any)["txnid"].(string)
	cancel := &keyedWrite{"/cancel-payment", fmt.Sprintf(`{"txnid":%q}`, txnid), what + ", cancelled"}
	if status, answer := cancel.send(t.Context(), s.url); status != http.StatusOK {
		t.Fatalf("%s: cancel: %d %v", what, status, answer)
	}
	eventually(t, what+": the webhook, with the secret", func() bool {
		for _, h := range r.receiver.about(txnid) {
			if h.body["secret"] == "callback-secret" {
				return true
			}
		}
		return false
	})
}

// set gives the programs that start from now on these settings.
func (r *rotated) set(env ...string) { r.env = append(r.env, env...) }

func onDatabases(t *testing.T, test func(t *testing.T, more ...string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, "FLORIN_DATABASE_URL="+postgres.URL(t))
	})
}

// TestSecretRotate: the four steps of the manual with servers that run; afterwards the new key alone opens everything,
// and the old one nothing.
func TestSecretRotate(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, more ...string) {
		r := openRotated(t, more...)
		if len(more) == 0 {
			r.stop(t, syscall.SIGTERM) // SQLite has one server
		}
		r.set(r.fresh, "FLORIN_OLD_SECRET_KEY="+secretKey)
		both := r.serve(t)
		r.works(t, "a server with both keys, before the change", both)
		if len(more) > 0 {
			r.works(t, "a server with the old key beside it", r.server)
			r.stop(t, syscall.SIGTERM)
		}
		out := r.must(t, "", "secret", "rotate")
		if !strings.Contains(out, "Restart every server") || strings.Contains(out, secretKey) {
			t.Errorf("florin secret rotate prints %q", out)
		}
		r.works(t, "a server with both keys, after the change", both)
		stopped := installation{dir: r.dir, env: append(r.env, r.old, "FLORIN_OLD_SECRET_KEY=")}
		stopped.refuses(t, 1, []string{"migrate"}, "FLORIN_SECRET_KEY")
		if status, log := both.stop(t, syscall.SIGTERM); status != 0 || strings.Contains(log, "level=ERROR") {
			t.Errorf("it ends with %d: %s", status, log)
		}
		restarted := r.serve(t)
		r.prints(t, "already", "secret", "rotate")
		r.works(t, "a server that was restarted", restarted)
		restarted.stop(t, syscall.SIGTERM)
		r.prints(t, "already; 0 more values", "secret", "rotate")
		r.set("FLORIN_OLD_SECRET_KEY=")
		r.works(t, "a server with the new key alone", r.serve(t))
	})
}

func TestSecretRotate_Refuses(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "", "migrate")
	command := []string{"secret", "rotate"}
	i.refuses(t, 1, command, "florin keygen", "FLORIN_OLD_SECRET_KEY")
	another := base64.StdEncoding.EncodeToString(make([]byte, 32))
	third := strings.Replace(another, "A", "B", 1)
	others := []string{"FLORIN_SECRET_KEY=" + another, "FLORIN_OLD_SECRET_KEY=" + third}
	stranger := installation{dir: i.dir, env: append(i.env, others...)}
	stranger.refuses(t, 1, command, "FLORIN_SECRET_KEY")
	same := installation{dir: i.dir, env: append(i.env, "FLORIN_OLD_SECRET_KEY="+secretKey)}
	same.refuses(t, 1, command, "FLORIN_OLD_SECRET_KEY", "the same")
}
