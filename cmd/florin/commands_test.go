package main_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	email    = "ada@example.com"
	password = "canary horse battery"
	wallet   = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	i := installation{dir: t.TempDir()} // nothing is configured
	if out := i.must(t, "", "--help"); !strings.Contains(out, "user create") {
		t.Errorf("florin --help lacks the commands: %s", out)
	}
	for _, command := range []string{
		"serve", "migrate", "keygen", "config", "deploy", "user create", "user list", "user password",
		"user reset-factor",
		"user end-sessions", "user operator", "key create", "key list", "key revoke", "credit grant",
		"sweep", "rescan",
		"reconcile", "verify-ledger", "erase", "version",
	} {
		out := i.must(t, "", append(strings.Fields(command), "--help")...)
		if !strings.HasPrefix(out, "Usage: florin "+command) || !strings.Contains(out, "Example") ||
			!strings.Contains(out, "    florin "+command) && command != "serve" {
			t.Errorf("florin %s --help has no usage or no example:\n%s", command, out)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	for args, text := range map[string]string{
		"":                                       "florin --help",
		"nonsense":                               "nonsense",
		"user":                                   "create",
		"user create":                            "--email",
		"user create --email":                    "--email",
		"user create --email a@b.c --nonsense":   "--nonsense",
		"key create --email a@b.c --credits ten": "--credits",
		"serve now":                              "now",
		"deploy":                                 "--network",
		"rescan --network base":                  "--from",
	} {
		i.refuses(t, 2, strings.Fields(args), text, "--help")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if out := (installation{dir: t.TempDir()}).must(t, "", "version"); out != "florin "+testVersion+"\n" {
		t.Errorf("florin version prints %q", out)
	}
}

// decode reads a line of JSON that has exactly the fields.
func decode(t *testing.T, line string, fields ...string) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil || strings.Count(line, "\n") != 1 {
		t.Fatalf("%q is no line of JSON: %v", line, err)
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, fields) {
		t.Fatalf("%s has the fields %v, want %v", line, names, fields)
	}
	return got
}

func TestUserAndKey(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	user := decode(
		t, i.must(t, password+"\n", "user", "create", "--email", "Ada@Example.com", "--operator", "--json"),
		"email", "id",
	)
	if user["email"] != email || len(user["id"].(string)) != 26 {
		t.Errorf("the user is %v", user)
	}
	fields := []string{"creditsLeft", "id", "key", "label", "queriesLeft", "wallet"}
	plain := decode(t, i.must(t, "", "key", "create", "--email", email, "--json"), fields...)
	if !regexp.MustCompile(`^flk_[0-9A-Za-z]{43}$`).MatchString(plain["key"].(string)) || len(plain["id"].(string)) != 26 ||
		plain["label"] != "" || plain["wallet"] != "" ||
		plain["creditsLeft"] != 20.0 ||
		plain["queriesLeft"] != 5.0 {
		t.Errorf("the key is %v", plain)
	}
	rich := decode(
		t,
		i.must(
			t, "", "key", "create", "--email", email, "--wallet", strings.ToLower(wallet), "--credits", "100",
			"--queries", "0", "--label", "shop", "--json",
		),
		fields...)
	if rich["wallet"] != wallet || rich["creditsLeft"] != 100.0 || rich["queriesLeft"] != 0.0 ||
		rich["label"] != "shop" ||
		rich["key"] == plain["key"] {
		t.Errorf("the key is %v", rich)
	}
	if out := i.must(t, "", "key", "create", "--email", email); !strings.Contains(out, "FLORIN_CREDITS=free") ||
		!strings.Contains(out, "flk_") || strings.Count(out, "\n") != 2 {
		t.Errorf("without --json it prints %q", out)
	}
}

func TestCreditGrant(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, password, "user", "create", "--email", email)
	i.refuses(
		t, 1, []string{"credit", "grant", "--email", "bob@example.com", "--credits", "1"}, "no user", "bob@example.com",
	)
	i.refuses(t, 1, []string{"credit", "grant", "--email", email, "--credits", "1"}, "no API key", "florin key create")
	first := decode(t, i.must(t, "", "key", "create", "--email", email, "--credits", "1", "--json"),
		"creditsLeft", "id", "key", "label", "queriesLeft", "wallet")
	got := decode(t, i.must(t, "", "credit", "grant", "--email", email, "--credits", "100", "--json"),
		"creditsLeft", "id", "queriesLeft")
	if got["id"] != first["id"] || got["creditsLeft"] != 101.0 || got["queriesLeft"] != 5.0 {
		t.Errorf("the grant gave %v, want 101 credits and 5 queries", got)
	}
	i.refuses(t, 1, []string{"credit", "grant", "--email", email}, "at least 1", "credits")
	i.refuses(t, 1, []string{"credit", "grant", "--email", email, "--credits=-5"}, "credits", "between 0")
	i.must(t, "", "key", "create", "--email", email)
	i.refuses(t, 1, []string{"credit", "grant", "--email", email, "--credits", "1"}, "2 API keys", "--key")
	i.refuses(t, 1, []string{"credit", "grant", "--email", email, "--key", "x", "--credits", "1"}, "no API key", "x")
	out := i.must(t, "", "credit", "grant", "--email", email, "--key", first["id"].(string), "--queries", "2")
	if !strings.Contains(out, "101 credits and 7 queries") {
		t.Errorf("without --json it prints %q", out)
	}
	if out := i.must(t, "", "verify-ledger"); !strings.Contains(out, "no differences") {
		t.Errorf("the ledger check after two grants prints %q", out)
	}
}

