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

// TestSecretRotate: the key is changed while servers run, which go on without a restart; afterwards the new key alone
// opens everything, and the old one nothing.
func TestSecretRotate(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, more ...string) {
		r := openRotated(t, more...)
		servers := []*server{r.server}
		if len(more) > 0 {
			servers = append(servers, r.serve(t)) // a second instance
		}
		out := r.must(t, r.fresh+"\n", "secret", "rotate")
		if !strings.Contains(out, "Set FLORIN_SECRET_KEY") || strings.Contains(out, secretKey) {
			t.Errorf("florin secret rotate prints %q", out)
		}
		for n, s := range servers {
			r.works(t, fmt.Sprintf("server %d, which began with the old key", n+1), s)
		}
		r.refuses(t, 1, []string{"migrate"}, "FLORIN_SECRET_KEY")
		for _, s := range servers {
			if status, log := s.stop(t, syscall.SIGTERM); status != 0 || strings.Contains(log, "level=ERROR") {
				t.Errorf("it ends with %d: %s", status, log)
			}
		}
		r.set(r.fresh)
		r.works(t, "a server with the new key alone", r.serve(t))
		r.prints(
			t, "already", "secret", "rotate", "--env-file",
			write(t, r.dir, "old.env", "FLORIN_OLD_SECRET_KEY="+secretKey+"\n"),
		)
	})
}

// TestSecretRotate_Restarted: servers are started with both keys, one after the other, before the key is changed; the
// command takes the keys from the environment.
func TestSecretRotate_Restarted(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, more ...string) {
		r := openRotated(t, more...)
		if len(more) == 0 {
			r.stop(t, syscall.SIGTERM)
		}
		r.set(r.fresh, "FLORIN_OLD_SECRET_KEY="+secretKey)
		both := r.serve(t)
		r.works(t, "a server with both keys, before the change", both)
		if len(more) > 0 {
			r.works(t, "a server with the old key beside it", r.server)
			r.stop(t, syscall.SIGTERM)
		}
		r.must(t, "", "secret", "rotate")
		r.works(t, "a server with both keys, after the change", both)
		both.stop(t, syscall.SIGTERM)
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
	if res := i.run(t, "tooshort\n", command...); res.status != 1 || strings.Contains(res.stderr, "tooshort") {
		t.Errorf("a key that is too short: %d %q", res.status, res.stderr)
	}
	another := base64.StdEncoding.EncodeToString(make([]byte, 32))
	stranger := installation{dir: i.dir, env: append(i.env, "FLORIN_SECRET_KEY="+another)}
	if res := stranger.run(
		t, "FLORIN_SECRET_KEY="+strings.Replace(another, "A", "B", 1)+"\n", command...,
	); res.status != 1 ||
		!strings.Contains(res.stderr, "FLORIN_SECRET_KEY") {
		t.Errorf("without the key of the database: %d %q", res.status, res.stderr)
	}
	same := installation{dir: i.dir, env: append(i.env, "FLORIN_OLD_SECRET_KEY="+secretKey)}
	same.refuses(t, 1, command, "FLORIN_OLD_SECRET_KEY", "the same")
}
