package campaign

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/testkit"
)

var start = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

func draft() Draft {
	return Draft{
		Slug: "winter-shelter", Title: "Winter shelter", Description: "One.\r\n\r\nTwo.", Goal: "12000",
		Suggested: []string{"50", "", "10", "10.00"},
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	in := draft()
	in.Slug = " Winter-Shelter "
	c, err := New(in, 7, start)
	testkit.Must(t, err)
	if c.Slug != "winter-shelter" || c.Description != "One.\n\nTwo." || c.Goal != 12_000*money.USD || c.KeyID != 7 ||
		c.State != Active ||
		!slices.Equal(c.Suggested, []money.Micros{10 * money.USD, 50 * money.USD}) {
		t.Errorf("made %+v", c)
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Draft){
		"campaignId short":       func(d *Draft) { d.Slug = "ab" },
		"campaignId long":        func(d *Draft) { d.Slug = strings.Repeat("a", MaxSlug+1) },
		"campaignId path":        func(d *Draft) { d.Slug = "../pay" },
		"campaignId hyphens":     func(d *Draft) { d.Slug = "a--b" },
		"campaignId edge":        func(d *Draft) { d.Slug = "abc-" },
		"campaignId unicode":     func(d *Draft) { d.Slug = "wärme" },
		"title empty":            func(d *Draft) { d.Title = " \n" },
		"title long":             func(d *Draft) { d.Title = strings.Repeat("ä", MaxTitle+1) },
		"title override":         func(d *Draft) { d.Title = "a\u202eb" },
		"title bytes":            func(d *Draft) { d.Title = "a\xff" },
		"description NUL":        func(d *Draft) { d.Description = "a\x00b" },
		"description long":       func(d *Draft) { d.Description = strings.Repeat("x", 10_000) },
		"goalAmount negative":    func(d *Draft) { d.Goal = "-1" },
		"goalAmount zero":        func(d *Draft) { d.Goal = "0" },
		"goalAmount huge":        func(d *Draft) { d.Goal = "1000000000.01" },
		"suggestedAmounts text":  func(d *Draft) { d.Suggested = []string{"ten"} },
		"suggestedAmounts seven": func(d *Draft) { d.Suggested = []string{"1", "2", "3", "4", "5", "6", "7"} },
		"endsAt past":            func(d *Draft) { d.EndsAt = start },
		"endsAt far":             func(d *Draft) { d.EndsAt = start.Add(MaxAhead + time.Hour) },
	} {
		in := draft()
		change(&in)
		field, _, _ := strings.Cut(name, " ")
		_, err := New(in, 1, start)
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || !strings.HasPrefix(f.Message, field+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The states of doc.go and the transitions each allows.
func TestCampaign_States(t *testing.T) {
	t.Parallel()
	acts := map[string]func(Campaign, time.Time) (Campaign, error){
		"pause": Campaign.Pause, "resume": Campaign.Resume, "end": Campaign.End,
	}
	for state, want := range map[State]map[string]State{
		Active: {"pause": Paused, "end": Ended},
		Paused: {"resume": Active, "end": Ended},
		Ended:  {},
	} {
		for name, act := range acts {
			c, err := act(Campaign{State: state}, start)
			next, allowed := want[name]
			if allowed != (err == nil) || allowed && c.State != next {
				t.Errorf("%s of %s: %s, %v", name, state, c.State, err)
			}
			if !allowed && !fault.Is(err, fault.Conflict) {
				t.Errorf("%s of %s is refused with %v", name, state, err)
			}
		}
	}
}

func TestCampaign_Takes(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		c    Campaign
		want error
	}{
		{Campaign{State: Active}, nil},
		{Campaign{State: Active, EndsAt: start.Add(time.Second)}, nil},
		{Campaign{State: Active, EndsAt: start}, ErrEnded},
		{Campaign{State: Paused, EndsAt: start}, ErrEnded},
		{Campaign{State: Paused}, ErrPaused},
		{Campaign{State: Ended}, ErrEnded},
		{Campaign{State: Active, KeyRevoked: true}, ErrNoKey},
	} {
		if err := x.c.Takes(start); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", x.c, err, x.want)
		}
	}
}

// A form that was made of an older campaign changes nothing, also when another write came between its page and it.
func TestCampaign_Edit_AsOf(t *testing.T) {
	t.Parallel()
	c, err := New(draft(), 1, start)
	testkit.Must(t, err)
	theirs, mine := draft(), draft()
	theirs.Title, theirs.AsOf = "Theirs", c.UpdatedAt
	mine.Title, mine.AsOf = "Mine", c.UpdatedAt
	written, err := c.Edit(theirs, 1, start.Add(time.Minute))
	if err != nil || written.Title != "Theirs" {
		t.Fatalf("%q, %v", written.Title, err)
	}
	if after, err := written.Edit(mine, 1, start.Add(time.Hour)); !errors.Is(err, merchant.ErrChangedMeanwhile) ||
		after.Title != "Theirs" || !after.UpdatedAt.Equal(written.UpdatedAt) {
		t.Errorf("an old form: %q, %v", after.Title, err)
	}
	mine.AsOf = written.UpdatedAt
	if after, err := written.Edit(mine, 1, start.Add(time.Hour)); err != nil || after.Title != "Mine" {
		t.Errorf("a form of now: %q, %v", after.Title, err)
	}
	paused, err := written.Pause(start.Add(2 * time.Hour))
	testkit.Must(t, err)
	if _, err := paused.Edit(mine, 1, start.Add(3*time.Hour)); !errors.Is(err, merchant.ErrChangedMeanwhile) {
		t.Errorf("a form from before the pause: %v", err)
	}
}

// An end that has passed can be moved; a campaign that the merchant ended cannot be reopened.
func TestCampaign_Edit(t *testing.T) {
	t.Parallel()
	in := draft()
	in.EndsAt = start.Add(time.Hour)
	c, err := New(in, 1, start)
	testkit.Must(t, err)
	later := start.Add(2 * time.Hour)
	in.Title = "Changed after its end"
	if c, err = c.Edit(in, 2, later); err != nil || c.Title != in.Title || c.KeyID != 2 || c.At(later) != Ended {
		t.Errorf("edited without moving the end: %+v, %v", c, err)
	}
	in.Slug, in.EndsAt = "another", later.Add(time.Hour)
	if c, err = c.Edit(in, 2, later); err != nil || c.At(later) != Active || c.Slug != "winter-shelter" {
		t.Errorf("moving the end: %+v, %v", c, err)
	}
	if c, err = c.End(later); err != nil {
		t.Fatal(err)
	}
	in.EndsAt = later.Add(5 * time.Hour)
	if _, err = c.Edit(in, 2, later); !errors.Is(err, ErrEndedForGood) {
		t.Errorf("moving the end of a campaign that the merchant ended: %v", err)
	}
}

func TestCampaign_Percent(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		goal, raised money.Micros
		want         int
	}{
		{0, 5, 0},
		{100 * money.USD, 0, 0},
		{100 * money.USD, money.USD - 1, 0},
		{100 * money.USD, money.USD, 1},
		{3 * money.USD, 2_999_999, 99},
		{100 * money.USD, 100 * money.USD, 100},
		{money.USD, MaxAmount, 100},
		{10, 9, 90},
		{MaxAmount, MaxAmount - 1, 99},
	} {
		if got := (Campaign{Goal: x.goal}).Percent(Totals{Raised: x.raised}); got != x.want {
			t.Errorf("%d of %d is %d %%, want %d", x.raised, x.goal, got, x.want)
		}
	}
}

func TestDonation_Public(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		review Review
		atOnce bool
		shown  bool
	}{
		{Waiting, false, false},
		{Waiting, true, true},
		{Approved, false, true},
		{Hidden, true, false},
		{Hidden, false, false},
	} {
		d := Donation{Name: "Ada", Message: "Hello", Review: x.review}.Public(Campaign{ShowAtOnce: x.atOnce})
		if (d.Name != "" && d.Message != "") != x.shown {
			t.Errorf("%s, at once %t: %+v", x.review, x.atOnce, d)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Winter shelter": "winter-shelter", "  A -- roof, for Mia! ": "a-roof-for-mia",
		"Ärzte ohne Öl": "rzte-ohne-l", "日本": "", "ab": "",
		strings.Repeat("long title ", 20): "long-title-long-title-long-title-long-title-long",
	} {
		if got := Slug(title); got != want || got != "" && !ValidSlug(got) {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}

func TestNewLink(t *testing.T) {
	t.Parallel()
	l, err := NewLink(LinkDraft{Slug: "table-4", Min: "1", Max: "5"}, 1, start)
	if err != nil || l.Reference != "table-4" {
		t.Fatalf("made %+v, %v", l, err)
	}
	for typed, ok := range map[string]bool{
		"1": true, "5": true, "0.99": false, "5.01": false, "": false, "1e9": false, "1,5": false,
	} {
		if _, _, err := l.asked(typed); (err == nil) != ok {
			t.Errorf("%q: %v", typed, err)
		}
	}
	l.Amount = 3 * money.USD
	if got, _, err := l.asked("99"); got != "3.00" && got != "3" || err != nil {
		t.Errorf("a fixed amount becomes %q, %v", got, err)
	}
	for name, in := range map[string]LinkDraft{
		"slug":        {Slug: "a b"},
		"minAmount":   {Slug: "abc", Amount: "5", Min: "1"},
		"maxAmount":   {Slug: "abc", Min: "5", Max: "1"},
		"amount":      {Slug: "abc", Amount: "0"},
		"description": {Slug: "abc", Description: "a\u202eb"},
		"reference":   {Slug: "abc", Reference: strings.Repeat("x", 129)},
	} {
		if _, err := NewLink(in, 1, start); !fault.Is(err, fault.Invalid) ||
			!strings.HasPrefix(fault.Of(err).Message, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
