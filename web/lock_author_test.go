package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
)

// TestLock_Removal: an owner who is to go cannot stop it, neither in the dashboard nor by a mail, whose link goes
// to the others alone; and what they have asked for themselves goes with them.
func TestLock_Removal(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	second, err := l.accounts.UserByEmail(t.Context(), "second@shop.example")
	must(t, err)
	owner, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	must(t, l.accounts.merchants.Wait(t.Context(), merchant.Waiting{
		MerchantID: owner.ID, KeyID: l.m.key.ID, Kind: merchant.WaitingCustodian,
		Changes: []string{"POLYGON " + merchantWallet + " → " + thief},
	}, merchant.NewSettings{Custodian: merchant.CustodianInput{}}, "Shop",
		audit.Act{Who: second.Email, At: l.clock.Now()}))
	before := len(l.mail.all())
	l.s.post("/dashboard/team/members/"+second.PublicID+"/remove", "password", l.code()).leads(t, "/dashboard/team")
	for _, m := range l.mailed(before + 2)[before:] {
		if toSecond := strings.HasPrefix(m, second.Email+"\n"); toSecond == strings.Contains(m, "/stop?token=") {
			t.Errorf("to %s: %s", second.Email, m)
		}
	}
	list, err := l.accounts.Waiting(t.Context(), owner.ID)
	must(t, err)
	removal := list[len(list)-1]
	goes := l.surfer()
	goes.signIn(second.Email)
	goes.post("/dashboard/changes/"+removal.ID+"/stop").wants(t, 403, "about you")
	l.clock.advance(merchant.LockDelay)
	l.apply()
	members, err := l.shops().Members(t.Context(), owner.ID)
	must(t, err)
	if len(members) != 1 || l.wallet() != merchantWallet {
		t.Errorf("the members are %+v, and the wallet is %s", members, l.wallet())
	}
}

// TestLock_Factors: with a cookie and the password alone, neither is the authenticator of a member of a locked
// account turned off, nor a passkey added.
func TestLock_Factors(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	const remove = "/dashboard/security/factor/remove"
	l.s.post(remove, "password", testPassword).wants(t, 403, "password alone is not enough")
	if r := l.s.post("/dashboard/security/passkeys/ask", "password", testPassword); r.status == 200 {
		t.Errorf("a passkey is offered for the password alone: %s", r.start())
	}
	l.s.post(remove, "password", l.code()).leads(t, "/dashboard/security")
	u, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	if on, _, err := l.accounts.Factor(t.Context(), u); err != nil || on {
		t.Errorf("the authenticator is on: %t, %v", on, err)
	}
}
