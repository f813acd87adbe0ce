package main_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
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

// kills is how often the program is killed between the commit of a payment and the end of its mail. Each start takes a
// second where all tests run, so there are few of them by default.
var kills = flag.Int("kills", 10, "how often TestReceipts_Killed kills the program")

// TestReceipts_Killed kills the program over and over, a moment after it has answered that a payment is completed. In
// the end a mail server that knows the Message-ID has one receipt of each.
func TestReceipts_Killed(t *testing.T) {
	t.Parallel()
	box, url := startMailbox(t), postgres.URL(t)
	i := newInstallation(t, "FLORIN_DATABASE_URL="+url, "FLORIN_SMTP_URL=smtp://"+box.address,
		"FLORIN_MAIL_FROM=florin@example.com")
	i.must(t, password, "user", "create", "--email", email)
	var made struct{ Key string }
	out := i.must(t, "", "key", "create", "--email", email, "--queries", strconv.Itoa(*kills), "--credits", "5",
		"--json")
	testkit.Must(t, json.Unmarshal([]byte(out), &made))
	var ids []string
	for n := range *kills {
		s := i.serve(t)
		if n == 0 {
			s.graphQL(t, `mutation { createCustodianAccount(input: {apiKey: "`+made.Key+`", name: "Nordlicht"}) { code } }`, nil)
		}
		_, answer := s.post(t, "/create-payment", fmt.Sprintf(
			`{"apiKey":%q,"amount":7,"customerEmail":"ada@example.com"}`, made.Key))
		id := answer["transaction"].(map[string]any)["txnid"].(string)
		s.graphQL(t, `mutation { manualMarkAsCompleted(apiKey: "`+made.Key+`", txnid: "`+id+`") { code } }`, nil)
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		s.stop(t, syscall.SIGKILL)
		ids = append(ids, id)
	}
	execute(t, url, "UPDATE mails SET due_at = now() WHERE holder IS NOT NULL") // the leases of the dead
	i.serve(t)
	eventually(t, "every receipt is sent", func() bool {
		return readOne[bool](t, url, "SELECT count(*) FILTER (WHERE state <> 'DELIVERED') = 0 FROM mails WHERE kind = 'CUSTOMER'")
	})
	taken := make(map[string]map[string]bool) // the Message-IDs of each payment's receipts
	for _, mail := range box.about("Subject: Your receipt from Nordlicht") {
		id, of := messageID.FindStringSubmatch(mail), txnid.FindString(mail)
		if id == nil || of == "" {
			t.Fatalf("a mail has no Message-ID, or no payment:\n%s", mail)
		}
		if taken[of] == nil {
			taken[of] = make(map[string]bool)
		}
		taken[of][id[1]] = true
	}
	for _, id := range ids {
		if len(taken[id]) != 1 {
			t.Errorf("payment %s has %d receipts", id, len(taken[id]))
		}
	}
	sent := len(box.about("Subject: Your receipt"))
	t.Logf("%d receipts of %d payments in %d kills, each under one Message-ID", sent, len(taken), *kills)
}

var txnid = regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{24}\b`)
