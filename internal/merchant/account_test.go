package merchant

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
)

// team is an account with two owners, an invitation and a change that waits, both of the second one.
func team() Account {
	member := func(id int64, email string) Member {
		return Member{User: identity.User{ID: id, Email: email, PublicID: email}, MerchantID: 1, Role: RoleOwner}
	}
	return Account{
		ID: 1, Members: []Member{member(1, "ada@example.com"), member(2, "eve@example.com")},
		Invited: []Invited{{ID: "I", Email: "new@example.com", By: "eve@example.com", ExpiresAt: noon.Add(time.Hour)}},
		Waiting: []Waiting{{ID: "W", Kind: WaitingUnlock, AuthorID: 2, By: "eve@example.com", State: StateWaiting}},
	}
}

// TestAccount_SetRole: what an owner had asked for and whom they had invited ends with their role, and the account that
// was decided about stays as it was.
func TestAccount_SetRole(t *testing.T) {
	t.Parallel()
	for _, role := range []Role{RoleViewer, ""} {
		before := team()
		c, err := before.SetRole(2, role, noon, audit.Record{})
		if err != nil || !c.Account.Invited[0].EndedAt.Equal(noon) || c.Account.Waiting[0].State != StateStopped ||
			len(c.Entries) != 0 || len(c.Record.Entries) != 1 || len(c.Mails) != 1 {
			t.Errorf("to %q: %+v, %v", role, c, err)
		}
		if before.Members[1].Role != RoleOwner || !before.Invited[0].EndedAt.IsZero() ||
			before.Waiting[0].State != StateWaiting {
			t.Errorf("to %q: the account that was loaded is %+v", role, before)
		}
		_, err = c.Account.SetRole(1, role, noon, audit.Record{})
		wantErr(t, "the last owner", err, ErrLastOwner)
	}
	_, err := team().SetRole(3, RoleViewer, noon, audit.Record{})
	wantErr(t, "another's member", err, ErrUnknownMember)
}

// TestAccount_Limits: how many keys and members there may be.
func TestAccount_Limits(t *testing.T) {
	t.Parallel()
	a := team()
	_, err := a.Invite(Invited{Email: "eve@example.com"}, audit.Record{})
	wantErr(t, "a member", err, ErrIsMember)
	for len(a.Members)+len(a.Invited) < MaxTeam {
		a.Invited = append(a.Invited, Invited{})
	}
	_, err = a.Invite(Invited{Email: "more@example.com"}, audit.Record{})
	wantErr(t, "one too many", err, ErrTeamFull)
	if _, err = a.Invite(Invited{Email: "new@example.com"}, audit.Record{}); err != nil {
		t.Errorf("in place of another: %v", err)
	}
	for _, k := range []Key{{}, {RevokedAt: noon}} {
		most := map[bool]int{true: MaxKeys, false: MaxEverKeys}[k.RevokedAt.IsZero()]
		for a.Keys = nil; len(a.Keys) < most; a.Keys = append(a.Keys, k) {
			if err := a.MayMakeKey(); err != nil {
				t.Fatalf("with %d keys: %v", len(a.Keys), err)
			}
		}
		wantErr(t, "too many keys", a.MayMakeKey(), ErrTooManyKeys)
	}
}

// TestAccount_Waiting: a change waits once, and is made for an owner only, when it is due.
func TestAccount_Waiting(t *testing.T) {
	t.Parallel()
	due, a := team().Waiting[0], team()
	_, err := a.Wait(Waiting{Kind: WaitingUnlock}, audit.Record{})
	wantErr(t, "a second one", err, ErrChangeWaits)
	due.Body, due.DueAt = secret.New("{}"), noon
	nothing := func(Key, Custodian) (CustodianChange, error) { return CustodianChange{}, nil }
	_, err = a.Make(due, noon.Add(-time.Second), Custodian{}, nothing)
	wantErr(t, "too early", err, ErrNoChange)
	a.LockedAt = noon
	made, err := a.Make(due, noon, Custodian{}, nothing)
	if err != nil || !made.Account.LockedAt.IsZero() || made.Account.Waiting[0].State != StateMade {
		t.Errorf("made: %+v, %v", made, err)
	}
	a.Members[1].DisabledAt = noon
	_, err = a.Make(due, noon, Custodian{}, nothing)
	wantErr(t, "of a disabled owner", err, ErrAuthorGone)
	a.Waiting = nil
	_, err = a.Make(due, noon, Custodian{}, nothing)
	wantErr(t, "one that was stopped", err, ErrNoChange)
}
