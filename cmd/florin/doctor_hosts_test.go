package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// TestDoctor_Hosts: of several servers the doctor says which takes writes, which would take over, and which could not;
// of one that takes none, what to do.
func TestDoctor_Hosts(t *testing.T) {
	t.Parallel()
	servers := postgres.NewPair(t)
	first, standby := servers.Hosts()
	on := func(hosts string) examination {
		return newInstallation(t, "FLORIN_DATABASE_URL=postgres://florin@"+hosts+"/postgres?sslmode=disable").examine(t)
	}
	x := on(standby + "," + first)
	x.wants(t, "database host 1", "fine", standby+" is a standby", "target_session_attrs=read-write")
	x.wants(t, "database host 2", "fine", first+" takes writes")
	x = on(standby)
	x.wants(t, "database host", "wrong", standby, "is a standby", "connect to its primary")
	x.wants(t, "database", "wrong", "is a standby")
	x = on(first + ",127.0.0.1:" + testkit.MustPort(t))
	x.wants(t, "database host 2", "warning", "cannot take over", "connection refused")
	t.Run("ReadOnly", func(t *testing.T) {
		url := postgres.URL(t)
		execute(t, url, "ALTER DATABASE "+url[strings.LastIndex(url, "/")+1:strings.Index(url, "?")]+
			" SET default_transaction_read_only = on")
		newInstallation(t, "FLORIN_DATABASE_URL="+url).examine(t).wants(t, "database host", "wrong",
			"default_transaction_read_only=on")
	})
	url := "postgres://florin@" + first + "/postgres?sslmode=disable"
	execute(t, url, "ALTER SYSTEM RESET synchronous_standby_names")
	execute(t, url, "SELECT pg_reload_conf()")
	eventually(t, "it is said that the standby is not waited for", func() bool {
		return strings.Contains(fmt.Sprint(on(first+","+standby)), "set synchronous_standby_names")
	})
	servers.Promote()
	on(first+","+standby).wants(t, "database host 1", "wrong", "only one may")
}

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

// TestHealth: the exit status says whether the server on this machine is ready, whatever address it serves on.
func TestHealth(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	s.awaitProbe(t, "/readyz", http.StatusOK)
	port := s.url[strings.LastIndex(s.url, ":"):]
	var asks []installation
	for _, host := range []string{"127.0.0.1", "*", "0.0.0.0", ""} {
		env := append(slices.Clone(i.env), "FLORIN_LISTEN="+host+port)
		asks = append(asks, installation{dir: i.dir, env: env})
	}
	for _, ask := range asks {
		ask.prints(t, "ready", "health")
	}
	s.stop(t, syscall.SIGTERM)
	asks[1].refuses(t, 1, []string{"health"}, "does not answer")
}
