package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/rotation"
	"github.com/florinpay/florin/internal/wallet"
)

type secretRotate struct{}

// Help returns the text that --help adds to the flags.
func (secretRotate) Help() string {
	return `
Seals every stored secret with a new FLORIN_SECRET_KEY, while servers run. It
reads the new key from standard input; where FLORIN_OLD_SECRET_KEY is set, the new
key is FLORIN_SECRET_KEY. Running servers are given it and go on without a restart.
When the command is done, the old key opens nothing more: replace
FLORIN_SECRET_KEY before a server starts again. With FLORIN_OLD_SECRET_KEY as well
users stay signed in; without it they sign in again.

A command that was interrupted is repeated with the same new key: until it is done,
a server that starts needs both keys.

Examples:

    florin keygen > new-key && florin secret rotate < new-key
    FLORIN_SECRET_KEY=… FLORIN_OLD_SECRET_KEY=… florin secret rotate
`
}

// Run changes the key.
func (secretRotate) Run(ctx context.Context, p *process) error {
	newKey, err := p.newSecretKey()
	if err != nil {
		return err
	}
	cfg, err := p.config(newKey) // a run that broke off may have sealed the seed with it
	if err != nil {
		return err
	}
	sealer, err := cfg.Sealer()
	if err != nil {
		return err
	}
	if err := sealer.Add([]byte(newKey.Reveal())); err != nil {
		return err
	}
	return withSealer(ctx, cfg, sealer, func(s *store.Store) error {
		r, err := s.ChangeSecretKey([]byte(newKey.Reveal()), app.Now)
		if err != nil {
			return err
		}
		r.Progress = p.rotationProgress()
		report, err := r.Run(ctx)
		if err != nil {
			return fmt.Errorf("%w; repeat the command with the same new key", err)
		}
		if err := p.resealSeed(cfg, sealer); err != nil {
			return err
		}
		return p.rotated(report)
	})
}

// resealSeed seals the Solana deposit seed with the new key, in its file; if that cannot be written, or there is none,
// it prints the sealed seed.
func (p *process) resealSeed(cfg config.Config, sealer *secret.Sealer) error {
	before := cfg.SealedSeed()
	if before == "" {
		return nil
	}
	after, err := wallet.ResealSeed(sealer, before)
	if err != nil || after == before {
		return err
	}
	text := fmt.Sprintf("# sealed with the FLORIN_SECRET_KEY %s\nFLORIN_SOL_SEED=%s\n", sealer.KeyID(), after)
	file := cfg.SeedFile()
	if file != "" && replaceFile(file, text) == nil {
		return p.say("The sealed seed in %s was sealed with it.", file)
	}
	return p.say("The seed is sealed with the new key. Set it, or replace its file, before a server starts:\n%s", text)
}

// replaceFile replaces a file by one with another text: after a crash either is there, whole.
func replaceFile(path, text string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it has another name once it has replaced the file
	_, err = f.WriteString(text)
	err = errors.Join(err, keepOwner(f, info), f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

var errNoNewKey = fault.New(fault.Invalid, "there is no new key: give it on standard input (`florin keygen` makes one), "+
	"or set FLORIN_SECRET_KEY to it and FLORIN_OLD_SECRET_KEY to the key before it")

// newSecretKey returns the key that the key is changed to.
func (p *process) newSecretKey() (secret.Text, error) {
	cfg, err := p.keys()
	if err != nil || !cfg.OldSecretKey.Empty() {
		return cfg.SecretKey, err
	}
	text, err := p.readSecret("New secret key")
	if err != nil {
		return secret.Text{}, err
	}
	line := strings.TrimPrefix(strings.TrimSpace(text.Reveal()), "FLORIN_SECRET_KEY=") // as keygen prints it
	if line == "" {
		return secret.Text{}, errNoNewKey
	}
	key, err := config.ParseSecretKey(line)
	if err != nil {
		return key, fmt.Errorf("the new key: %w", err)
	}
	return key, nil
}

// rotationProgress prints what the command waits for.
func (p *process) rotationProgress() func(rotation.Progress) {
	waited := 0
	return func(g rotation.Progress) {
		if g.Waiting > 0 && g.Waiting != waited {
			_, _ = fmt.Fprintf(p.stdout, "Waiting for %s to take the new key.\n", counted(g.Waiting, "running program"))
		}
		waited = g.Waiting
	}
}

// rotated prints what was done. Values that no key opens are an error, although the key was changed.
func (p *process) rotated(report rotation.Report) error {
	said := fmt.Sprintf("The secret key is %s now; %s sealed with it. Set FLORIN_SECRET_KEY to it before a server starts.",
		report.KeyID, counted(report.Resealed, "value"))
	if !report.Changed {
		said = fmt.Sprintf("The secret key was %s already; %s sealed with it.", report.KeyID,
			counted(report.Resealed, "more value"))
	}
	if err := p.say("%s", said); err != nil || len(report.Unreadable) == 0 {
		return err
	}
	return errors.New("no key opens these values; they stay as they are: " + strings.Join(report.Unreadable, "; "))
}
