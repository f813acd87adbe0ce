package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

func TestService_CreateUser(t *testing.T) {
	t.Parallel()
	b := newBundle()
	u, err := b.CreateUser(t.Context(), NewUser{Email: "  Ada@Example.COM ", Password: secret.New(password), FirstName: " Ada ", Operator: true}, audit.Act{})
	testkit.Must(t, err)
	if u.ID == 0 || len(u.PublicID) != 26 || u.Email != email || u.FirstName != "Ada" || !u.Operator ||
		!u.CreatedAt.Equal(noon) {
		t.Errorf("the user is %+v", u)
	}
	if !strings.HasPrefix(u.PasswordHash, "$argon2id$v=19$m=19456,t=2,p=1$") ||
		strings.Contains(fmt.Sprintf("%+v", b.store.users), password) {
		t.Errorf("the password is stored as %q", u.PasswordHash)
	}
	_, err = b.CreateUser(t.Context(), NewUser{Email: "ADA@example.com", Password: secret.New(password)}, audit.Act{})
	wantErr(t, "the same address in capitals", err, ErrEmailTaken)
	if found, err := b.UserByEmail(t.Context(), "ADA@EXAMPLE.COM"); err != nil || found.ID != u.ID {
		t.Errorf("UserByEmail = %+v, %v", found, err)
	}
}

func TestService_CreateUser_Refuses(t *testing.T) {
	t.Parallel()
	b := newBundle()
	for name, c := range map[string]struct {
		in    NewUser
		field string
	}{
		"no address":         {NewUser{Password: secret.New(password)}, "email"},
		"no password":        {NewUser{Email: email}, "password"},
		"9 characters":       {NewUser{Email: email, Password: secret.New("123456789")}, "password"},
		"9 wide characters":  {NewUser{Email: email, Password: secret.New(strings.Repeat("ü", 9))}, "password"},
		"129 characters":     {NewUser{Email: email, Password: secret.New(strings.Repeat("ü", 129))}, "password"},
		"a megabyte":         {NewUser{Email: email, Password: secret.New(strings.Repeat("a", 1<<20))}, "password"},
		"the address":        {NewUser{Email: email, Password: secret.New(strings.ToUpper(email))}, "password"},
		"a NUL":              {NewUser{Email: email, Password: secret.New(password + "\x00")}, "password"},
		"no UTF-8":           {NewUser{Email: email, Password: secret.New(password + "\xff")}, "password"},
		"control in name":    {NewUser{Email: email, Password: secret.New(password), FirstName: "A\u202eda"}, "firstName"},
		"reversed last name": {NewUser{Email: email, Password: secret.New(password), LastName: "\u202eada"}, "lastName"},
		"long last name":     {NewUser{Email: email, Password: secret.New(password), LastName: strings.Repeat("ü", 101)}, "lastName"},
	} {
		_, err := b.CreateUser(t.Context(), c.in, audit.Act{})
		wantInvalid(t, name, err, c.field)
		if p := c.in.Password.Reveal(); err != nil && p != "" && !strings.EqualFold(p, email) &&
			strings.Contains(err.Error(), p) {
			t.Errorf("%s: the message holds the password", name)
		}
	}
	if len(b.store.users) != 0 {
		t.Errorf("%d users were stored", len(b.store.users))
	}
}

func TestNormalizeEmail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ada@example.com": "ada@example.com", " A.d+a_1@Sub.Example.COM\n": "a.d+a_1@sub.example.com",
		"owner@localhost": "owner@localhost", "a@xn--bcher-kva.example": "a@xn--bcher-kva.example",
	} {
		if got, err := NormalizeEmail(text); err != nil || got != want {
			t.Errorf("NormalizeEmail(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", "ada", "@example.com", "ada@", "ada@@example.com", "ada@example..com",
		"ada@-example.com", "ada@example.com, eve@example.com",
		"Ada <ada@example.com>", "a da@example.com", "ada@exa mple.com",
		"ada\x00@example.com", "ada\r\nBcc: eve@example.com", "ädа@example.com",
		strings.Repeat("a", 65) + "@example.com", "a@" + strings.Repeat("a", 64) + ".com",
		strings.Repeat("a", 64) + "@" + strings.Repeat("abc.", 50) + "com",
		strings.Repeat("@", 1<<20),
	} {
		got, err := NormalizeEmail(text)
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("NormalizeEmail(%.40q) = %q, %v; want fault.Invalid", text, got, err)
		}
	}
}

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

// onlyRecord is a store that takes mails and answers no question: whose account it is asked for is nobody's.
type onlyRecord struct {
	Store
	mails []mail.Mail
}

func (s *onlyRecord) UpdateUser(_ context.Context, by By, decide func(Account) (Change, error)) (Account, error) {
	if by != (By{}) {
		return Account{}, errors.New("the store is asked whose account it is")
	}
	c, err := decide(Account{})
	s.mails = append(s.mails, c.Mails...)
	return c.Account, err
}

// TestService_BeginReset: a request for a new password asks nothing of the store, so its time says nothing of who has
// an account.
func TestService_BeginReset(t *testing.T) {
	t.Parallel()
	store := &onlyRecord{}
	s := New(store, testkit.NewClock(noon).Now, Options{Mail: &mail.Writer{NewID: func() string { return "id" }}})
	testkit.Must(t, s.BeginReset(t.Context(), " Ada@Example.com ", "203.0.113.0/24"))
	if len(store.mails) != 1 || store.mails[0].To != email || store.mails[0].Near != "203.0.113.0/24" ||
		store.mails[0].Kind != mail.Reset || !store.mails[0].Text.Empty() {
		t.Errorf("ordered %+v", store.mails)
	}
}
