package secret_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/secret"
)

const canary = "canary-7f3a"

// TestText_Prints searches for the text in every output that may print a secret by mistake: alone, in a struct, in an
// unexported field, behind a pointer.
func TestText_Prints(t *testing.T) {
	t.Parallel()
	text := secret.New(canary)
	values := []any{
		text, &text,
		[]secret.Text{text},
		map[string]secret.Text{"k": text},
		struct{ S secret.Text }{text},
		struct{ s secret.Text }{text},
		&struct{ s secret.Text }{text},
		fmt.Errorf("failed with %v", text),
	}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T", "%b"} {
			if out := fmt.Sprintf(verb, v); leaks(out) {
				t.Errorf("%s of %T prints %s", verb, v, out)
			}
		}
		raw, err := json.Marshal(v)
		if err == nil && leaks(string(raw)) {
			t.Errorf("JSON of %T is %s", v, raw)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "v", v)
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", v)
		if leaks(log.String()) {
			t.Errorf("slog of %T writes %s", v, &log)
		}
	}
	if text.Reveal() != canary {
		t.Error("the text cannot be revealed")
	}
}

func leaks(out string) bool {
	return strings.Contains(out, canary) || strings.Contains(strings.ToLower(out), fmt.Sprintf("%x", canary))
}

func TestText_Equal(t *testing.T) {
	t.Parallel()
	if !secret.New("a").Equal(secret.New("a")) || secret.New("a").Equal(secret.New("b")) ||
		secret.New("a").Equal(secret.Text{}) {
		t.Error("texts do not compare by content")
	}
	if !secret.New("").Empty() || !(secret.Text{}).Equal(secret.New("")) {
		t.Error("an empty text is not empty")
	}
}

func sealer(t testing.TB, fill byte) *secret.Sealer {
	t.Helper()
	s, err := secret.NewSealer(bytes.Repeat([]byte{fill}, secret.KeyLen))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealer(t *testing.T) {
	t.Parallel()
	s := sealer(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		text, place := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "place")
		opened, err := s.Open(place, s.Seal(place, secret.New(text)))
		if err != nil || opened.Reveal() != text {
			t.Fatalf("sealed %q, opened %q, %v", text, opened.Reveal(), err)
		}
	})
	sealed := s.Seal("here", secret.New(canary))
	if leaks(sealed) || sealed == s.Seal("here", secret.New(canary)) {
		t.Error("a sealed text shows what it is, or that it is the same")
	}
	changed := sealed[:len(sealed)-2] + "AA"
	if changed == sealed {
		changed = sealed[:len(sealed)-2] + "BB"
	}
	head := "sealed1." + s.KeyID() + "."
	for name, open := range map[string]func() (secret.Text, error){
		"OtherPlace": func() (secret.Text, error) { return s.Open("there", sealed) },
		"OtherKey":   func() (secret.Text, error) { return sealer(t, 2).Open("here", sealed) },
		"Changed":    func() (secret.Text, error) { return s.Open("here", changed) },
		"NotSealed":  func() (secret.Text, error) { return s.Open("here", canary) },
		"NotBase64":  func() (secret.Text, error) { return s.Open("here", head+"*") },
		"Short":      func() (secret.Text, error) { return s.Open("here", head+"AAAA") },
		"NoKey":      func() (secret.Text, error) { return s.Open("here", "sealed1."+strings.TrimPrefix(sealed, head)) },
		"OtherID": func() (secret.Text, error) {
			return s.Open("here", "sealed1.00000000."+strings.TrimPrefix(sealed, head))
		},
	} {
		if got, err := open(); !errors.Is(err, secret.ErrSealed) || !got.Empty() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewSealer_WrongLength(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 16, 31, 33} {
		if _, err := secret.NewSealer(make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes was taken", n)
		}
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	a, b := sealer(t, 1).Derive("cookies"), sealer(t, 1).Derive("tokens")
	if len(a) != secret.KeyLen || bytes.Equal(a, b) || !bytes.Equal(a, sealer(t, 1).Derive("cookies")) {
		t.Error("derived keys are not one for each purpose")
	}
}

// TestSealer_TwoKeys: while the key is changed, what either key sealed is opened, and the text says which key it was.
func TestSealer_TwoKeys(t *testing.T) {
	t.Parallel()
	before, after := sealer(t, 1), sealer(t, 2)
	s := sealer(t, 1)
	if err := s.Add(bytes.Repeat([]byte{2}, secret.KeyLen)); err != nil {
		t.Fatal(err)
	}
	sealed := s.Seal("here", secret.New(canary))
	if secret.KeyIDOf(sealed) != before.KeyID() || s.Use("ffffffff") || !s.Use(after.KeyID()) {
		t.Fatal("a key that was added seals before it is used, or is not known")
	}
	if again := s.Seal("here", secret.New(canary)); secret.KeyIDOf(again) != after.KeyID() {
		t.Error("the key in use does not seal")
	}
	moved, err := s.Reseal("here", sealed)
	if err != nil || secret.KeyIDOf(moved) != after.KeyID() {
		t.Fatalf("resealed under %s: %v", secret.KeyIDOf(moved), err)
	}
	if got, err := after.Open("here", moved); err != nil || got.Reveal() != canary {
		t.Errorf("the new key alone opens %q: %v", got.Reveal(), err)
	}
	if _, err := before.Open("here", moved); !errors.Is(err, secret.ErrUnknownKey) {
		t.Errorf("the old key: %v", err)
	}
	if _, err := s.Reseal("there", sealed); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("resealed for another place: %v", err)
	}
	if same, err := s.Reseal("here", moved); err != nil || same != moved {
		t.Error("a text that is under the key in use was sealed again")
	}
	all := s.DeriveAll("cookies")
	if len(all) != 2 || !bytes.Equal(all[0], after.Derive("cookies")) || !bytes.Equal(all[1], before.Derive("cookies")) {
		t.Error("derived keys are not those of both, the one in use first")
	}
}
