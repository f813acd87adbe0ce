package config

import (
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// Short names of field types, for the table of variables.
type (
	duration  = time.Duration
	prefixes  = []netip.Prefix
	endpoints = []secret.Text
)

// text returns a variable whose value parse reads into a field.
func text[T any](name, fallback string, field func(*draft) *T, parse func(string) (T, error)) variable {
	return variable{name: name, fallback: fallback, set: func(d *draft, text string) error {
		v, err := parse(text)
		if err == nil {
			*field(d) = v
		}
		return err
	}}
}

// hidden returns a variable as text does, whose value is a secret.
func hidden[T any](
	name, fallback string, masked func(string) string, field func(*draft) *T, parse func(string) (T, error),
) variable {
	v := text(name, fallback, field, parse)
	v.secret, v.masked = true, masked
	return v
}

// fromSecret makes a parser of secrets one of texts.
func fromSecret[T any](parse func(secret.Text) (T, error)) func(string) (T, error) {
	return func(text string) (T, error) { return parse(secret.New(text)) }
}

func oneOf[T ~string](allowed ...T) func(string) (T, error) {
	return func(text string) (T, error) { return parseOneOf(text, allowed...) }
}

func hostPort(text string) (string, error) { return text, checkHostPort(text) }

func parseAmount(text string) (money.Micros, error) {
	m, err := money.ParseMicros("the amount", text)
	if err == nil && m > HighestAmount {
		return 0, errors.New("must be at most " + HighestAmount.String())
	}
	return m, err
}

func parseLogLevel(text string) (slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(strings.ToUpper(text))); err != nil {
		return 0, errors.New("must be debug, info, warn or error")
	}
	return level, nil
}
