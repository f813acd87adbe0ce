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
	"github.com/florinpay/florin/internal/wallet"
)

type secretRotate struct{}

// Help returns the text that --help adds to the flags.
func (secretRotate) Help() string {
	return `
Seals every stored secret with a new FLORIN_SECRET_KEY, while servers run:

1. Set FLORIN_SECRET_KEY to the new key and FLORIN_OLD_SECRET_KEY to the key
   before it, and restart every server, one after the other.
2. florin secret rotate
3. Restart every server again: from now on they seal with the new key.
4. florin secret rotate, which seals what was stored meanwhile.

Then nothing is sealed with the old key. While FLORIN_OLD_SECRET_KEY stays, users
stay signed in; without it they sign in again. The command can be repeated.

Examples:

    florin keygen
    FLORIN_SECRET_KEY=… FLORIN_OLD_SECRET_KEY=… florin secret rotate
`
}

var errNoNewKey = fault.New(fault.Invalid, "there is no new key: set FLORIN_SECRET_KEY to it (`florin keygen` makes one) "+
	"and FLORIN_OLD_SECRET_KEY to the key before it, here and for every server")

// Run changes the key.
func (secretRotate) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if cfg.OldSecretKey.Empty() {
		return errNoNewKey
	}
	sealer, err := cfg.Sealer()
	if err != nil {
		return err
	}
	id := sealer.KeyID() // the database may make it seal with the other one
	return withSealer(ctx, cfg, sealer, func(s *store.Store) error {
		report, err := s.ChangeSecretKey(ctx, id, app.Now())
		if err != nil {
			return fmt.Errorf("%w; repeat the command", err)
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

// rotated prints what was done, and what is left. Values that no key opens are an error, although the key was changed.
func (p *process) rotated(report store.Rotation) error {
	said := fmt.Sprintf("The secret key is %s now; %s sealed with it. Restart every server, then run this again.",
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
