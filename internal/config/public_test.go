package config

import (
	"slices"
	"strings"
	"testing"
)

// A public address without TLS shows passwords, keys and deposit addresses to every network in between: it is refused
// unless the operator says so.
func TestLoad_PublicWithoutTLS(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"FLORIN_BASE_URL", "FLORIN_CHECKOUT_URL"} {
		for _, address := range []string{
			"http://pay.example.com", "HTTP://PAY.EXAMPLE.COM:8080", "http://203.0.113.7", "http://[2001:db8::7]:80",
			"http://localhost.example.com", "http://127.0.0.1.example.com", "http://0x7f.1.example", "http://pay.example.com.",
			"http://[::ffff:203.0.113.7]", "http://172.32.0.1", "http://10.example.com",
		} {
			_, err := Load(environ(name+"="+address), "")
			if err == nil {
				t.Errorf("%s=%s starts", name, address)
				continue
			}
			problems := asProblems(t, err)
			if got := names(problems); !slices.Contains(got, name) {
				t.Errorf("%s=%s: problems with %v", name, address, got)
			}
			if !strings.Contains(problems[0].Reason, "FLORIN_ALLOW_HTTP") {
				t.Errorf("%s=%s: the reason %q names no switch", name, address, problems[0].Reason)
			}
		}
		for _, address := range []string{
			"https://pay.example.com", "http://localhost:8080", "http://pay.localhost", "http://127.0.0.1:80", "http://[::1]",
			"http://192.168.1.5", "http://10.0.0.2:8080", "http://[fd00::1]", "http://florin:8080", "http://shop.local",
			"http://pay.home.arpa", "http://pay.internal", "http://169.254.1.1", "http://[::ffff:192.168.1.5]",
		} {
			load(t, name+"="+address)
		}
		load(t, name+"=http://pay.example.com", "FLORIN_ALLOW_HTTP=true")
	}
}

// Where no mail is sent, nobody's e-mail address can be verified: on a public address users then need an invitation.
func TestLoad_SignupWithoutMail(t *testing.T) {
	t.Parallel()
	const public, mail, from = "FLORIN_BASE_URL=https://pay.example.com", "FLORIN_SMTP_URL=smtps://mail.example.com",
		"FLORIN_MAIL_FROM=florin@example.com"
	for _, row := range []struct {
		name     string
		settings []string
		want     Signup
	}{
		{"on this machine", nil, SignupOpen},
		{"in a private network", []string{"FLORIN_BASE_URL=http://192.168.1.5"}, SignupOpen},
		{"public with mail", []string{public, mail, from}, SignupOpen},
		{"public without mail", []string{public}, SignupInvite},
		{"public without mail and TLS", []string{"FLORIN_BASE_URL=http://pay.example.com", "FLORIN_ALLOW_HTTP=1"}, SignupInvite},
		{"closed", []string{public, "FLORIN_SIGNUP=closed"}, SignupClosed},
		{"invite", []string{public, mail, from, "FLORIN_SIGNUP=invite"}, SignupInvite},
	} {
		c := load(t, row.settings...)
		if c.Signup != row.want {
			t.Errorf("%s: sign-up is %s, want %s", row.name, c.Signup, row.want)
		}
		var text strings.Builder
		if err := c.Print(&text); err != nil ||
			!strings.Contains(text.String(), "FLORIN_SIGNUP="+string(row.want)+"\n") {
			t.Errorf("%s: printed as %q, %v", row.name, text.String(), err)
		}
	}
	_, err := Load(environ(public, "FLORIN_SIGNUP=open"), "")
	if err == nil {
		t.Fatal("open sign-up without mail starts on a public address")
	}
	if got := names(asProblems(t, err)); !slices.Equal(got, []string{"FLORIN_SIGNUP"}) {
		t.Errorf("problems with %v", got)
	}
}

// The scheme of an address is compared in lower case: it decides whether cookies are kept from plain connections.
func TestLoad_SchemeInUpperCase(t *testing.T) {
	t.Parallel()
	if c := load(t, "FLORIN_BASE_URL=HTTPS://pay.example.com/"); c.BaseURL != "https://pay.example.com" {
		t.Errorf("the base address is %s", c.BaseURL)
	}
}
