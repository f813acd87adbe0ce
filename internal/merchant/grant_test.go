package merchant

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
)

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
