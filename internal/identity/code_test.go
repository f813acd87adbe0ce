package identity

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

// A code is read as phones, keyboards and mails write it: with spaces and dashes of every kind, characters without
// width, and the digits of another script or of full width.
func TestCode_AsTyped(t *testing.T) {
	t.Parallel()
	const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	code, err := totp.GenerateCode(key, now)
	testkit.Must(t, err)
	in := func(zero rune) string {
		return strings.Map(func(r rune) rune { return r - '0' + zero }, code)
	}
	for name, typed := range map[string]string{
		"no-break space": code[:3] + "\u00a0" + code[3:], "narrow space": "\u202f" + code[:3] + "\u202f" + code[3:],
		"ideographic space": code[:3] + "\u3000" + code[3:], "line end": code + "\r\n",
		"en dash": code[:3] + "\u2013" + code[3:],
		"minus":   code[:3] + "\u2212" + code[3:], "no width": "\ufeff" + code + "\u200b",
		"full width": in('\uff10'), "Arabic": in('\u0660'), "Persian": in('\u06f0'), "Hindi": in('\u0966'),
		"Bengali": in('\u09e6'), "Thai": in('\u0e50'), "mathematical": in('\U0001d7ce'),
	} {
		if !IsCode(typed) {
			t.Errorf("%s: %q is taken for a password", name, typed)
		}
		if _, ok := stepOf(secret.New(key), typed, now); !ok {
			t.Errorf("%s: %q is refused", name, typed)
		}
	}
	for _, typed := range []string{"", "\u00a0", code[:5], code + "1", code[:5] + "x", "¹²³⁴⁵"} {
		if _, ok := stepOf(secret.New(key), typed, now); ok || IsCode(typed) {
			t.Errorf("%q is taken for a code", typed)
		}
	}
	if recovery := "ABCD\u2011efgh\u00a0ij\uff44k-lmnop-qrst-uv23-4567"; recoveryText(recovery) != "abcdefghijdklmnopqrstuv234567" {
		t.Errorf("a recovery code is read as %q", recoveryText(recovery))
	}
}
