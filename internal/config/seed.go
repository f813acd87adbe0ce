package config

import (
	"errors"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// credentials names the directory of a service's credentials (systemd.exec(5)), which is in memory and readable by the
// service alone.
const credentials = "CREDENTIALS_DIRECTORY"

// seedName is the setting of the Solana deposit seed; seedCredential is the credential that sets it if nothing else
// does.
const (
	seedName       = prefix + "SOL_SEED"
	seedCredential = "sol-seed"
)

// seedSource is where the seed comes from.
type seedSource struct {
	text       secret.Text // sealed, or words
	file       string      // that has it; empty: the environment
	credential bool        // the file is a credential of systemd
}

// findSeed returns where the seed comes from, before the settings are taken. The credential of its name counts if the
// setting is not there.
func findSeed(environ []string, values map[string]string) (s seedSource) {
	dir := ""
	for _, e := range environ {
		if name, value, _ := strings.Cut(e, "="); name == credentials {
			dir = value
		}
	}
	if dir != "" && values[seedName] == "" && values[seedName+fileSuffix] == "" {
		path := filepath.Join(dir, seedCredential)
		if _, err := os.Stat(path); err == nil {
			values[seedName+fileSuffix] = path
		}
	}
	s.file = values[seedName+fileSuffix]
	s.credential = dir != "" && s.file != "" && filepath.Dir(filepath.Clean(s.file)) == filepath.Clean(dir)
	return s
}

// parseSeed checks that a text is a seed: sealed, or words. It is opened once the secret key is known.
func parseSeed(text secret.Text) (secret.Text, error) {
	if wallet.SealedSeed(text.Reveal()) != "" {
		return text, nil
	}
	_, err := wallet.ParseSeed(text)
	return text, err
}

// openSeed opens the seed once the secret key and the networks are known.
func (c *Config) openSeed() error {
	text := c.seed.text
	if text.Empty() {
		return nil
	}
	if wallet.SealedSeed(text.Reveal()) == "" {
		if !c.seed.credential && !c.worthless() {
			return errPlainSeed
		}
		seed, err := wallet.ParseSeed(text)
		c.SolSeed = seed
		return err
	}
	sealer, err := c.Sealer()
	if err != nil {
		return err
	}
	c.SolSeed, err = wallet.OpenSeed(sealer, text.Reveal())
	return err
}

var errPlainSeed = errors.New("is not sealed: `florin keygen --sol-seed --sealed --words` reads the words of a seed and " +
	"prints it sealed with FLORIN_SECRET_KEY; keep that in a file that FLORIN_SOL_SEED_FILE names, and the words on paper. " +
	"Words are taken only from a credential of systemd, and for test money on this machine")

// worthless reports whether no real money can be on the seed's addresses: the network's tokens are test tokens, and its
// endpoints run on this machine.
func (c *Config) worthless() bool {
	n, on := c.Network(chain.Solana)
	if !on || n.Profile.Cluster == "mainnet" {
		return false
	}
	for _, endpoint := range n.RPC {
		if !onThisMachine(endpoint.Reveal()) {
			return false
		}
	}
	for _, compiled := range chain.Profiles() {
		for _, a := range compiled.Assets {
			if slices.ContainsFunc(n.Profile.Assets, func(b chain.Asset) bool { return a.Contract == b.Contract }) {
				return false
			}
		}
	}
	return true
}

// onThisMachine reports whether the address is a loopback one.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// SeedFile is the file that holds the sealed seed; empty if it is in the environment, or there is none.
func (c Config) SeedFile() string { return c.seed.file }

// SealedSeed returns the sealed seed; empty if there is none.
func (c Config) SealedSeed() string { return wallet.SealedSeed(c.seed.text.Reveal()) }

// LoadKeys returns the settings with nothing but FLORIN_SECRET_KEY and FLORIN_OLD_SECRET_KEY, whatever the others are:
// the keys are needed to make them.
func LoadKeys(environ []string, dotenv string) (Config, error) {
	values, err := gather(environ, dotenv)
	if err != nil {
		return Config{}, Problems{{dotenv, err.Error()}}
	}
	c := newConfig()
	var problems Problems
	for _, s := range c.settings() {
		if s.name != prefix+"SECRET_KEY" && s.name != prefix+"OLD_SECRET_KEY" {
			continue
		}
		text, err := s.take(values)
		switch {
		case err != nil:
		case text != "":
			err = s.parse(strings.TrimSpace(text))
		case s.required != "":
			err = errors.New(s.required)
		}
		problems.add(s.name, err)
	}
	if len(problems) > 0 {
		return Config{}, problems
	}
	return *c, nil
}