func TestUserCreate_Password(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "", "user", "create", "--email", "flag@example.com", "--password", password)
	i.must(t, password+"\r\n", "user", "create", "--email", "dash@example.com", "--password", "-")
	i.must(t, password, "user", "create", "--email", "pipe@example.com")
	for name, stdin := range map[string]string{
		"nothing": "", "an empty line": "\n" + password, "too short": "123456789\n",
		"too long": strings.Repeat("a", 1<<20),
	} {
		r := i.run(t, stdin, "user", "create", "--email", "bad@example.com")
		if r.status != 1 || strings.Count(r.stderr, "\n") != 1 || len(r.stderr) > 200 {
			t.Errorf("%s as a password: status %d, %.300q", name, r.status, r.stderr)
		}
	}
}

func TestUserAndKey_Refuses(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, password, "user", "create", "--email", email)
	for _, c := range []struct {
		args  []string
		texts []string
	}{
		{[]string{"user", "create", "--email", "ADA@example.com", "--password", password}, []string{"already a user"}},
		{[]string{"user", "create", "--email", "ada", "--password", password}, []string{"email must be"}},
		{
			[]string{"user", "create", "--email", "e@example.com", "--password", password, "--first-name", "a\u202eb"},
			[]string{"firstName"},
		},
		{[]string{"key", "create", "--email", "eve@example.com"}, []string{"no user", "florin user create"}},
		{[]string{"key", "create", "--email", email, "--wallet", "0x1"}, []string{"wallet"}},
		{[]string{"key", "create", "--email", email, "--credits=-1"}, []string{"credits"}},
		{[]string{"key", "create", "--email", email, "--queries=1000001"}, []string{"queries"}},
		{[]string{"key", "create", "--email", email, "--label", strings.Repeat("a", 101)}, []string{"label"}},
	} {
		i.refuses(t, 1, c.args, c.texts...)
		if r := i.run(t, "", c.args...); strings.Contains(r.stderr+r.stdout, password) {
			t.Errorf("florin %v shows the password", c.args)
		}
	}
}

func TestConfiguration_Refuses(t *testing.T) {
	t.Parallel()
	commands := [][]string{
		{"serve"},
		{"migrate"},
		{"config"},
		{"deploy", "--network", "base"},
		{"user", "create", "--email", email, "--password", password},
		{"key", "create", "--email", email},
		{"sweep", "--txnid", "x"},
		{"rescan", "--network", "base", "--from", "1"},
		{"reconcile"},
		{"verify-ledger"},
	}
	for _, args := range commands {
		newInstallation(
			t, "FLORIN_LISTN=:1", "FLORIN_SIGNUP=maybe",
		).refuses(t, 1, args, "FLORIN_LISTN", "FLORIN_LISTEN?", "FLORIN_SIGNUP", "open, invite, closed")
		installation{dir: t.TempDir()}.refuses(t, 1, args, "FLORIN_SECRET_KEY", "florin keygen")
	}
	i := newInstallation(t)
	i.refuses(t, 1, []string{"config", "--env-file", "none.env"}, "none.env")
	i.refuses(t, 1, []string{"migrate", "--env-file", write(t, i.dir, "bad.env", "nonsense\n")}, "bad.env", "line 1")
}

