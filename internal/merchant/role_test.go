package merchant

import (
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/fault"
)

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
