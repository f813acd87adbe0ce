package merchant

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
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

// The whole table once more, so that no role changes by accident.
func TestRole_May(t *testing.T) {
	t.Parallel()
	want := map[Role][]Act{
		RoleOwner: append(Acts(), ActOwn),
		RoleDeveloper: {
			ActOwn, ActRead, ActPay, ActCampaigns, ActWebhooks, ActKeys, ActBranding, ActAudit,
		},
		RoleSupport: {ActOwn, ActRead, ActPay, ActPayments, ActModerate, ActWebhooks},
		RoleViewer:  {ActOwn, ActRead},
		"":          {ActOwn},
		"root":      {ActOwn},
	}
	for role, acts := range want {
		for _, a := range append(Acts(), ActOwn, "fly") {
			m := Membership{Role: role}
			if may := slices.Contains(acts, a); role.May(a) != may || (m.Allow(a) == nil) != may {
				t.Errorf("%q may %q: %t, %v; want %t", role, a, role.May(a), m.Allow(a), may)
			}
			if err := m.Allow(a); err != nil && !fault.Is(err, fault.Forbidden) {
				t.Errorf("%q is refused %q with %v", role, a, err)
			}
		}
	}
	if len(Acts()) != len(mayDo) {
		t.Errorf("%d acts are listed, the table has %d", len(Acts()), len(mayDo))
	}
	for _, a := range Acts() {
		if who := a.Who(); len(who) == 0 || who[0] != RoleOwner {
			t.Errorf("%q may be done by %v: an owner may do everything", a, who)
		}
	}
}

func TestParseRole(t *testing.T) {
	t.Parallel()
	for _, r := range Roles() {
		if got, ok := ParseRole(string(r)); !ok || got != r {
			t.Errorf("ParseRole(%s) = %s, %t", r, got, ok)
		}
	}
	for _, text := range []string{"", "Owner", "root", "owner "} {
		if r, ok := ParseRole(text); ok {
			t.Errorf("%q is the role %s", text, r)
		}
	}
}

func TestService_MembershipBySession(t *testing.T) {
	t.Parallel()
	b := newBundle()
	token, hash := identity.SessionToken.New(rand.Reader)
	want := Membership{User: identity.User{ID: 7}, Merchant: identity.User{ID: 8}, Role: RoleViewer}
	b.store.sessions[hash] = want
	text := token.Reveal()
	if got, err := b.MembershipBySession(t.Context(), text); err != nil || got != want {
		t.Errorf("MembershipBySession = %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{"", "fls_", text[:50], strings.ToUpper(text)} {
		_, err := b.MembershipBySession(t.Context(), bad)
		wantErr(t, bad, err, identity.ErrBadSession)
	}
	delete(b.store.sessions, hash)
	_, err := b.MembershipBySession(t.Context(), text)
	wantErr(t, "an unknown session", err, identity.ErrBadSession)
	b.store.fail = errors.New("the database is gone")
	_, err = b.MembershipBySession(t.Context(), text)
	wantErr(t, "without a database", err, b.store.fail)
}

func TestService_Grant(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 1})
	act := audit.Act{Who: "ops@example.com", At: b.now()}
	left, err := b.Grant(t.Context(), k, Grant{Credits: 100, Queries: 5}, act)
	if err != nil || left != (ledger.Balance{Credits: 101, Queries: 5}) {
		t.Fatalf("Grant = %+v, %v; want 101 credits and 5 queries", left, err)
	}
	if left, err = b.Grant(t.Context(), k, Grant{Credits: 100}, audit.Act{}); err != nil || left.Credits != 201 {
		t.Errorf("a second grant = %+v, %v; want 201 credits", left, err)
	}
	if len(b.store.audit) != 1 || mail.Said(b.store.audit[0].Detail, mail.Words.English) != "100 credits, 5 queries" {
		t.Errorf("the audit log has %+v", b.store.audit)
	}
}

func TestService_Grant_Refuses(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 1})
	for name, c := range map[string]struct {
		grant Grant
		field string
	}{
		"nothing":          {Grant{}, "credits"},
		"negative credits": {Grant{Credits: -1}, "credits"},
		"too many credits": {Grant{Credits: ledger.MaxTopUp + 1}, "credits"},
		"negative queries": {Grant{Credits: 1, Queries: -1}, "queries"},
		"too many queries": {Grant{Queries: ledger.MaxRecharge + 1}, "queries"},
	} {
		_, err := b.Grant(t.Context(), k, c.grant, audit.Act{})
		wantInvalid(t, name, err, c.field)
	}
	k.RevokedAt = time.Now()
	_, err := b.Grant(t.Context(), k, Grant{Credits: 1}, audit.Act{})
	wantErr(t, "a revoked key", err, ErrKeyRevoked)
	if got := b.credits(t, k); got != 1 {
		t.Errorf("refused grants left %d credits, want 1", got)
	}
}
