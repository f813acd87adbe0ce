package campaign

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
)

// Limits of the texts of merchants and donors, in characters: they must fit one
// page.
const (
	MaxSlug        = 48
	MinSlug        = 3
	MaxTitle       = 120
	MaxDescription = 5_000
	MaxName        = 80
	MaxMessage     = 280
	// MaxSuggested amounts fit two rows of a phone.
	MaxSuggested = 6
	// MaxAmount bounds goals and suggestions; a sum of that many dollars is
	// far below what Micros hold.
	MaxAmount = 1_000_000_000 * money.USD
	// MaxAhead is how far off an end may be.
	MaxAhead = 10 * 366 * 24 * time.Hour
)

// Draft is the merchant's input for a campaign. Amounts are as typed; an empty
// text means none.
type Draft struct {
	// AsOf is Campaign.UpdatedAt of the campaign that the user saw; a write in between is merchant.ErrChangedMeanwhile.
	// The zero time writes over whatever is there.
	AsOf        time.Time
	Slug        string
	Title       string
	Description string
	Goal        string
	Suggested   []string
	Currency    string // of both, for a new campaign; empty: US dollars
	EndsAt      time.Time
	ShowAtOnce  bool
}

// New makes an active campaign of a key, or fails with fault.Invalid naming
// what breaks a rule.
func New(in Draft, keyID int64, now time.Time) (Campaign, error) {
	c := Campaign{KeyID: keyID, State: Active, CreatedAt: now, UpdatedAt: now}
	var bad error
	if in.Currency != "" && in.Currency != string(exchange.USD) {
		c.Prices.Currency, bad = exchange.ParseCurrency(in.Currency)
	}
	c, err := in.apply(c, now)
	return c, errors.Join(err, bad)
}

func (in Draft) apply(c Campaign, now time.Time) (Campaign, error) {
	var err error
	var wrong []error
	c.Title, err = shownText("title", in.Title, MaxTitle, input.Text)
	if err == nil && c.Title == "" {
		err = fault.About(fault.Invalid, "title", "is required")
	}
	wrong = append(wrong, err)
	if in.Slug != "" || c.Title != "" { // an address that was left empty is made from the title
		c.Slug, err = cleanSlug("campaignId", in.Slug)
		wrong = append(wrong, err)
	}
	c.Description, err = shownText("description", in.Description, MaxDescription, cleanText)
	wrong = append(wrong, err)
	var badGoal, badSuggested error
	if c.Prices.None() {
		c.Goal, badGoal = optionalAmount("goalAmount", in.Goal)
		c.Suggested, badSuggested = suggestions(in.Suggested)
	} else {
		c.Prices, badGoal, badSuggested = in.prices(c.Prices.Currency)
	}
	wrong = append(wrong, badGoal, badSuggested)
	if !in.EndsAt.IsZero() && !in.EndsAt.Equal(c.EndsAt) &&
		(!in.EndsAt.After(now) || in.EndsAt.After(now.Add(MaxAhead))) {
		wrong = append(wrong, fault.About(fault.Invalid, "endsAt", "must be in the future, at most ten years ahead"))
	}
	c.EndsAt, c.ShowAtOnce = in.EndsAt, in.ShowAtOnce
	return c, errors.Join(wrong...)
}

// shownText cleans a text that payers read, and refuses one with the address of a wallet.
func shownText(field, text string, most int, clean func(field, text string, most int) (string, error)) (string, error) {
	text, err := clean(field, text, most)
	if err == nil {
		err = merchant.CheckShown(field, text)
	}
	return text, err
}

// suggestions reads amounts, drops duplicates and sorts them.
func suggestions(texts []string) ([]money.Micros, error) {
	var all []money.Micros
	for _, text := range texts {
		m, err := optionalAmount("suggestedAmounts", text)
		if err != nil {
			return nil, err
		}
		if m > 0 && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	if len(all) > MaxSuggested {
		return nil, errTooManySuggested
	}
	slices.Sort(all)
	return all, nil
}

var errTooManySuggested = fault.About(fault.Invalid, "suggestedAmounts", "must be at most %d amounts", MaxSuggested)

// optionalAmount reads an amount; an empty text is 0.
func optionalAmount(name, text string) (money.Micros, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	m, err := money.ParseMicros(name, strings.TrimSpace(text))
	if err == nil && m > MaxAmount {
		err = fault.About(fault.Invalid, name, "must be at most %s", MaxAmount)
	}
	return m, err
}

// cleanSlug checks the part of a web address that names a page: lower-case
// letters, digits and single hyphens between them.
func cleanSlug(field, text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !ValidSlug(text) {
		return "", fault.About(fault.Invalid, field, "must be %d to %d letters a to z, digits and single hyphens between them, such as winter-shelter", MinSlug, MaxSlug)
	}
	return text, merchant.CheckShown(field, text)
}

// ValidSlug reports whether the text can be a slug at all.
func ValidSlug(text string) bool {
	if len(text) < MinSlug || len(text) > MaxSlug || text[0] == '-' || text[len(text)-1] == '-' ||
		strings.Contains(text, "--") {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// Slug proposes a slug for a title; empty if nothing of it can be used.
func Slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == MaxSlug {
			break
		}
	}
	slug := strings.Trim(b.String(), "-")
	if !ValidSlug(slug) {
		return ""
	}
	return slug
}

// cleanText returns a text of several lines as it is stored, without the space around it.
func cleanText(field, text string, most int) (string, error) {
	return input.Lines(field, strings.TrimSpace(input.Mended(text)), most)
}
