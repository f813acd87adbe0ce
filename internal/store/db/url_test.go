package db

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestParseURL: a socket is named as the manual of PostgreSQL names it, or by a parameter, and what libpq knows and
// Florin sees to by itself is taken.
func TestParseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"postgres://%2Frun%2Fpostgresql/florin":                       "user= host=/run/postgresql port=5432 db=florin",
		"postgresql://ada:p%40ss@%2Frun%2Fpostgresql:6432/florin":     "user=ada host=/run/postgresql port=6432 db=florin",
		"postgres://ada@%2frun%2fpg/florin?sslmode=disable":           "user=ada host=/run/pg port=5432 db=florin",
		"postgres://ada@/florin?host=/run/postgresql":                 "user=ada host=/run/postgresql port=5432 db=florin",
		"postgres:///florin?host=/run/postgresql&user=ada@realm":      "user=ada@realm host=/run/postgresql port=5432 db=florin",
		"postgres://ada@one:5433,two:5434/florin":                     "user=ada host=one port=5433 db=florin",
		"postgres://a:b@ss@db/florin?keepalives=1&keepalives_idle=30": "user=a host=db port=5432 db=florin",
		"postgres://a@db/florin?tcp_user_timeout=5&gssencmode=prefer&client_encoding=utf8&channel_binding=prefer": "user=a " +
			"host=db port=5432 db=florin",
	} {
		p, err := parseURL(given)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		config, err := parsePostgres(p.postgres)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		c := config.ConnConfig
		for part := range strings.FieldsSeq(want) {
			name, value, _ := strings.Cut(part, "=")
			got := map[string]string{
				"user": c.User, "host": c.Host, "db": c.Database, "port": strconv.Itoa(int(c.Port)),
			}[name]
			if value != "" && got != value {
				t.Errorf("%s: %s is %q, want %q", given, name, got, value)
			}
		}
		for name := range c.RuntimeParams {
			t.Errorf("%s: the server is sent %s", given, name)
		}
	}
}

// TestParseURL_Space: a space of a parameter arrives as one, and a + as it is.
func TestParseURL_Space(t *testing.T) {
	t.Parallel()
	p, err := parseURL("postgres://a@db/florin?options=-c%20statement_timeout%3D5s&application_name=a+b")
	testkit.Must(t, err)
	config, err := parsePostgres(p.postgres)
	testkit.Must(t, err)
	got := config.ConnConfig.RuntimeParams
	if got["options"] != "-c statement_timeout=5s" || got["application_name"] != "a+b" {
		t.Errorf("the server is sent %q", got)
	}
}

// TestCheckURL_Refused: each refusal says what to change, and repeats nothing of the password.
func TestCheckURL_Refused(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]error{
		"postgres://ada:12#hunter2@db/florin": errCharacters, "postgres://ada:12/hunter2@db/florin": errCharacters,
		"postgres://ada:hunter2#@db/florin": errCharacters, "postgres://ada:hunter2/x@db/florin": errCharacters,
		"postgres://ada:12?hunter2@db/florin": errCharacters, "postgres://ada:hunter2%@db/florin": errCharacters,
		"postgres://ada:hunter2%zz@db/florin": errCharacters, "postgres://ada:hunter2 [@db/florin": errCharacters,
		"postgres://ada:hunter2^@db/florin": errCharacters, "sqlite://florin.db?mode=ro": errPathParam,
		"sqlite:///data/florin.db?_pragma=x": errPathParam,
		"mysql://ada:hunter2@db/florin":      errURL, "florin.db": errURL,
		"sqlite://": errURL, "postgres://": errURL, "postgres://ada@db:99999/florin": errParameter,
	} {
		err := CheckURL(given)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", given, err, want)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the reason repeats the password: %v", given, err)
		}
	}
	for given, name := range map[string]string{
		"postgres://a@db/florin?pgbouncer=true": "pgbouncer", "postgres://a@db/florin?sslcrl=/x": "sslcrl",
		"postgres://a@db/florin?gssencmode=require": "gssencmode", "postgres://a@db/florin?client_encoding=latin1": "client_encoding",
		"postgres://a@db/florin?sslmode=maybe&connect_timeout=4":  "the parameter sslmode with",
		"postgres://a@db/florin?pool_max_conns=many":              "the parameter pool_max_conns with",
		"postgres://a@one,two/florin?target_session_attrs=master": "the parameter target_session_attrs with",
		"postgres://a@db/florin?schema=public":                    "schema", "postgres://a@db/florin?sslrootcert=/no/such.pem&sslmode=verify-full": "/no/such.pem",
	} {
		if err := CheckURL(given); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", given, err)
		}
	}
}
