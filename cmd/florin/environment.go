package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

// defaultEnvFile is read if it exists and no other is named.
const defaultEnvFile = ".env"

// envPath is the path of the .env file; empty: there is none.
func (p *process) envPath() string {
	if p.envFile == "" {
		if _, err := os.Stat(defaultEnvFile); err == nil {
			return defaultEnvFile
		}
	}
	return p.envFile
}

// getenv returns the last value of the name in the environment.
func (p *process) getenv(name string) string {
	for _, e := range slices.Backward(p.environ) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// config loads the settings. The keys may have sealed the Solana seed, beside those of the settings.
func (p *process) config() (config.Config, error) {
	cfg, err := config.Load(p.environ, p.envPath())
	if err != nil {
		return config.Config{}, fmt.Errorf("configuration: %w", err)
	}
	return cfg, nil
}

// keys loads the secret keys of the settings, and no others.
func (p *process) keys() (config.Config, error) {
	cfg, err := config.LoadKeys(p.environ, p.envPath())
	if err != nil {
		return config.Config{}, fmt.Errorf("configuration: %w", err)
	}
	return cfg, nil
}

// withStore opens the database, migrates its schema, calls do, and closes the database.
func (p *process) withStore(ctx context.Context, cfg config.Config, do func(*store.Store) error) error {
	sealer, err := cfg.Sealer()
	if err != nil {
		return err
	}
	return withSealer(ctx, cfg, sealer, do)
}

// withSealer is withStore with the sealer of the settings.
func withSealer(ctx context.Context, cfg config.Config, sealer *secret.Sealer, do func(*store.Store) error) error {
	s, err := store.Open(ctx, cfg.DatabaseURL.Reveal(), sealer, store.Options{Log: app.NewLogger(cfg)})
	if err != nil {
		return err
	}
	if err := s.Migrate(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(do(s), s.Close())
}

// withUsers calls do with the services of users and merchants.
func (p *process) withUsers(
	ctx context.Context, cfg config.Config, do func(*identity.Service, *merchant.Service) error,
) error {
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		users := identity.New(s.Identity(), app.Now, identity.Options{
			Words: identity.HostWords(cfg.BaseURL), Mail: app.Writer(cfg),
		})
		return do(users, merchant.New(s.Merchant(), users, app.Now, merchant.Options{
			Profiles: cfg.Profiles(), Meter: cfg.Credits, Mail: app.Writer(cfg),
		}))
	})
}

// maxLine bounds a line that is read from standard input.
const maxLine = 4096

// readSecret reads a secret: from a terminal without echo, else from the first line of standard input.
func (p *process) readSecret(prompt string) (secret.Text, error) {
	if fd := int(p.stdin.Fd()); term.IsTerminal(fd) {
		_, _ = fmt.Fprint(p.stderr, prompt+": ")
		b, err := term.ReadPassword(fd)
		_, _ = fmt.Fprintln(p.stderr)
		return secret.New(string(b)), err
	}
	line, err := p.readLine()
	return secret.New(line), err
}

var errTypedTwice = fault.New(fault.Invalid, "what was typed the second time is not the same")

// chooseSecret is readSecret for a secret that is new. At a terminal it asks twice, because nobody sees a typing error.
func (p *process) chooseSecret(prompt string) (secret.Text, error) {
	chosen, err := p.readSecret(prompt)
	if err != nil || !term.IsTerminal(int(p.stdin.Fd())) {
		return chosen, err
	}
	again, err := p.readSecret(prompt + ", again")
	if err == nil && !again.Equal(chosen) {
		err = errTypedTwice
	}
	return chosen, err
}

// confirmed asks at a terminal, unless the answer was given.
func (p *process) confirmed(yes bool) (bool, error) {
	if yes || !term.IsTerminal(int(p.stdin.Fd())) {
		return true, nil
	}
	if err := p.say("Go on? [y/N]"); err != nil {
		return false, err
	}
	answer, err := p.readLine()
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}

// readLine reads the first line of standard input, without its line break.
func (p *process) readLine() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(p.stdin, maxLine+1)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("standard input cannot be read: %w", err)
	}
	if len(line) > maxLine {
		return "", fmt.Errorf("the first line of standard input has more than %d bytes", maxLine)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// say prints a line of text.
func (p *process) say(format string, args ...any) error {
	if _, err := fmt.Fprintf(p.stdout, format+"\n", args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// counted names a number of things: "1 address", "2 addresses", "0 entries".
func counted[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sayJSON prints a value as one line of JSON.
func (p *process) sayJSON(v any) error {
	if err := json.NewEncoder(p.stdout).Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
