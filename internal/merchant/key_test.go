package merchant

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/testkit"
)

func TestService_CreateKey(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, text := b.mustCreateKey(t, NewKey{Label: " shop ", Wallet: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", Credits: 20, Queries: 5})
	if k.Wallet != "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" || k.Label != "shop" || k.UserID != 7 || k.Email != email || len(k.PublicID) != 26 || !k.CreatedAt.Equal(noon) {
		t.Errorf("the key is %+v", k)
	}
	if got, _ := b.Balance(t.Context(), k.ID); got != (ledger.Balance{Credits: 20, Queries: 5}) {
		t.Errorf("the balance is %+v, want 20 credits and 5 queries", got)
	}
	found, err := b.Authenticate(t.Context(), text)
	if err != nil || found.ID != k.ID {
		t.Errorf("Authenticate = %+v, %v", found, err)
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", b.store.keys, b.store.keys), text) {
		t.Error("the text of the key is stored")
	}
	other, otherText := b.mustCreateKey(t, NewKey{})
	if otherText == text || other.PublicID == k.PublicID {
		t.Error("two keys are the same")
	}
	if got, _ := b.Balance(t.Context(), other.ID); got != (ledger.Balance{}) {
		t.Errorf("a key without free credits has %+v", got)
	}
}

// Names of a key are all changed, each with its entry, or none is.
func TestService_NameKey(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, text := b.mustCreateKey(t, NewKey{Label: "shop"})
	act := audit.Act{Who: email, At: noon}
	for name, c := range map[string]struct {
		to    KeyNames
		wrong string
	}{
		"zone":     {KeyNames{new("till"), new("EUR"), new("Berlin")}, "zone must be"},
		"label":    {KeyNames{new("a\u202eb"), new("EUR"), new("Europe/Berlin")}, "label "},
		"currency": {KeyNames{new("till"), new("euro"), new("Europe/Berlin")}, "currency "},
	} {
		err := b.NameKey(t.Context(), k, c.to, act)
		after, _ := b.Authenticate(t.Context(), text)
		if err == nil || !strings.Contains(err.Error(), c.wrong) || after != k {
			t.Errorf("%s: %v, %+v", name, err, after)
		}
	}
	before := len(b.store.audit)
	testkit.Must(t, b.NameKey(t.Context(), k, KeyNames{new("till"), new("EUR"), new("Europe/Berlin")}, act))
	after, _ := b.Authenticate(t.Context(), text)
	if after.Label != "till" || after.Currency != "EUR" || after.Zone != "Europe/Berlin" ||
		len(b.store.audit) != before+3 {
		t.Errorf("it is %+v after %d entries", after, len(b.store.audit)-before)
	}
}

// A user who creates several keys gets free credits with the first one only; the
// operator may give any key some.
func TestService_CreateKey_FreeOnce(t *testing.T) {
	t.Parallel()
	b := newBundle()
	in := NewKey{Credits: 20, Queries: 5, Limited: true}
	first, _ := b.mustCreateKey(t, in)
	second, _ := b.mustCreateKey(t, in)
	given, _ := b.mustCreateKey(t, NewKey{Credits: 20})
	for name, c := range map[string]struct {
		key  Key
		want ledger.Balance
	}{
		"the first key":         {first, ledger.Balance{Credits: 20, Queries: 5}},
		"the second key":        {second, ledger.Balance{}},
		"a key by the operator": {given, ledger.Balance{Credits: 20}},
	} {
		if got, err := b.Balance(t.Context(), c.key.ID); err != nil || got != c.want {
			t.Errorf("%s has %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestService_CreateKey_Refuses(t *testing.T) {
	t.Parallel()
	b := newBundle()
	for field, in := range map[string]NewKey{
		"wallet":  {Wallet: "0x0000000000000000000000000000000000000000"},
		"label":   {Label: "a\x00b"},
		"credits": {Credits: -1},
		"queries": {Queries: ledger.MaxRecharge + 1},
	} {
		_, text, err := b.CreateKey(t.Context(), identity.User{ID: 1}, in, audit.Act{})
		wantInvalid(t, fmt.Sprintf("%+v", in), err, field)
		if !text.Empty() {
			t.Errorf("%s: a key came with the error", field)
		}
	}
	if len(b.store.keys) != 0 {
		t.Errorf("%d keys were stored", len(b.store.keys))
	}
}

func TestService_Authenticate(t *testing.T) {
	t.Parallel()
	b := newBundle()
	_, text := b.mustCreateKey(t, NewKey{})
	for _, bad := range []string{"", "flk_", strings.ToLower(text), text[:46], text + " x", "' OR 1=1 --"} {
		_, err := b.Authenticate(t.Context(), bad)
		wantErr(t, bad, err, ErrBadKey)
	}
	if b.store.lookups != 0 {
		t.Errorf("malformed keys reached the database %d times", b.store.lookups)
	}
	unknown, _ := identity.APIKey.New(rand.Reader)
	_, err := b.Authenticate(t.Context(), unknown.Reveal())
	wantErr(t, "an unknown key", err, ErrBadKey)
	if b.store.lookups != 1 {
		t.Errorf("%d look-ups for one well-formed key", b.store.lookups)
	}
	b.store.fail = errors.New("the database is gone")
	_, err = b.Authenticate(t.Context(), text)
	wantErr(t, "without a database", err, b.store.fail)
}

func TestService_ReplaceKey(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, old := b.mustCreateKey(t, NewKey{Credits: 1})
	pay := []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "rotate:1", noon)}
	text, left, err := b.ReplaceKey(t.Context(), k, AllPermissions(), pay, "", audit.Act{})
	if err != nil || left.Credits != 0 {
		t.Fatalf("%+v are left, %v", left, err)
	}
	_, err = b.Authenticate(t.Context(), old)
	wantErr(t, "the old key", err, ErrBadKey)
	after, err := b.Authenticate(t.Context(), text.Reveal())
	if err != nil || after.ID != k.ID || after.Hash == k.Hash {
		t.Errorf("the new key: %+v, %v", after, err)
	}
	if got := b.credits(t, k); got != 0 {
		t.Errorf("%d credits left, want 0", got)
	}
	_, _, err = b.ReplaceKey(t.Context(), k, AllPermissions(), nil, "", audit.Act{})
	wantErr(t, "with the old hash", err, ErrBadKey)
	pay[0].Ref = "rotate:2"
	none, _, err := b.ReplaceKey(t.Context(), after, AllPermissions(), pay, "", audit.Act{})
	wantErr(t, "without credits", err, ledger.ErrNoCredits)
	if _, err := b.Authenticate(t.Context(), text.Reveal()); err != nil || !none.Empty() {
		t.Errorf("a refused rotation changed the key: %v", err)
	}
}

func TestService_Usage(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, text := b.mustCreateKey(t, NewKey{})
	use := func() {
		if _, err := b.Authenticate(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	use()
	if !b.store.keys[k.ID].LastUsedAt.IsZero() {
		t.Error("the use was written at once")
	}
	testkit.Must(t, b.SaveUsage(t.Context()))
	if got := b.store.keys[k.ID].LastUsedAt; !got.Equal(noon) {
		t.Errorf("last used %s, want %s", got, noon)
	}
	b.clock.Pass(UsageEvery - time.Second)
	use()
	if used := b.usage.take(); len(used) != 0 {
		t.Errorf("a use within the grain is stored: %v", used)
	}
	b.clock.Pass(time.Second)
	use()
	if err := b.SaveUsage(t.Context()); err != nil {
		t.Error(err)
	}
	if got := b.store.keys[k.ID].LastUsedAt; !got.Equal(noon.Add(UsageEvery)) {
		t.Errorf("last used %s", got)
	}
}

func TestUsage_Bounded(t *testing.T) {
	t.Parallel()
	u := newUsage()
	for id := range int64(maxUsage + 10) {
		u.note(Key{ID: id}, noon)
	}
	u.note(Key{ID: 0}, noon.Add(time.Hour))
	used := u.take()
	if len(used) != maxUsage || !used[0].Equal(noon.Add(time.Hour)) {
		t.Errorf("%d keys wait, want %d; the first %s", len(used), maxUsage, used[0])
	}
}

// TestSecretsDoNotPrint: what the service hands out does not show its secret.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, text, err := b.CreateKey(t.Context(), identity.User{ID: 1}, NewKey{Credits: 2}, audit.Act{})
	testkit.Must(t, err)
	c, signing, err := b.CreateCustodian(t.Context(), k, CustodianInput{}, audit.Act{})
	testkit.Must(t, err)
	var out strings.Builder
	for _, v := range []any{k, text, c, &c, signing, CustodianInput{Secret: &text}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %x %d\n", v, v, v, v, v, v, v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("value", "value", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("value", "value", v)
	}
	for _, canary := range []string{text.Reveal(), signing.Reveal()} {
		if strings.Contains(out.String(), canary) || strings.Contains(out.String(), fmt.Sprintf("%x", canary)) {
			t.Errorf("a secret was printed: %s", canary)
		}
	}
}
