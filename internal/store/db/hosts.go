package db

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Host is a PostgreSQL server of the URL. Err is why it cannot be used; ErrStandby: it takes no writes.
type Host struct {
	Name string
	Err  error
	// Waits: it answers no commit before a standby has it.
	Waits bool
}

// Hosts asks each server of the URL by itself whether it takes writes. SQLite has none.
func Hosts(ctx context.Context, url string) ([]Host, error) {
	p, err := parseURL(url)
	if err != nil || p.path != "" {
		return nil, err
	}
	config, err := parsePostgres(p.postgres)
	if err != nil {
		return nil, err
	}
	var list []Host
	for _, c := range eachHost(config.ConnConfig) {
		name := c.Host
		if c.Port != 0 {
			name = net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
		}
		h := Host{Name: name}
		h.Waits, h.Err = takesWrites(ctx, c)
		list = append(list, h)
	}
	return list, nil
}

// eachHost returns the settings for each server alone. With and without TLS is one server.
func eachHost(c *pgx.ConnConfig) (list []*pgx.ConnConfig) {
	all := append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
	for _, f := range all {
		if n := len(list); n > 0 && list[n-1].Host == f.Host && list[n-1].Port == f.Port {
			list[n-1].Fallbacks = append(list[n-1].Fallbacks, f)
			continue
		}
		one := c.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = f.Host, f.Port, f.TLSConfig, nil
		one.ValidateConnect = nil
		list = append(list, one)
	}
	return list
}

// takesWrites fails unless the server takes writes, and reports whether it waits for a standby then.
func takesWrites(ctx context.Context, c *pgx.ConnConfig) (waits bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	began := time.Now()
	conn, err := pgx.ConnectConfig(ctx, c)
	switch {
	case ctx.Err() != nil:
		return false, fmt.Errorf("it does not answer within %s", time.Since(began).Round(time.Second))
	case err != nil:
		return false, err
	}
	defer closeAtOnce(conn)
	var standby, protected bool
	err = conn.QueryRow(ctx, `SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',
		current_setting('synchronous_standby_names') <> ''`).Scan(&standby, &protected, &waits)
	if err == nil && standby {
		err = ErrStandby
	}
	if err == nil && protected {
		err = errProtected
	}
	return waits, err
}
