package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

func TestLoad_Dotenv(t *testing.T) {
	t.Parallel()
	path := file(t, "# Florin\nFLORIN_LISTEN=127.0.0.1:1\nFLORIN_SIGNUP=closed\nPOSTGRES_PASSWORD=x\nFLORIN_SECRET_KEY='"+key()+"'\n")
	c, err := Load([]string{"FLORIN_LISTEN=127.0.0.1:2", "FLORIN_SIGNUP="}, path)
	testkit.Must(t, err)
	if c.Listen != "127.0.0.1:2" {
		t.Errorf("listens on %s: the environment goes first", c.Listen)
	}
	if c.Signup != SignupOpen {
		t.Errorf("signup is %s: an empty value of the environment overrides the file", c.Signup)
	}
	if _, err := Load(environ(), file(t, "FLORIN_LISTN=1")); names(asProblems(t, err))[0] != "FLORIN_LISTN" {
		t.Errorf("an unknown name of the file: %v", err)
	}
	for _, bad := range []string{
		filepath.Join(t.TempDir(), "none"), t.TempDir(), file(t, "FLORIN_LISTEN"),
		file(t, strings.Repeat("#", maxDotenv+1)),
	} {
		_, err := Load(environ(), bad)
		if got := names(asProblems(t, err)); !slices.Equal(got, []string{bad}) {
			t.Errorf("Load of %s: problems with %v", bad, got)
		}
	}
}

// TestLoad_EmptyOverrides: what the environment says of a secret, its value or its file, empty or not, replaces what
// the .env file says of it.
func TestLoad_EmptyOverrides(t *testing.T) {
	t.Parallel()
	valued := file(t, "FLORIN_SECRET_KEY="+key()+"\nFLORIN_BEP20_RPC=http://localhost:1\n")
	filed := file(t, "FLORIN_SECRET_KEY="+key()+"\nFLORIN_BEP20_RPC_FILE=/nonexistent\n")
	endpoint := file(t, "http://localhost:2")
	for name, row := range map[string]struct {
		path, set string
		networks  int
	}{
		"EmptyValueOverValue": {valued, "FLORIN_BEP20_RPC=", 0},
		"EmptyFileOverValue":  {valued, "FLORIN_BEP20_RPC_FILE=", 0},
		"EmptyValueOverFile":  {filed, "FLORIN_BEP20_RPC=", 0},
		"FileOverValue":       {valued, "FLORIN_BEP20_RPC_FILE=" + endpoint, 1},
		"ValueOverFile":       {filed, "FLORIN_BEP20_RPC=http://localhost:3", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := Load([]string{row.set}, row.path)
			if err != nil || len(c.Networks) != row.networks {
				t.Errorf("%d networks, %v; want %d", len(c.Networks), err, row.networks)
			}
		})
	}
	if _, err := Load([]string{"FLORIN_SECRET_KEY="}, valued); names(asProblems(t, err))[0] != "FLORIN_SECRET_KEY" {
		t.Errorf("an empty secret key over that of the file: %v", err)
	}
}

func TestLoad_SecretFiles(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{"FLORIN_SECRET_KEY_FILE=" + file(t, key()+"\n"), "FLORIN_SOL_SEED_FILE=" + file(t, sealedSeed()+"\r\n"), "FLORIN_BEP20_RPC_FILE=" + file(t, "http://localhost:1")}, "")
	testkit.Must(t, err)
	if c.SecretKey.Reveal() != canaryBytes || c.SolSeed == nil || len(c.Networks) != 1 {
		t.Errorf("not as the files have it: %+v", c)
	}
	for name, settings := range map[string][]string{
		"FLORIN_SECRET_KEY":  {"FLORIN_SECRET_KEY_FILE=" + file(t, key())}, // and the variable of environ
		"FLORIN_SOL_SEED":    {"FLORIN_SOL_SEED_FILE=/nonexistent/seed"},
		"FLORIN_EVM_GAS_KEY": {"FLORIN_EVM_GAS_KEY_FILE=" + file(t, "\n")},
		"FLORIN_SMTP_URL":    {"FLORIN_SMTP_URL_FILE=" + t.TempDir()},
		"FLORIN_LISTEN_FILE": {"FLORIN_LISTEN_FILE=" + file(t, ":1")},
	} {
		_, err := Load(environ(settings...), "")
		if got := names(asProblems(t, err)); !slices.Equal(got, []string{name}) {
			t.Errorf("%v: problems with %v, want %s", settings, got, name)
		}
	}
}
