package fault_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	sentinel := fault.New(fault.Conflict, "the payment has already ended")
	for _, tt := range []struct {
		err  error
		kind fault.Kind
		code int
	}{
		{sentinel, fault.Conflict, 409},
		{fmt.Errorf("cancel: %w", sentinel), fault.Conflict, 409},
		{errors.New("disk full"), fault.Internal, 500},
		{fault.Retry(fault.Limited, time.Second, "slow down"), fault.Limited, 429},
		{&fault.Error{Kind: 99}, 99, 500},
	} {
		if got := fault.KindOf(tt.err); got != tt.kind || got.Code() != tt.code || got.String() == "" {
			t.Errorf("%v is %s (%d)", tt.err, got, got.Code())
		}
	}
	if fault.Is(nil, fault.Internal) || fault.Of(errors.New("x")) != nil {
		t.Error("what is no fault is taken for one")
	}
}

func TestAbout(t *testing.T) {
	t.Parallel()
	about := fault.About(fault.Invalid, "tagline", "must have at most %d characters", 160)
	for name, c := range map[string]struct {
		err                      error
		message, field, sentence string
	}{
		"OneArgument": {about, "tagline must have at most 160 characters", "tagline", "The line must have at most 160 characters"},
		"InAGroup":    {fault.Within("branding", about), "branding: tagline must have at most 160 characters", "branding.tagline", "The line must have at most 160 characters"},
		"AValueOfAField": {
			fault.Within("wallet", fault.New(fault.Invalid, "it is a contract")), "wallet: it is a contract", "wallet",
			"It is a contract.",
		},
		"OfNoSingleField": {
			fault.New(fault.Conflict, "another was quicker"), "another was quicker", "", "Another was quicker.",
		},
		"WithinTwoGroups": {fault.Within("a", fault.Within("b", about)), "a: b: tagline must have at most 160 characters", "a.b.tagline", "The line must have at most 160 characters"},
		"WithinAndNoField": {
			fault.Within("a", fault.Within("b", fault.New(fault.Invalid, "no"))), "a: b: no", "a.b", "No.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fault.Of(c.err)
			if f.Message != c.message || f.Field != c.field || sentence(f) != c.sentence {
				t.Errorf("message %q, field %q, sentence %q; want %q, %q, %q", f.Message, f.Field, sentence(f), c.message, c.field, c.sentence)
			}
		})
	}
	if plain := errors.New("no fault"); fault.Within("a", plain) != plain { //nolint:errorlint // the same value is meant
		t.Error("an error that is no fault was changed")
	}
}

// sentence is a refusal as a page shows it, in English.
func sentence(f *fault.Error) string {
	words, follow := f.Sentence()
	if follow {
		return "The line " + words.String()
	}
	return words.String()
}

// TestWords: a message is said in another language as a whole: its format, and the texts among its arguments.
func TestWords(t *testing.T) {
	t.Parallel()
	german := map[string]string{"must not hold %s; it has %d": "darf %[1]s nicht enthalten, hat aber %[2]d", "%s (%U)": "%s (%U)", "a mark": "ein Zeichen"}
	f := fault.About(fault.Invalid, "name", "must not hold %s; it has %d",
		fault.Text("%s (%U)", fault.Text("a mark"), 'x'), 3)
	if f.Message != "name must not hold a mark (U+0078); it has 3" {
		t.Errorf("in English it is %q", f.Message)
	}
	words, _ := fault.Of(fault.Within("a", f.At("label"))).Sentence()
	said := words.In(func(format string, args ...any) string { return fmt.Sprintf(german[format], args...) })
	if said != "darf ein Zeichen (U+0078) nicht enthalten, hat aber 3" {
		t.Errorf("in German it is %q", said)
	}
}

// TestAll: an error that joins several has all their faults, in order, and a response names the first.
func TestAll(t *testing.T) {
	t.Parallel()
	name := fault.About(fault.Invalid, "name", "is too long")
	wallet := fault.About(fault.Invalid, "bep20", "is no address")
	joined := errors.Join(nil, name, fmt.Errorf("outside: %w", fault.Within("wallets", errors.Join(wallet, wallet))))
	for what, x := range map[string]struct {
		err  error
		want []string
	}{
		"none":    {nil, nil},
		"foreign": {errors.New("disk full"), nil},
		"one":     {fmt.Errorf("save: %w", name), []string{"name"}},
		"joined":  {errors.Join(name, fault.Within("wallets", errors.Join(wallet, wallet))), []string{"name", "wallets.bep20", "wallets.bep20"}},
	} {
		var got []string
		for _, f := range fault.All(x.err) {
			got = append(got, f.Field)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", what, got, x.want)
		}
	}
	if fault.Of(joined) != name || fault.KindOf(joined) != fault.Invalid {
		t.Errorf("the first of %v is %v", joined, fault.Of(joined))
	}
}
