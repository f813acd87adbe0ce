package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views"
)

// DayFormat is how days are written in forms and addresses (ISO 8601).
const DayFormat = time.DateOnly

// Day is the beginning of the day of t, in its zone.
func Day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// KeyLabel is the name of a key, or one made from its date.
func KeyLabel(k merchant.Key) string {
	return k.Name()
}

// UserName is the name of a user, or their e-mail address.
func UserName(u identity.User) string {
	if name := strings.TrimSpace(u.FirstName + " " + u.LastName); name != "" {
		return name
	}
	return u.Email
}

// Latency writes how long a response took.
func Latency(ctx context.Context, l time.Duration) string {
	switch {
	case l < time.Millisecond:
		return views.T(ctx, "less than {{.Time}}", "Time", "1 ms")
	case l < time.Second-time.Millisecond/2:
		return strconv.FormatInt(l.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	}
	return views.LocaleOf(ctx).Amount(strconv.FormatFloat(l.Seconds(), 'f', 1, 64)) + " s"
}

// coinDigits is how many of the eighteen digits of a sum of gas are shown.
const coinDigits = 4

// Coins writes an amount of a network's coin with its first significant digits. It
// rounds down, so that a wallet never looks fuller than it is.
func Coins(u money.Units, n chain.Network) string {
	text := u.Format(n.CoinDecimals())
	whole, part, _ := strings.Cut(text, ".")
	keep := coinDigits - len(whole)
	if whole == "0" {
		keep = len(part) - len(strings.TrimLeft(part, "0")) + coinDigits
	}
	part = strings.TrimRight(part[:min(max(keep, 0), len(part))], "0")
	if part == "" {
		return whole
	}
	return whole + "." + part
}
