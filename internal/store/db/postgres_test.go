package db

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// A panic while a row is read does not cost PostgreSQL's pool its connection.
func TestPostgres_PanicInARow(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), postgres.URL(t), 1)
	testkit.Must(t, err)
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	one := func(row func(Scan) error) *Stmt { return Query(row, "SELECT 1") }
	panics := one(func(Scan) error { panic("a fault") })
	if Guard(func() error { return e.ReadAll(ctx, panics, panics) }) == nil {
		t.Fatal("the panic was lost")
	}
	var n int
	reads := one(func(scan Scan) error { return scan(&n) })
	testkit.Must(t, e.ReadAll(ctx, reads, reads))
}

// Plans are neither compiled nor run by several processes, on the connections of either pool, whatever the database has
// set for its sessions.
func TestPostgres_PlainPlans(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), postgres.URL(t)
	admin, err := pgx.Connect(ctx, address)
	testkit.Must(t, err)
	defer admin.Close(context.WithoutCancel(ctx))
	name := pgx.Identifier{admin.Config().Database}.Sanitize()
	if _, err := admin.Exec(ctx, "ALTER DATABASE "+name+" SET jit = on; ALTER DATABASE "+name+
		" SET max_parallel_workers_per_gather = 4"); err != nil {
		t.Fatal(err)
	}
	e, err := Open(ctx, address, 2)
	testkit.Must(t, err)
	defer e.Close()
	for setting, want := range map[string]string{"jit": "off", "max_parallel_workers_per_gather": "0"} {
		for pool, read := range map[string]func(text string, got *string) error{
			"bun": func(text string, got *string) error { return e.Reader().NewRaw(text).Scan(ctx, got) },
			"pgx": func(text string, got *string) error {
				return e.Read(ctx, Query(func(scan Scan) error { return scan(got) }, text))
			},
		} {
			var got string
			if err := read("SELECT current_setting('"+setting+"')", &got); err != nil || got != want {
				t.Errorf("%s, %s: %q %v, want %q", pool, setting, got, err, want)
			}
		}
	}
}

// TestOpen_Advises: a database that cannot be opened is refused with its cause, once, and what to do about it.
func TestOpen_Advises(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(postgres.URL(t))
	testkit.Must(t, err)
	for name, row := range map[string]struct {
		change func(u *url.URL, with url.Values)
		says   string
	}{
		"NoDatabase":  {func(u *url.URL, _ url.Values) { u.Path = "/none" }, "createdb"},
		"NoUser":      {func(u *url.URL, _ url.Values) { u.User = url.User("nobody") }, "correct the user"},
		"NoServer":    {func(u *url.URL, _ url.Values) { u.Host = "127.0.0.1:1" }, "the host and the port"},
		"NoTLS":       {func(_ *url.URL, with url.Values) { with.Set("sslmode", "require") }, "sslmode=disable"},
		"Parameter":   {func(_ *url.URL, with url.Values) { with.Set("foo", "1") }, "take the parameter out"},
		"OnlyStandby": {func(_ *url.URL, with url.Values) { with.Set("target_session_attrs", "standby") }, "read-write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, with := *address, address.Query()
			with.Set("sslmode", "prefer")
			row.change(&u, with)
			u.RawQuery = with.Encode()
			e, err := Open(t.Context(), u.String(), 1)
			if err == nil {
				t.Fatal("it was opened", e.Close())
			}
			text := err.Error()
			if !strings.Contains(text, row.says) || !strings.Contains(text, "FLORIN_DATABASE_URL") {
				t.Errorf("it does not say %q: %v", row.says, err)
			}
			if name != "NoTLS" && strings.Contains(text, "TLS") || strings.Count(text, u.Host+" (") > 1 {
				t.Errorf("a cause is named twice: %v", err)
			}
		})
	}
}
