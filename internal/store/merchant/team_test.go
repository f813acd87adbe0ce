package merchant_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
)

// newcomer is a user who is not stored.
func newcomer(email, id string) identity.User {
	return identity.User{PublicID: id, Email: email, PasswordHash: "x", CreatedAt: storetest.Start}
}

func invitedTo(u identity.User, id, email string, role merchant.Role) merchant.Invited {
	return merchant.Invited{
		ID: id, MerchantID: u.ID, Email: email, Role: role, By: u.Email, CreatedAt: storetest.Start,
		ExpiresAt: storetest.Start.Add(time.Hour),
	}
}

// A user is invited, joins, acts in their role, and loses it at once when removed.
func TestStore_Team(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, owner := t.Context(), w.NewUser()
		first := invitedTo(owner, "I1", "dev@shop.example", merchant.RoleViewer)
		w.Must(w.AddInvited(ctx, storetest.HashOf("first"), first, audit.Record{}))
		second := invitedTo(owner, "I2", "dev@shop.example", merchant.RoleDeveloper)
		w.Must(w.AddInvited(ctx, storetest.HashOf("second"), second, audit.Record{}))
		w.Run("Invitations", func(t *testing.T) {
			a, err := w.Account(ctx, merchant.By{ID: owner.ID})
			w.Must(err)
			second.Token = storetest.HashOf("second")
			if open := a.Invited; len(open) != 1 || open[0] != second {
				t.Fatalf("open invitations are %+v, want the newer one of the address", a.Invited)
			}
		})
		w.Run("NotTheInvitee", func(t *testing.T) {
			storetest.WantError(t, "an invitation that was replaced", join(
				w, "first", newcomer("dev@shop.example", "U2"),
			),
				identity.ErrBadInvitation)
			storetest.WantError(
				t, "another's address",
				join(w, "second", newcomer("else@shop.example", "U2")), identity.ErrBadInvitation,
			)
			storetest.WantError(t, "an address with an account", join(
				w, "second", identity.User{PublicID: "U2", Email: owner.Email},
			),
				identity.ErrBadInvitation)
		})
		w.Run("AnotherMerchant", func(t *testing.T) {
			err := w.ChangeInvited(ctx, owner.ID+1, "I2", audit.Record{}, func(n *merchant.Invited) {
				n.EndedAt = storetest.Start
			})
			storetest.WantError(t, "another merchant's invitation", err, merchant.ErrUnknownInvited)
		})
		w.Run("Renew", func(t *testing.T) {
			third := storetest.HashOf("third")
			w.Must(w.ChangeInvited(ctx, owner.ID, "I2", audit.Record{}, func(n *merchant.Invited) {
				n.Token, n.ExpiresAt = third, storetest.Start.Add(2*time.Hour)
			}))
			storetest.WantError(
				t, "the token before", join(w, "second", newcomer("dev@shop.example", "U2")), identity.ErrBadInvitation,
			)
			a, err := w.Account(ctx, merchant.By{Token: third})
			w.Must(err)
			_, err = a.InvitedBy(third, storetest.Start.Add(2*time.Hour))
			storetest.WantError(t, "an expired invitation", err, identity.ErrBadInvitation)
			n, err := a.InvitedBy(third, storetest.Start)
			if err != nil || a.Founder != owner || n.Role != merchant.RoleDeveloper {
				t.Errorf("InvitedBy = %+v, %+v, %v", n, a.Founder, err)
			}
		})
		dev, err := w.JoinTeam(ctx, storetest.HashOf("third"), newcomer("dev@shop.example", "U2"), storetest.Start,
			audit.Record{})
		w.Must(err)
		w.Run("JoinOnce", func(t *testing.T) {
			storetest.WantError(t, "twice", join(w, "third", dev), identity.ErrBadInvitation)
			storetest.WantError(t, "a member", w.AddInvited(ctx, storetest.HashOf("x"),
				invitedTo(owner, "I3", "dev@shop.example", merchant.RoleViewer), audit.Record{}), merchant.ErrIsMember)
		})
		w.Run("Roles", func(t *testing.T) {
			w.Must(w.CreateSession(ctx, identity.Session{
				Token: storetest.HashOf("s"), UserID: dev.ID, CreatedAt: storetest.Start,
				ExpiresAt: storetest.Start.Add(time.Hour),
			}, audit.Record{}))
			wantMembership(t, w, merchant.Membership{User: dev, Merchant: owner, Role: merchant.RoleDeveloper})
			w.Must(w.SetRole(ctx, owner.ID, dev.ID, merchant.RoleViewer, audit.Record{}))
			wantMembership(t, w, merchant.Membership{User: dev, Merchant: owner, Role: merchant.RoleViewer})
			storetest.WantError(t, "their own merchant, which they have not", w.ChooseMerchant(ctx, storetest.HashOf("s"), dev.ID, dev.ID, storetest.Start),
				merchant.ErrNoMerchant)
		})
		w.Run("RemoveMember", func(t *testing.T) {
			w.Must(w.RemoveMember(ctx, owner.ID, dev.ID, audit.Record{}))
			wantMembership(t, w, merchant.Membership{User: dev})
			storetest.WantError(
				t, "a removed member",
				w.SetRole(ctx, owner.ID, dev.ID, merchant.RoleOwner, audit.Record{}), merchant.ErrUnknownMember,
			)
			storetest.WantError(
				t, "a removed member", w.RemoveMember(ctx, owner.ID, dev.ID, audit.Record{}), merchant.ErrUnknownMember,
			)
		})
		w.Run("LastOwner", func(t *testing.T) {
			storetest.WantError(
				t, "the last owner leaves", w.RemoveMember(ctx, owner.ID, owner.ID,
					audit.Record{}), merchant.ErrLastOwner,
			)
			storetest.WantError(
				t, "the last owner steps down", w.SetRole(ctx, owner.ID, owner.ID, merchant.RoleViewer, audit.Record{}),
				merchant.ErrLastOwner,
			)
		})
	})
}

