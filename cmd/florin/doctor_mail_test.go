package main_test

import (
	"slices"
	"testing"
)

// TestDoctor_Mail: a test mail is sent on demand, by a sender with a name; without a mail server, or by one that is not
// there, it says what to do.
func TestDoctor_Mail(t *testing.T) {
	t.Parallel()
	box, i := startMailbox(t), newInstallation(t)
	i.must(t, "", "migrate")
	for name, row := range map[string]struct{ set, verdict, advice string }{
		"Sent":     {"FLORIN_SMTP_URL=smtp://" + box.address, "fine", "took it for you@example.com"},
		"NoServer": {"FLORIN_SMTP_URL=", "wrong", "set FLORIN_SMTP_URL"},
		"Gone":     {"FLORIN_SMTP_URL=smtp://127.0.0.1:1", "wrong", "correct host and port in FLORIN_SMTP_URL"},
	} {
		j := i
		j.env = append(slices.Clone(i.env), "FLORIN_MAIL_FROM=Florin <pay@example.com>", row.set)
		j.examine(t, "--mail", "you@example.com").wants(t, "test mail", row.verdict, row.advice)
		if name == "Sent" && len(box.about("Subject: A test of Florin's mail")) != 1 {
			t.Error("the test mail did not arrive")
		}
	}
}
