package main_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// mailbox is a mail server on loopback that keeps every mail.
type mailbox struct {
	address string

	calls atomic.Int64 // connections

	mu    sync.Mutex
	mails []string
	// Until they are closed a connection is not greeted, and a mail that was taken is not said to be; nil: at once.
	greeting, acceptance chan struct{}
}

// hold sets what the next connections wait for.
func (m *mailbox) hold(greeting, acceptance chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.greeting, m.acceptance = greeting, acceptance
}

func startMailbox(t *testing.T) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	m := &mailbox{address: l.Addr().String()}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go m.talk(conn)
		}
	}()
	return m
}

// talk takes the mails of one connection (RFC 5321).
func (m *mailbox) talk(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReader(conn)
	say := func(text string) { fmt.Fprint(conn, text+"\r\n") }
	m.calls.Add(1)
	m.mu.Lock()
	greeting, acceptance := m.greeting, m.acceptance
	m.mu.Unlock()
	if greeting != nil {
		<-greeting
	}
	say("220 ready")
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "DATA":
			say("354 go on")
			var text strings.Builder
			for part := ""; part != ".\r\n" && err == nil; text.WriteString(part) {
				part, err = lines.ReadString('\n')
			}
			m.mu.Lock()
			m.mails = append(m.mails, text.String())
			m.mu.Unlock()
			if acceptance != nil {
				<-acceptance
			}
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

// about returns the mails that contain the text.
func (m *mailbox) about(text string) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mail := range m.mails {
		_, body, _ := strings.Cut(mail, "\r\n\r\n")
		plain, _ := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
		decoded, _ := base64.StdEncoding.DecodeString(strings.ReplaceAll(body, "\r\n", ""))
		if strings.Contains(mail+string(plain)+string(decoded), text) {
			list = append(list, mail)
		}
	}
	return list
}

// alerts returns the webhooks to the operator about the kind, after checking that each is signed and says what to do.
func (r *receiver) alerts(t *testing.T, signing, kind string) (phases []string) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(signing)
	testkit.Must(t, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.arrivals {
		if err := verifier.Verify(a.raw, a.header); err != nil {
			t.Errorf("signature of %s: %v", a.raw, err)
		}
		if text, _ := a.body["text"].(string); !strings.Contains(text, "What to do: ") {
			t.Errorf("it does not say what to do: %s", a.raw)
		}
		if a.body["kind"] == kind {
			phases = append(phases, a.body["type"].(string))
		}
	}
	return phases
}

// mustKey returns the API key of a new user.
func (i installation) mustKey(t *testing.T) string {
	t.Helper()
	i.must(t, "correct horse battery\n", "user", "create", "--email", "shop@example.com", "--json")
	var made struct{ Key string }
	created := i.must(t, "", "key", "create", "--email", "shop@example.com", "--json")
	testkit.Must(t, json.Unmarshal([]byte(created), &made))
	return made.Key
}

// TestNotifications: what is wrong is mailed and posted to the operator once, however often the server is started; what
// comes later is another notice.
func TestNotifications(t *testing.T) {
	t.Parallel()
	url, mails, hook := postgres.URL(t), startMailbox(t), newReceiver(t)
	signing := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	i := newInstallation(t, "FLORIN_DATABASE_URL="+url, "FLORIN_OPERATOR_WEBHOOK="+hook.URL,
		"FLORIN_OPERATOR_WEBHOOK_SECRET="+signing, "FLORIN_OPERATOR_EMAIL=ops@example.com",
		"FLORIN_SMTP_URL=smtp://"+mails.address, "FLORIN_MAIL_FROM=florin@example.com")
	i.must(t, "", "migrate")
	execute(t, url, "UPDATE instance SET backed_up_at = now() - interval '60 hours'")
	s := i.serve(t)
	// What was received is stored a moment later. A server that stops before that sends it again.
	sent := func(kind string) func() bool {
		const of = "SELECT count(*) = 2 FROM mails WHERE state = 'DELIVERED' AND thread LIKE 'alert/%s/%%'"
		return func() bool { return readOne[bool](t, url, fmt.Sprintf(of, kind)) }
	}
	eventually(t, "the notice of an old backup", sent("backup_old"))
	merchant := &shop{installation: i, server: s, key: i.mustKey(t)}
	merchant.graphql(t, "createCustodianAccount",
		`mutation ($in: CustodianCreateInput!) { createCustodianAccount(input: $in) { code message } }`,
		map[string]any{"in": map[string]any{"apiKey": merchant.key, "callbackUrl": "https://shop.example/hook"}})
	if status, log := s.stop(t, syscall.SIGTERM); status != 0 || !strings.Contains(log, "The newest backup is old") {
		t.Errorf("status %d: %s", status, log)
	}

	execute(t, url, "INSERT INTO callback_certificates VALUES ('shop.example', now() + interval '3 days', now())")
	s = i.serve(t) // its first look finds both
	eventually(t, "the notice of a certificate", sent("certificate_expiring"))
	s.stop(t, syscall.SIGTERM)
	for kind, title := range map[string]string{
		"backup_old": "The newest backup is old", "certificate_expiring": "The certificate of shop.example",
	} {
		if got := hook.alerts(t, signing, kind); !slices.Equal(got, []string{"alert.begins"}) {
			t.Errorf("%s: the webhook received %q", kind, got)
		}
		if n := len(mails.about("Subject: [Florin] " + title)); n != 1 {
			t.Errorf("%s: there are %d mails", kind, n)
		}
	}
}
