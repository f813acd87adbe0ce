package merchant

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/testkit"
)

// The whole table once more, so that no role gives more by accident.
func TestRole_Permissions(t *testing.T) {
	t.Parallel()
	for role, want := range map[Role]string{
		RoleOwner: "create,read,cancel,complete,custodian,refund", RoleDeveloper: "create,read",
		RoleSupport: "create,read,cancel", RoleViewer: "read", "": "",
	} {
		if got := role.Permissions().String(); got != want {
			t.Errorf("%q gives %q, want %q", role, got, want)
		}
	}
}

func TestParsePermissions(t *testing.T) {
	t.Parallel()
	p, err := ParsePermissions([]string{"READ", " create", "read"})
	if err != nil || p.String() != "create,read" || !p.Has(PermissionRead) || p.Has(PermissionCancel) {
		t.Errorf("the set is %q, %v", p, err)
	}
	for _, bad := range []string{"", "all", "create,read", "owner"} {
		_, err := ParsePermissions([]string{bad})
		wantInvalid(t, bad, err, "permissions")
	}
}

func TestService_CreateKey_Permissions(t *testing.T) {
	t.Parallel()
	b := newBundle()
	for name, c := range map[string]struct {
		in        NewKey
		want      string
		confirmed bool
	}{
		"CommandLine":      {NewKey{}, AllPermissions().String(), true},
		"Owner":            {NewKey{By: RoleOwner}, AllPermissions().String(), false},
		"OwnerWithProof":   {NewKey{By: RoleOwner, Reauthenticated: true}, AllPermissions().String(), true},
		"Developer":        {NewKey{By: RoleDeveloper, Reauthenticated: true}, "create,read", false},
		"ChosenByTheOwner": {NewKey{By: RoleOwner, Permissions: permissionsOf([]Permission{PermissionRead})}, "read", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, _ := b.mustCreateKey(t, c.in)
			if k.Permissions.String() != c.want || k.Confirmed != c.confirmed {
				t.Errorf("the key may %q, confirmed: %t; want %q, %t", k.Permissions, k.Confirmed, c.want, c.confirmed)
			}
		})
	}
	t.Run("MoreThanTheRole", func(t *testing.T) {
		t.Parallel()
		_, _, err := b.CreateKey(t.Context(), identity.User{ID: 1}, NewKey{
			By: RoleDeveloper, Permissions: permissionsOf([]Permission{PermissionRead, PermissionCustodian}),
		}, audit.Act{})
		if !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "create,read") {
			t.Errorf("a developer gives a key %v", err)
		}
	})
}

// A rotation keeps the permissions of the key that the rotating member may give.
func TestService_ReplaceKey_Permissions(t *testing.T) {
	t.Parallel()
	b := newBundle()
	some := permissionsOf([]Permission{PermissionRead, PermissionComplete})
	k, _ := b.mustCreateKey(t, NewKey{Permissions: some})
	for _, step := range []struct {
		by   Role
		want string
	}{{RoleOwner, "read,complete"}, {RoleDeveloper, "read"}, {RoleOwner, "read"}} {
		text, _, err := b.ReplaceKey(t.Context(), k, step.by.Permissions(), nil, "", audit.Act{})
		testkit.Must(t, err)
		if k, err = b.Authenticate(t.Context(), text.Reveal()); err != nil || k.Permissions.String() != step.want {
			t.Errorf("rotated by %s it may %q, %v; want %q", step.by, k.Permissions, err, step.want)
		}
	}
	only, _ := b.mustCreateKey(t, NewKey{Permissions: permissionsOf([]Permission{PermissionComplete})})
	if _, _, err := b.ReplaceKey(
		t.Context(), only, RoleDeveloper.Permissions(), nil, "", audit.Act{},
	); !errors.Is(err, ErrNothingLeft) {
		t.Errorf("a key that would be left without a permission: %v", err)
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct{ want, in, out string }{
		"":                                 {"", "198.51.100.7", ""},
		"203.0.113.7/24":                   {"203.0.113.0/24", "::ffff:203.0.113.200", "203.0.114.1"},
		"203.0.113.7":                      {"203.0.113.7/32", "203.0.113.7", "203.0.113.8"},
		"2001:db8::/48, 10.0.0.0/8":        {"2001:db8::/48 10.0.0.0/8", "2001:db8:0:9::1", "2001:db8:1::1"},
		"::ffff:203.0.113.0/120\n\t":       {"203.0.113.0/24", "203.0.113.9", "::1"},
		"127.0.0.1 127.0.0.1 127.0.0.1/32": {"127.0.0.1/32", "127.0.0.1", "::1"},
	} {
		s, err := ParseSources(text)
		if err != nil || string(s) != c.want {
			t.Errorf("%q is %q, %v; want %q", text, s, err, c.want)
		}
		if !s.Allow(netip.MustParseAddr(c.in)) {
			t.Errorf("%q refuses %s", s, c.in)
		}
		if c.out != "" && (s.Allow(netip.MustParseAddr(c.out)) || s.Allow(netip.Addr{})) {
			t.Errorf("%q allows %s, or an unknown address", s, c.out)
		}
	}
	for _, bad := range []string{"shop.example", "10.0.0.0/33", "1.2.3", strings.Repeat("10.0.0.0/8", 2)} {
		_, err := ParseSources(bad)
		wantInvalid(t, bad, err, "networks")
	}
	var many []string
	for i := range MaxSources + 1 {
		many = append(many, netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}).String())
	}
	_, err := ParseSources(many...)
	wantInvalid(t, "too many", err, "networks")
}