func TestDatabase_Refuses(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "", "migrate")
	other := installation{
		dir: i.dir,
		env: []string{
			"FLORIN_SECRET_KEY=" + strings.Replace(secretKey, "Y2Fu", "Y2Fv", 1),
			"FLORIN_DATABASE_URL=sqlite://test.db",
		},
	}
	other.refuses(t, 1, []string{"migrate"}, "FLORIN_SECRET_KEY")
	i.env[1] = "FLORIN_DATABASE_URL=sqlite://none/test.db"
	if r := i.run(t, "", "migrate"); r.status != 1 || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("a database in a missing directory: status %d, %q", r.status, r.stderr)
	}
	i.env[1] = "FLORIN_DATABASE_URL=postgres://florin:" + password[:6] + "@127.0.0.1:1/florin?connect_timeout=2"
	if r := i.run(t, "", "migrate"); r.status != 1 || strings.Count(r.stderr, "\n") != 1 ||
		strings.Contains(r.stderr, password[:6]) {
		t.Errorf("a database that is not there: status %d, %q", r.status, r.stderr)
	}
}

func TestMigrate_Twice(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	for range 2 { // it changes nothing
		i.prints(t, "The database is empty", "migrate", "--plan")
	}
	defer i.prints(t, "Nothing to do", "migrate", "--plan")
	for range 2 {
		if out := i.must(t, "", "migrate"); strings.Count(out, "\n") != 1 {
			t.Errorf("florin migrate prints %q", out)
		}
	}
}

func TestKeygen(t *testing.T) {
	t.Parallel()
	i := installation{dir: t.TempDir()}
	first, second := i.must(t, "", "keygen"), i.must(t, "", "keygen")
	if first == second || !strings.HasSuffix(first, "\nFLORIN_CREDITS=free\n") {
		t.Errorf("florin keygen prints %q and %q", first, second)
	}
	write(t, i.dir, ".env", first)
	sealed := i.must(t, "", "keygen", "--sol-seed", "--sealed")
	write(
		t,
		i.dir,
		".env",
		first+sealed+i.must(t, "", "keygen", "--evm", "--sol")+"FLORIN_SOL_RPC=http://127.0.0.1:1\n",
	)
	out := i.must(t, "", "config")
	for _, want := range []string{
		"FLORIN_CREDITS=free", "FLORIN_SECRET_KEY=***", "FLORIN_EVM_GAS_KEY=***", "FLORIN_SOL_GAS_KEY=***",
		"FLORIN_SOL_SEED=***",
	} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("what keygen prints is no configuration; it lacks %s:\n%s", want, out)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, "FLORIN_SIGNUP=closed", "FLORIN_BASE_RPC=https://base.example.com/canary")
	write(t, i.dir, ".env", "FLORIN_SIGNUP=invite\nFLORIN_LOG_FORMAT=json\n")
	named := write(t, i.dir, "other.env", "FLORIN_LOG_FORMAT=text\nFLORIN_LISTEN=127.0.0.1:81\n")
	out := i.must(t, "", "config")
	for _, want := range []string{
		"FLORIN_SIGNUP=closed\n", "FLORIN_LOG_FORMAT=json\n", "FLORIN_BASE_RPC=https://base.example.com/***\n",
		"FLORIN_BASE_FINALITY=safe\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("florin config lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, secretKey) || strings.Contains(out, "canary") {
		t.Errorf("florin config shows a secret:\n%s", out)
	}
	if out := i.must(t, "", "config", "--env-file", named); !strings.Contains(out, "FLORIN_LISTEN=127.0.0.1:81\n") ||
		!strings.Contains(out, "FLORIN_LOG_FORMAT=text\n") {
		t.Errorf("--env-file does not count:\n%s", out)
	}
}
