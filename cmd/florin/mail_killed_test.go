package main_test

import (
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

var messageID = regexp.MustCompile(`(?i)Message-ID: (<[^>]+>)`)

// TestMail_Killed kills the program while the mail server does not greet it, after the change was committed and before
// its mail was sent, and again when the server has taken the mail and not said so. The mail goes out, and a receiver
// that knows its Message-ID takes it once.
func TestMail_Killed(t *testing.T) {
	t.Parallel()
	box, url := startMailbox(t), postgres.URL(t)
	i := newInstallation(t, "FLORIN_DATABASE_URL="+url, "FLORIN_SMTP_URL=smtp://"+box.address,
		"FLORIN_MAIL_FROM=florin@example.com")
	i.must(t, password, "user", "create", "--email", email)
	silent, unanswered := make(chan struct{}), make(chan struct{})
	for _, stage := range []struct {
		name                 string
		greeting, acceptance chan struct{}
		reached              func() bool
	}{
		{"silent", silent, nil, func() bool { return box.calls.Load() > 0 }},
		{"unanswered", nil, unanswered, func() bool { return len(box.about(email)) > 0 }},
	} {
		box.hold(stage.greeting, stage.acceptance)
		s := i.serve(t)
		if stage.name == "silent" {
			i.must(t, "another horse battery\n", "user", "password", "--email", email)
		}
		eventually(t, "the "+stage.name+" mail server is called", stage.reached)
		s.stop(t, syscall.SIGKILL)
		execute(t, url, "UPDATE mails SET due_at = now() WHERE holder IS NOT NULL") // the lease has run out
	}
	box.hold(nil, nil)
	i.serve(t)
	eventually(t, "the mail is sent", func() bool {
		return readOne[bool](t, url, "SELECT count(*) = 1 AND max(state) = 'DELIVERED' FROM mails")
	})
	mails := box.about("Subject: Your password was")
	ids := make(map[string]bool)
	for _, mail := range mails {
		if id := messageID.FindStringSubmatch(mail); id != nil {
			ids[id[1]] = true
		}
	}
	if len(mails) != 2 || len(ids) != 1 {
		t.Errorf("the server took %d mails with %d ids:\n%s", len(mails), len(ids), strings.Join(mails, "\n"))
	}
}
