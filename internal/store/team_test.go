package store

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

// newcomer is a user who is not stored.
func newcomer(email, id string) identity.User {
	return identity.User{PublicID: id, Email: email, PasswordHash: "x", CreatedAt: start}
}

func invitedTo(u identity.User, id, email string, role merchant.Role) merchant.Invited {
	return merchant.Invited{
		ID: id, MerchantID: u.ID, Email: email, Role: role, By: u.Email, CreatedAt: start,
		ExpiresAt: start.Add(time.Hour),
	}
}

// Somebody is invited, joins, acts in their role, and is out of it at once.
func TestStore_Team(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, owner := t.Context(), w.user()
		first := invitedTo(owner, "I1", "dev@shop.example", merchant.RoleViewer)
		w.must(w.AddInvited(ctx, hashOf("first"), first))
		second := invitedTo(owner, "I2", "dev@shop.example", merchant.RoleDeveloper)
		w.must(w.AddInvited(ctx, hashOf("second"), second))
		open, err := w.Invitations(ctx, owner.ID)
		w.must(err)
		if len(open) != 1 || open[0] != second {
			t.Fatalf("open invitations are %+v, want the newer one of the address", open)
		}
		wants(t, "an invitation that was replaced", join(w, "first", newcomer("dev@shop.example", "U2")),
			identity.ErrBadInvitation)
		wants(t, "another's address", join(w, "second", newcomer("else@shop.example", "U2")), identity.ErrBadInvitation)
		wants(t, "an address with an account", join(w, "second", identity.User{PublicID: "U2", Email: owner.Email}),
			identity.ErrBadInvitation)
		_, err = w.RenewInvited(ctx, owner.ID+1, "I2", hashOf("third"), start)
		wants(t, "another merchant's invitation", err, merchant.ErrUnknownInvited)
		wants(
			t, "another merchant's invitation", w.RevokeInvited(ctx, owner.ID+1, "I2", start),
			merchant.ErrUnknownInvited,
		)
		renewed, err := w.RenewInvited(ctx, owner.ID, "I2", hashOf("third"), start.Add(2*time.Hour))
		w.must(err)
		if renewed.Email != second.Email || !renewed.ExpiresAt.Equal(start.Add(2*time.Hour)) {
			t.Errorf("renewed: %+v", renewed)
		}
		wants(t, "the token before", join(w, "second", newcomer("dev@shop.example", "U2")), identity.ErrBadInvitation)
		_, _, err = w.InvitedBy(ctx, hashOf("third"), start.Add(2*time.Hour))
		wants(t, "an expired invitation", err, identity.ErrBadInvitation)
		n, founder, err := w.InvitedBy(ctx, hashOf("third"), start)
		if err != nil || founder != owner || n.Role != merchant.RoleDeveloper {
			t.Errorf("InvitedBy = %+v, %+v, %v", n, founder, err)
		}
		dev, _, err := w.JoinTeam(ctx, hashOf("third"), newcomer("dev@shop.example", "U2"), start)
		w.must(err)
		wants(t, "twice", join(w, "third", dev), identity.ErrBadInvitation)
		wants(t, "a member", w.AddInvited(ctx, hashOf("x"),
			invitedTo(owner, "I3", "dev@shop.example", merchant.RoleViewer)), merchant.ErrIsMember)

		w.must(w.CreateSession(ctx, identity.Session{
			Token: hashOf("s"), UserID: dev.ID, CreatedAt: start,
			ExpiresAt: start.Add(time.Hour),
		}))
		wantsSeat(t, w, merchant.Membership{User: dev, Merchant: owner, Role: merchant.RoleDeveloper})
		w.must(w.SetRole(ctx, owner.ID, dev.ID, merchant.RoleViewer))
		wantsSeat(t, w, merchant.Membership{User: dev, Merchant: owner, Role: merchant.RoleViewer})
		wants(t, "their own merchant, which they have not", w.ChooseMerchant(ctx, hashOf("s"), dev.ID, dev.ID, start),
			merchant.ErrNoMerchant)
		w.must(w.RemoveMember(ctx, owner.ID, dev.ID))
		wantsSeat(t, w, merchant.Membership{User: dev})
		wants(t, "somebody who is out", w.SetRole(ctx, owner.ID, dev.ID, merchant.RoleOwner), merchant.ErrUnknownMember)
		wants(t, "somebody who is out", w.RemoveMember(ctx, owner.ID, dev.ID), merchant.ErrUnknownMember)
		wants(t, "the last owner leaves", w.RemoveMember(ctx, owner.ID, owner.ID), merchant.ErrLastOwner)
		wants(
			t, "the last owner steps down", w.SetRole(ctx, owner.ID, owner.ID, merchant.RoleViewer),
			merchant.ErrLastOwner,
		)
	})
}

