package smtp

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

// scripted is a mail server on loopback. It answers a command by the first line of the script that is its beginning,
// and others with 250. An empty answer hangs up.
func scripted(t *testing.T, greeting string, script map[string]string) (string, <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	commands := make(chan string, 50)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		lines := bufio.NewReader(conn)
		fmt.Fprint(conn, greeting)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSpace(line)
			commands <- line
			answer := "250 fine\r\n"
			for beginning, text := range script {
				if strings.HasPrefix(line, beginning) {
					answer = text
				}
			}
			if answer == "" {
				return
			}
			fmt.Fprint(conn, answer)
		}
	}()
	return l.Addr().String(), commands
}

const greeted = "220 ready\r\n"

func offer(ways string) string { return "250-server\r\n250 AUTH " + ways + "\r\n" }

func base(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// TestServer_SignsIn: by every way that servers offer alone, and over a network that the operator says needs no TLS.
func TestServer_SignsIn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, offers string
		script       map[string]string
		want         []string
	}{
		{"Plain", "PLAIN", nil, []string{"AUTH PLAIN " + base("\x00ada\x00p@ss")}},
		{"Login", "LOGIN XOAUTH2", map[string]string{
			"AUTH": "334 " + base("Username:") + "\r\n", base("ada"): "334 " + base("Password:") + "\r\n",
		}, []string{"AUTH LOGIN", base("ada"), base("p@ss")}},
		{
			"Challenge", "CRAM-MD5 PLAIN",
			map[string]string{"AUTH": "334 " + base("<1@server>") + "\r\n"},
			[]string{"AUTH CRAM-MD5", base("ada a8391d3e895548edf613db164fdd8ef9")},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			script := map[string]string{"EHLO": offer(row.offers)}
			maps.Copy(script, row.script)
			last := row.want[len(row.want)-1]
			script[last] = "235 welcome\r\n"
			address, commands := scripted(t, greeted, script)
			s := mustNew(t, "smtp://ada:p%40ss@relay.example:25?tls=off")
			s.connect = dialTo(address)
			err := s.Check(t.Context())
			if first := <-commands; first != "EHLO pay.example" {
				t.Errorf("it greets with %q", first)
			}
			for _, want := range row.want {
				if got := <-commands; got != want {
					t.Errorf("it says %q, want %q (%v)", got, want, err)
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServer_Explains: each refusal says what to change.
func TestServer_Explains(t *testing.T) {
	t.Parallel()
	const user = "smtp://ada:hunter2@"
	for _, row := range []struct {
		name, url, greeting string
		script              map[string]string
		wants               []string
	}{
		{
			"Password", user + "localhost", greeted,
			map[string]string{"EHLO": offer("PLAIN"), "AUTH": "535 5.7.8 no\r\n"},
			[]string{"535", "user or the password", "FLORIN_SMTP_URL"},
		},
		{"NoSignIn", user + "localhost", greeted, nil, []string{"offers no sign-in", "587"}},
		{"OtherSignIn", user + "localhost", greeted, map[string]string{"EHLO": offer("GSSAPI")}, []string{"GSSAPI"}},
		{
			"HangsUp", "smtp://localhost", greeted,
			map[string]string{"EHLO": "", "HELO": ""},
			[]string{"EHLO pay.example"},
		},
		{
			"Sender", "smtp://localhost", greeted,
			map[string]string{"MAIL": "550 who\r\n"},
			[]string{"FLORIN_MAIL_FROM", "550"},
		},
		{
			"Recipient", "smtp://localhost", greeted,
			map[string]string{"RCPT": "550 5.7.1 relaying denied\r\n"},
			[]string{"recipient", "relaying denied", "florin@"},
		},
		{"Blocked", "smtp://localhost", "554 5.7.1 blocked\r\n", nil, []string{"this machine", "blocked"}},
		{"NoMailServer", "smtp://localhost", "HTTP/1.1 400 No\r\n\r\n", nil, []string{"no mail server", "port"}},
		{"Silent", "smtp://localhost", "", nil, []string{"smtps://"}},
		{"PlainFirst", "smtps://localhost", greeted, nil, []string{"smtp://"}},
		{"NoTLS", user + "mail.example", greeted, map[string]string{"EHLO": offer("PLAIN")}, []string{"tls=off"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			address, _ := scripted(t, row.greeting, row.script)
			s := mustNew(t, row.url)
			s.connect, s.within = dialTo(address), 2*time.Second
			err := s.Send(t.Context(), letter("ada@shop.example", "x", "y"))
			if err == nil {
				t.Fatal("it is sent")
			}
			for _, want := range append(row.wants, "mail server ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "ada@") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("it says too much: %v", err)
			}
		})
	}
}

// TestNew_ImplicitPort: a server on port 465 says nothing before TLS, so smtp:// would wait for its greeting.
func TestNew_ImplicitPort(t *testing.T) {
	t.Parallel()
	if err := CheckURL("smtp://mail.example:465"); err == nil || !strings.Contains(err.Error(), "smtps://") {
		t.Errorf("smtp:// on port 465: %v", err)
	}
	for _, wrong := range []string{"smtp://mail.example?tls=no", "smtps://mail.example?tls=off"} {
		if err := CheckURL(wrong); err == nil || !strings.Contains(err.Error(), "tls=off") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	for _, good := range []string{"smtps://mail.example", "smtps://mail.example:465", "smtp://a:b@mail.example:587"} {
		if err := CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

// TestServer_Sender: the sender may have a name, which is no part of the address that servers are given.
func TestServer_Sender(t *testing.T) {
	t.Parallel()
	in := newInbox(t, "")
	if _, err := New(secret.New("smtp://"+in.address), "Ada's Shop, Berlin <pay@shop.example>"); err == nil {
		t.Fatal("a comma without quotes was taken")
	}
	s, err := New(secret.New("smtp://"+in.address), `"Ada, Berlin" <pay@shop.example>`)
	testkit.Must(t, err)
	testkit.Must(t, s.Send(t.Context(), letter("ada@shop.example", "x", "y")))
	got := <-in.got
	for _, want := range []string{
		`From: "Ada, Berlin" <pay@shop.example>`, "Message-ID: <01M7Z95F5DE7BD6RTSPKBNS62H@shop.example>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the mail lacks %q:\n%s", want, got)
		}
	}
	for len(in.lines) > 0 {
		line := <-in.lines
		if strings.HasPrefix(line, "MAIL") && !strings.HasPrefix(line, "MAIL FROM:<pay@shop.example>") {
			t.Error(line)
		}
	}
}
