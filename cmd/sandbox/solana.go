package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// Wallets of the sandbox on Solana: the first two accounts of the well-known
// test mnemonic "abandon … about".
const (
	solanaTreasury   = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	solanaDemoWallet = "Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb"
)

const (
	// solanaSlot is the duration of a slot of the development ledger, about that of the cluster.
	solanaSlot = 250 * time.Millisecond
	// solanaSkip: one slot in so many has no block.
	solanaSkip = 23
	// solanaGas is the balance that the gas wallet receives, in lamports.
	solanaGas = 100 * solana.LAMPORTS_PER_SOL
)

// solanaKeys are the operator's keys on Solana, kept between runs.
type solanaKeys struct{ gas, words secret.Text }

// startSolana starts the development ledger and gives the gas wallet SOL.
func (s *Sandbox) startSolana(c Config) (k solanaKeys, err error) {
	s.sol, err = devsol.Start(
		devsol.Config{
			Dir: filepath.Join(c.Dir, "chains", chain.Solana.Lower()), SlotTime: solanaSlot, SkipEvery: solanaSkip,
		},
	)
	if err != nil {
		return k, fmt.Errorf("start the development ledger of %s: %w", chain.Solana, err)
	}
	if k.gas, err = keptText(filepath.Join(c.Dir, "sol.gas.key"), newSolanaGas); err != nil {
		return k, err
	}
	if k.words, err = keptText(filepath.Join(c.Dir, "sol.seed"), newSolanaSeed); err != nil {
		return k, err
	}
	gas, err := wallet.ParseSolana(k.gas)
	if err != nil {
		return k, fmt.Errorf("the sandbox's gas key of %s: %w", chain.Solana, err)
	}
	if s.sol.Balance(gas.PublicKey()) >= solanaGas/10 {
		return k, nil
	}
	if _, err = s.sol.FundSOL(gas.PublicKey(), solanaGas); err != nil {
		return k, err
	}
	return k, s.sol.Seal(1)
}

func newSolanaGas() (secret.Text, error) {
	_, text := wallet.GenerateSolana()
	return text, nil
}

func newSolanaSeed() (secret.Text, error) {
	_, words, err := wallet.GenerateSeed()
	return words, err
}

// solanaEnviron is the configuration of Solana.
func (s *Sandbox) solanaEnviron(k solanaKeys) []string {
	prefix, tokens := "FLORIN_"+string(chain.Solana)+"_", s.sol.Tokens()
	return []string{
		prefix + "RPC=" + s.sol.URL(),
		prefix + "USDT=" + tokens.USDT.String(),
		prefix + "USDC=" + tokens.USDC.String(),
		prefix + "TREASURY=" + solanaTreasury,
		prefix + "EXPLORER=" + s.BaseURL + "/sandbox/explorer/" + chain.Solana.Lower(),
		prefix + "GAS_KEY=" + k.gas.Reveal(),
		prefix + "SEED=" + k.words.Reveal(),
	}
}

// keptText returns the secret stored in the file, or stores the one that produce makes. It is written in
// hexadecimal, so that it does not look like the key of a real wallet.
func keptText(path string, produce func() (secret.Text, error)) (secret.Text, error) {
	raw, err := os.ReadFile(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		text, err := produce()
		if err != nil {
			return secret.Text{}, err
		}
		return text, os.WriteFile(path, []byte(hex.EncodeToString([]byte(text.Reveal()))), 0o600)
	}
	if err != nil {
		return secret.Text{}, err
	}
	text, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(text) == 0 {
		return secret.Text{}, errDamaged(path)
	}
	return secret.New(string(text)), nil
}