func join(w *world, token string, u identity.User) error {
	_, _, err := w.JoinTeam(w.t.Context(), hashOf(token), u, start)
	return err
}

func wantsSeat(t *testing.T, w *world, want merchant.Membership) {
	t.Helper()
	seat, err := w.MembershipBySession(t.Context(), hashOf("s"), start)
	if err != nil || seat != want {
		t.Errorf("the session is of %+v, %v; want %+v", seat, err, want)
	}
}

// The merchant a user chose last is what the next session acts for.
func TestStore_ChooseMerchant(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, one := t.Context(), w.user()
		two, err := w.CreateUser(ctx, newcomer("two@shop.example", "U2"))
		w.must(err)
		w.must(w.AddInvited(ctx, hashOf("i"), invitedTo(one, "I1", two.Email, merchant.RoleSupport)))
		session := identity.Session{
			Token: hashOf("s"), UserID: two.ID, CreatedAt: start, ExpiresAt: start.Add(time.Hour),
		}
		w.must(w.CreateSession(ctx, session))
		_, _, err = w.JoinTeam(ctx, hashOf("i"), two, start)
		w.must(err)
		wantsSeat(t, w, merchant.Membership{User: two, Merchant: two, Role: merchant.RoleOwner})
		w.must(w.ChooseMerchant(ctx, hashOf("s"), two.ID, one.ID, start.Add(time.Minute)))
		wantsSeat(t, w, merchant.Membership{User: two, Merchant: one, Role: merchant.RoleSupport})
		session.Token = hashOf("next")
		w.must(w.CreateSession(ctx, session))
		seat, err := w.MembershipBySession(ctx, hashOf("next"), start)
		if err != nil || seat.Merchant != one {
			t.Errorf("the next session is of %+v, %v", seat, err)
		}
		seats, err := w.MembershipsOf(ctx, two)
		w.must(err)
		if len(seats) != 2 || seats[0].Merchant != two || seats[1].Role != merchant.RoleSupport {
			t.Errorf("the seats are %+v", seats)
		}
		members, err := w.Members(ctx, one.ID)
		w.must(err)
		if len(members) != 2 || members[0].User != one || members[1].Role != merchant.RoleSupport ||
			!members[1].Since.Equal(start) {
			t.Errorf("the members are %+v", members)
		}
	})
}

// Two owners who remove each other at once: one of them stays.
func TestStore_LastOwner_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, one := t.Context(), w.user()
		two, err := w.CreateUser(ctx, newcomer("two@shop.example", "U2"))
		w.must(err)
		w.must(w.AddInvited(ctx, hashOf("i"), invitedTo(one, "I1", two.Email, merchant.RoleOwner)))
		_, _, err = w.JoinTeam(ctx, hashOf("i"), two, start)
		w.must(err)
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i, id := range []int64{one.ID, two.ID} {
			wg.Go(func() { errs[i] = w.RemoveMember(ctx, one.ID, id) })
		}
		wg.Wait()
		members, err := w.Members(ctx, one.ID)
		w.must(err)
		if len(members) != 1 || errors.Is(errs[0], merchant.ErrLastOwner) == errors.Is(errs[1], merchant.ErrLastOwner) {
			t.Errorf("%d members are left; %v", len(members), errs)
		}
	})
}

func TestStore_TeamFull(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.user()
		for i := range merchant.MaxTeam - 1 {
			id := string(rune('a' + i))
			w.must(w.AddInvited(ctx, hashOf(id), invitedTo(u, id, id+"@shop.example", merchant.RoleViewer)))
		}
		wants(t, "one too many", w.AddInvited(
			ctx, hashOf("z!"), invitedTo(u, "z!", "z@else.example", merchant.RoleViewer),
		),
			merchant.ErrTeamFull)
		w.must(w.AddInvited(ctx, hashOf("again"), invitedTo(u, "again", "a@shop.example", merchant.RoleOwner)))
	})
}