func join(w *world, token string, u identity.User) error {
	_, err := w.JoinTeam(w.T.Context(), storetest.HashOf(token), u, storetest.Start, audit.Record{})
	return err
}

func wantMembership(t *testing.T, w *world, want merchant.Membership) {
	t.Helper()
	membership, err := w.MembershipBySession(t.Context(), storetest.HashOf("s"), storetest.Start)
	if err != nil || membership != want {
		t.Errorf("the session is of %+v, %v; want %+v", membership, err, want)
	}
}

// The merchant a user chose last is what the next session acts for.
func TestStore_ChooseMerchant(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, one := t.Context(), w.NewUser()
		two, err := w.CreateUser(ctx, newcomer("two@shop.example", "U2"), audit.Record{})
		w.Must(err)
		w.Must(w.AddInvited(ctx, storetest.HashOf("i"), invitedTo(one, "I1", two.Email, merchant.RoleSupport),
			audit.Record{}))
		session := identity.Session{
			Token: storetest.HashOf("s"), UserID: two.ID,
			CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Hour),
		}
		w.Must(w.CreateSession(ctx, session, audit.Record{}))
		w.MustDo(w.JoinTeam(ctx, storetest.HashOf("i"), two, storetest.Start, audit.Record{}))
		wantMembership(t, w, merchant.Membership{User: two, Merchant: two, Role: merchant.RoleOwner})
		w.Must(w.ChooseMerchant(ctx, storetest.HashOf("s"), two.ID, one.ID, storetest.Start.Add(time.Minute)))
		wantMembership(t, w, merchant.Membership{User: two, Merchant: one, Role: merchant.RoleSupport})
		session.Token = storetest.HashOf("next")
		w.Must(w.CreateSession(ctx, session, audit.Record{}))
		membership, err := w.MembershipBySession(ctx, storetest.HashOf("next"), storetest.Start)
		if err != nil || membership.Merchant != one {
			t.Errorf("the next session is of %+v, %v", membership, err)
		}
		list, err := w.MembershipsOf(ctx, two)
		w.Must(err)
		if len(list) != 2 || list[0].Merchant != two || list[1].Role != merchant.RoleSupport {
			t.Errorf("they are %+v", list)
		}
		members, err := w.Members(ctx, one.ID)
		w.Must(err)
		if len(members) != 2 || members[0].User != one || members[1].Role != merchant.RoleSupport ||
			!members[1].Since.Equal(storetest.Start) {
			t.Errorf("the members are %+v", members)
		}
	})
}

// Two owners who remove each other at once: one of them stays.
func TestStore_LastOwner_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, one := t.Context(), w.NewUser()
		two, err := w.CreateUser(ctx, newcomer("two@shop.example", "U2"), audit.Record{})
		w.Must(err)
		w.Must(w.AddInvited(ctx, storetest.HashOf("i"), invitedTo(one, "I1", two.Email, merchant.RoleOwner),
			audit.Record{}))
		w.MustDo(w.JoinTeam(ctx, storetest.HashOf("i"), two, storetest.Start, audit.Record{}))
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i, id := range []int64{one.ID, two.ID} {
			wg.Go(func() { errs[i] = w.RemoveMember(ctx, one.ID, id, audit.Record{}) })
		}
		wg.Wait()
		members, err := w.Members(ctx, one.ID)
		w.Must(err)
		if len(members) != 1 || errors.Is(errs[0], merchant.ErrLastOwner) == errors.Is(errs[1], merchant.ErrLastOwner) {
			t.Errorf("%d members are left; %v", len(members), errs)
		}
	})
}

func TestStore_TeamFull(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		for i := range merchant.MaxTeam - 1 {
			id := string(rune('a' + i))
			w.Must(w.AddInvited(ctx, storetest.HashOf(id), invitedTo(u, id, id+"@shop.example", merchant.RoleViewer),
				audit.Record{}))
		}
		storetest.WantError(t, "one too many", w.AddInvited(
			ctx, storetest.HashOf("z!"), invitedTo(u, "z!", "z@else.example", merchant.RoleViewer),
			audit.Record{},
		),
			merchant.ErrTeamFull)
		w.Must(
			w.AddInvited(ctx, storetest.HashOf("again"), invitedTo(u, "again", "a@shop.example", merchant.RoleOwner),
				audit.Record{}),
		)
	})
}
