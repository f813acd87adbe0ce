package db

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// place is where the database is: one of the two.
type place struct {
	path     string // SQLite
	postgres string // PostgreSQL, as pgx reads it
}

// The reasons to refuse a URL. None repeats it: it may hold a password.
var (
	errURL = errors.New("must be sqlite://PATH or postgres://USER:PASSWORD@HOST/DATABASE, and " +
		"postgres://USER@/DATABASE?host=/run/postgresql for a socket")
	errCharacters = errors.New("has a character in the user or the password that stands for something else in an " +
		"address: write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25 there")
	errParameter = errors.New("has a port, or several parameters, that cannot be read")
	errPathParam = errors.New("has parameters behind the path of an SQLite file, where Florin sets all by itself: " +
		"leave them out, and write ? as %3F where it belongs to the name of the file")
)

// CheckURL refuses the URL of a database that Open could not use, with the reason, which does not repeat it.
func CheckURL(text string) error {
	p, err := parseURL(text)
	if err != nil || p.path != "" {
		return err
	}
	_, err = parsePostgres(p.postgres)
	return err
}

func parseURL(text string) (place, error) {
	if path, ok := strings.CutPrefix(text, "sqlite://"); ok {
		if strings.Contains(path, "?") {
			return place{}, errPathParam
		}
		path, err := url.PathUnescape(path)
		if err != nil || path == "" || strings.ContainsRune(path, 0) {
			return place{}, errURL
		}
		return place{path: path}, nil
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || rest == "" || scheme != "postgres" && scheme != "postgresql" {
		return place{}, errURL
	}
	u, err := url.Parse("postgres://" + socket(rest))
	switch {
	case misplaced(rest, u, err):
		return place{}, errCharacters
	case err != nil:
		return place{}, errURL
	}
	if err := libpq(u); err != nil {
		return place{}, err
	}
	return place{postgres: u.String()}, nil
}

// socketHost is a host of libpq that is the directory of a socket.
var socketHost = regexp.MustCompile(`^([^/?#@]*@)?(%2[fF][^/?#:@]*)(:[0-9]*)?(/[^?#]*)?(\?[^#]*)?$`)

// socket writes the directory of a socket, which libpq takes as the host, as a parameter: a host of a URL has no slash.
func socket(rest string) string {
	m := socketHost.FindStringSubmatch(rest)
	if m == nil {
		return rest
	}
	more := "?host=" + m[2]
	if m[3] != "" {
		more += "&port=" + m[3][1:]
	}
	return m[1] + m[4] + more + strings.Replace(m[5], "?", "&", 1)
}

// misplaced reports whether a user or a password has a character that ends it: what follows was taken for a path, a
// parameter or a port.
func misplaced(rest string, u *url.URL, err error) bool {
	if err != nil {
		return strings.Contains(rest, "@")
	}
	_, afterwards, _ := strings.Cut(u.RawQuery, "@")
	return u.Fragment != "" || strings.Contains(u.Path, "@") || u.User == nil && strings.Contains(afterwards, "/")
}

// needless are parameters of libpq that Florin has no use for, because it sees to it by itself, with the values that
// change nothing.
var needless = map[string]string{
	"keepalives": "", "keepalives_idle": "", "keepalives_interval": "", "keepalives_count": "", "tcp_user_timeout": "",
	"fallback_application_name": "", "client_encoding": "^(?i)(utf-?8|unicode|auto)$",
	"gssencmode":    "^(disable|prefer)$",
	"gssdelegation": "^0$", "sslcompression": "^0$", "load_balance_hosts": "^disable$",
	"ssl_min_protocol_version": `^TLSv1(\.[12])?$`, "replication": "^(false|off|no|0)$",
}

// unknown are parameters of libpq, and of other programs' drivers, that a server would take for settings of its own.
var unknown = map[string]bool{
	"hostaddr": true, "sslcrl": true, "sslcrldir": true, "ssl_max_protocol_version": true, "requirepeer": true,
	"requiressl": true, "gsslib": true, "sslkeylogfile": true, "scram_client_key": true, "scram_server_key": true,
	"schema": true, "pgbouncer": true, "connection_limit": true, "pool_timeout": true, "sslaccept": true,
	"currentSchema": true, "prepareThreshold": true, "ssl": true,
}

// libpq takes out the parameters that change nothing, and refuses those that would be ignored, by name.
func libpq(u *url.URL) error {
	// A + is no space here, as in libpq.
	all, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "+", "%2B"))
	if err != nil {
		return errParameter
	}
	for name, values := range all {
		fine, takes := needless[name]
		if takes && regexp.MustCompile(fine).MatchString(strings.Join(values, ",")) {
			all.Del(name)
		} else if takes || unknown[name] {
			return fmt.Errorf("has the parameter %s, which Florin does not follow as it is given: take it out", name)
		}
	}
	u.RawQuery = strings.ReplaceAll(all.Encode(), "+", "%20")
	return nil
}

func parsePostgres(text string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(text)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("names the file %s, which cannot be read: %w", missing.Path, missing.Err)
	}
	if err != nil { // the cause repeats parts of the URL
		return nil, unread(text)
	}
	return config, nil
}

// unread names the parameter without which the URL can be read.
func unread(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return errParameter
	}
	for name := range u.Query() {
		others, without := u.Query(), *u
		others.Del(name)
		without.RawQuery = others.Encode()
		if _, err := pgxpool.ParseConfig(without.String()); err == nil {
			return fmt.Errorf("has the parameter %s with a value that it cannot have: correct it, or take it out", name)
		}
	}
	return errParameter
}
