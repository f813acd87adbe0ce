package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/wallet"
)

// localMints are test tokens on this machine.
func localMints() []string {
	return []string{"FLORIN_SOL_RPC=http://127.0.0.1:1", "FLORIN_SOL_USDT=" + solWallet}
}

func TestLoad_SealedSeed(t *testing.T) {
	t.Parallel()
	want, err := wallet.ParseSeed(secret.New(canarySeed))
	testkit.Must(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sol-seed": canarySeed, "sealed": "# a comment\nFLORIN_SOL_SEED=" + sealedSeed() + "\n",
	} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const real = "FLORIN_SOL_RPC=https://rpc.example.com"
	for name, settings := range map[string][]string{
		"Environment":              {real, "FLORIN_SOL_SEED=" + sealedSeed()},
		"File":                     {real, "FLORIN_SOL_SEED_FILE=" + filepath.Join(dir, "sealed")},
		"WordsAsCredential":        {real, "FLORIN_SOL_SEED_FILE=" + dir + "/sol-seed", "CREDENTIALS_DIRECTORY=" + dir},
		"CredentialWithoutSetting": {real, "CREDENTIALS_DIRECTORY=" + dir + "/"},
		"WordsForTestMoney":        append(localMints(), "FLORIN_SOL_SEED="+canarySeed),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := load(t, settings...)
			if c.SolSeed == nil || c.SolSeed.SweepsAddress().Address != want.SweepsAddress().Address {
				t.Error("it is not the seed that was sealed")
			}
		})
	}
}

// TestLoad_PlainSeed: words are refused wherever real money could be on their addresses.
func TestLoad_PlainSeed(t *testing.T) {
	t.Parallel()
	words := "FLORIN_SOL_SEED=" + canarySeed
	mint := string(chain.Profiles()[3].Assets[0].Contract)
	dir := filepath.Dir(file(t, canarySeed))
	for name, settings := range map[string][]string{
		"Alone":            {words},
		"File":             {"FLORIN_SOL_RPC=https://rpc.example.com", "FLORIN_SOL_SEED_FILE=" + dir + "/file"},
		"RealTokens":       {"FLORIN_SOL_RPC=http://127.0.0.1:1", words},
		"RealTokenSet":     {"FLORIN_SOL_RPC=http://127.0.0.1:1", "FLORIN_SOL_USDT=" + mint, words},
		"RealTokenAsOther": {"FLORIN_SOL_RPC=http://127.0.0.1:1", "FLORIN_SOL_USDC=" + mint, words},
		"EndpointOutside":  {"FLORIN_SOL_RPC=http://127.0.0.1:1,https://rpc.example.com", "FLORIN_SOL_USDT=" + solWallet, words},
		"LikeLoopback":     {"FLORIN_SOL_RPC=http://127.0.0.1.example.com", "FLORIN_SOL_USDT=" + solWallet, words},
		"OtherDirectory":   {"CREDENTIALS_DIRECTORY=" + dir, "FLORIN_SOL_SEED_FILE=" + file(t, canarySeed)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(environ(settings...), "")
			problems := asProblems(t, err)
			if len(problems) != 1 || problems[0].Name != "FLORIN_SOL_SEED" ||
				!strings.Contains(problems[0].Reason, "florin keygen --sol-seed --sealed") {
				t.Errorf("problems: %v", problems)
			}
		})
	}
	t.Run("OtherKey", func(t *testing.T) {
		t.Parallel()
		_, err := Load([]string{"FLORIN_SECRET_KEY=" + strings.Repeat("A", 43), "FLORIN_SOL_SEED=" + sealedSeed()}, "")
		if got := asProblems(t, err); len(got) != 1 || !strings.Contains(got[0].Reason, "sealed with another key") {
			t.Errorf("problems: %v", got)
		}
		both := []string{
			"FLORIN_SECRET_KEY=" + strings.Repeat("A", 43),
			"FLORIN_OLD_SECRET_KEY=" + key(), "FLORIN_SOL_SEED=" + sealedSeed(),
		}
		if c, err := Load(both, ""); err != nil || c.SolSeed == nil {
			t.Errorf("with the old key: %v", err)
		}
	})
}
