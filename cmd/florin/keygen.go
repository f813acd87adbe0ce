package main

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

type keygen struct {
	EVM     bool `help:"Make a gas wallet for the EVM networks instead."   name:"evm"`
	Sol     bool `help:"Make a gas wallet for Solana instead."             name:"sol"`
	SolSeed bool `help:"Make a seed for Solana deposit addresses instead." name:"sol-seed"`
}

// Help returns the text that --help adds to the flags.
func (keygen) Help() string {
	return `
Prints lines for a .env file: FLORIN_SECRET_KEY, or what the flags select.
Nothing is stored. Keep a copy of the secret key and of the seed apart from the
server: without the one the database's secrets cannot be read, without the other
money on Solana deposit addresses cannot be moved.

Examples:

    florin keygen >> .env
    florin keygen --evm --sol --sol-seed >> .env
`
}

// Run prints the keys.
func (k keygen) Run(p *process) error {
	if !k.EVM && !k.Sol && !k.SolSeed {
		return p.say("FLORIN_SECRET_KEY=%s", base64.StdEncoding.EncodeToString(random(secret.KeyLen)))
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
	_, words, err := wallet.GenerateSeed()
	if err != nil {
		return err
	}
	return p.say("FLORIN_SOL_SEED=\"%s\"", words.Reveal())
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never fails; it ends the program instead
	return b
}
