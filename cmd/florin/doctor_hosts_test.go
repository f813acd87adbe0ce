package main_test

import (
	"fmt"
	"strings"
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
