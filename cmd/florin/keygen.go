package main

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

type keygen struct {
	EVM     bool `help:"Make a gas wallet for the EVM networks instead."                name:"evm"`
	Sol     bool `help:"Make a gas wallet for Solana instead."                          name:"sol"`
	SolSeed bool `help:"Make a seed for Solana deposit addresses instead."              name:"sol-seed"`
	Sealed  bool `help:"With --sol-seed: print it sealed with FLORIN_SECRET_KEY."`
	Words   bool `help:"With --sealed: read the words of a seed instead of making one."`
}

// Help returns the text that --help adds to the flags.
func (keygen) Help() string {
	return `
Prints lines for a .env file: FLORIN_SECRET_KEY and FLORIN_CREDITS=free, or what
the flags select.
Nothing is stored. Keep a copy of the secret key and of the seed apart from the
server: without the one the database's secrets cannot be read, without the other
money on Solana deposit addresses cannot be moved.

The seed is used sealed only: as FLORIN_SOL_SEED, or in a file that
FLORIN_SOL_SEED_FILE names. It can be opened with FLORIN_SECRET_KEY alone. Its
words cannot be read from it: who wants them on paper makes the words first, and
then seals them with --words, which asks for them or reads what was printed.

Examples:

    florin keygen >> .env
    florin keygen --evm --sol >> .env
    florin keygen --sol-seed --sealed > sol-seed
    florin keygen --sol-seed                       (24 words, for paper)
    florin keygen --sol-seed --sealed --words > sol-seed
`
}

// Run prints the keys.
func (k keygen) Run(p *process) error {
	if k.Sealed && !k.SolSeed || k.Words && !k.Sealed {
		return fault.New(fault.Invalid, "--sealed needs --sol-seed, and --words needs --sealed")
	}
	if !k.EVM && !k.Sol && !k.SolSeed {
		return p.say("FLORIN_SECRET_KEY=%s\n%s\nFLORIN_CREDITS=free",
			base64.StdEncoding.EncodeToString(random(secret.KeyLen)),
			"# On a server of your own nothing is metered; to sell credits to other merchants, remove the next line.")
	}
	if k.EVM {
		key, text, err := wallet.GenerateEVM()
		if err != nil {
			return err
		}
		err = p.say(
			"# gas wallet %s: send it a little BNB, POL and ETH (on Base)\nFLORIN_EVM_GAS_KEY=%s", key.Wallet(),
			text.Reveal(),
		)
		if err != nil {
			return err
		}
	}
	if k.Sol {
		key, text := wallet.GenerateSolana()
		if err := p.say("# gas wallet %s: send it a little SOL\nFLORIN_SOL_GAS_KEY=%s", key.Wallet(), text.Reveal()); err != nil {
			return err
		}
	}
	if !k.SolSeed {
		return nil
	}
	return k.seed(p)
}

// seed prints a seed: sealed, or its words.
func (k keygen) seed(p *process) error {
	if !k.Sealed {
		_, words, err := wallet.GenerateSeed()
		if err != nil {
			return err
		}
		return p.say("# words of a seed, for paper: `florin keygen --sol-seed --sealed --words` seals them\n# %s", words.Reveal())
	}
	cfg, err := p.keys()
	if err != nil {
		return err
	}
	sealer, err := cfg.Sealer()
	if err != nil {
		return err
	}
	seed, _, err := wallet.GenerateSeed()
	if k.Words {
		var words secret.Text
		if words, err = p.readWords(); err == nil {
			seed, err = wallet.ParseSeed(words)
		}
	}
	if err != nil {
		return err
	}
	return p.say("# sealed with the FLORIN_SECRET_KEY %s\nFLORIN_SOL_SEED=%s", sealer.KeyID(), seed.Seal(sealer))
}

// readWords reads the words of a seed: at a terminal, or from standard input as they are printed.
func (p *process) readWords() (secret.Text, error) {
	if term.IsTerminal(int(p.stdin.Fd())) {
		return p.readSecret("Words of the seed")
	}
	text, err := io.ReadAll(io.LimitReader(p.stdin, maxLine))
	if err != nil {
		return secret.Text{}, fmt.Errorf("standard input cannot be read: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return secret.New(strings.TrimLeft(lines[len(lines)-1], "# ")), nil
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never fails; it ends the program instead
	return b
}
