package store_test

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// pageActs are the store methods that only the dashboard calls and that leave
// lines, each ready to run, and none in the way of another.
func (w *world) pageActs() map[string]func(context.Context, audit.Record) error {
	acts := w.entryActs()
	for _, more := range []map[string]func(context.Context, audit.Record) error{w.teamActs(), w.shopActs()} {
		maps.Copy(acts, more)
	}
	return acts
}

// entryActs concern how a user signs in.
func (w *world) entryActs() map[string]func(context.Context, audit.Record) error {
	ctx := w.T.Context()
	u, guarded, pending, forgetful, closed := w.NewUser(), w.NewUser(), w.NewUser(), w.NewUser(), w.NewUser()
	factor := func(u identity.User) identity.SecondFactor {
		return identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECRET"), CreatedAt: storetest.Start}
	}
	w.Must(w.PutSecondFactor(ctx, factor(guarded)))
	w.Must(w.ConfirmSecondFactor(ctx, factor(guarded), 5, []identity.Hash{storetest.HashOf("code")}, storetest.Start,
		audit.Record{}))
	spare := w.NewUser()
	w.Must(w.PutSecondFactor(ctx, factor(spare)))
	w.Must(w.ConfirmSecondFactor(ctx, factor(spare), 5, []identity.Hash{storetest.HashOf("spare")}, storetest.Start,
		audit.Record{}))
	w.Must(w.PutSecondFactor(ctx, factor(pending)))
	w.Must(w.AddReset(ctx, storetest.HashOf("reset"), forgetful.ID, storetest.Start, storetest.Start.Add(time.Hour),
		audit.Record{}))
	w.Must(
		w.AddInvitation(
			ctx, storetest.HashOf("sign up"), "invited@example.org", u.ID, storetest.Start,
			storetest.Start.Add(time.Hour),
			audit.Record{},
		),
	)
	named, gone := storetest.NewPasskey(u.ID, "named"), storetest.NewPasskey(u.ID, "gone")
	w.Must(w.AddPasskey(ctx, named, identity.Hash{}, audit.Record{}))
	w.Must(w.AddPasskey(ctx, gone, identity.Hash{}, audit.Record{}))
	return map[string]func(context.Context, audit.Record) error{
		"change the password": func(ctx context.Context, r audit.Record) error {
			return w.SetPassword(ctx, u.ID, "argon2id", "next", storetest.Start, r)
		},
		"reset the password": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.UseReset(ctx, storetest.HashOf("reset"), "reset", false, storetest.Start, r))
		},
		"turn the factor on": func(ctx context.Context, r audit.Record) error {
			return w.ConfirmSecondFactor(ctx, factor(pending), 5, nil, storetest.Start, r)
		},
		"turn the factor off": func(ctx context.Context, r audit.Record) error {
			return w.RemoveSecondFactor(ctx, spare.ID, storetest.HashOf("here"), storetest.Start, r)
		},
		"use a recovery code": func(ctx context.Context, r audit.Record) error {
			taken, err := w.TakeRecoveryCode(ctx, guarded.ID, storetest.HashOf("code"), storetest.Start, r)
			if err == nil && !taken {
				w.T.Error("the recovery code was not taken")
			}
			return err
		},
		"create invited user": func(ctx context.Context, r audit.Record) error {
			_, err := w.CreateInvited(ctx, storetest.HashOf("sign up"),
				identity.User{
					PublicID: string(storetest.NewID()), Email: "invited@example.org", CreatedAt: storetest.Start,
				}, r)
			return err
		},
		"invite": func(ctx context.Context, r audit.Record) error {
			return w.AddInvitation(
				ctx, storetest.HashOf("another"), "else@example.org", u.ID,
				storetest.Start, storetest.Start.Add(time.Hour), r,
			)
		},
		"add a passkey": func(ctx context.Context, r audit.Record) error {
			return w.AddPasskey(ctx, storetest.NewPasskey(guarded.ID, "new"), identity.Hash{}, r)
		},
		"rename a passkey": func(ctx context.Context, r audit.Record) error {
			return w.RenamePasskey(ctx, u.ID, named.ID, "Renamed", r)
		},
		"remove a passkey": func(ctx context.Context, r audit.Record) error {
			return w.RemovePasskey(ctx, u.ID, gone.ID, storetest.HashOf("here"), storetest.Start, r)
		},
		"disable a user": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.DisableUser(ctx, closed.ID, storetest.Start, r))
		},
		"check the ledger": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.AskLedgerCheck(ctx, "op@example.org", storetest.Start, storetest.Start, r))
		},
	}
}

// teamActs concern who belongs to a merchant.
func (w *world) teamActs() map[string]func(context.Context, audit.Record) error {
	ctx, owner := w.T.Context(), w.NewUser()
	invited := func(id, email string, token string) merchant.Invited {
		n := merchant.Invited{
			ID: id, MerchantID: owner.ID, Email: email, Role: merchant.RoleOwner, By: owner.Email,
			CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Hour),
		}
		if token != "" {
			w.Must(w.AddInvited(ctx, storetest.HashOf(token), n, audit.Record{}))
		}
		return n
	}
	member := func(token string) identity.User {
		u := w.NewUser()
		invited(token, u.Email, token)
		w.MustDo(w.JoinTeam(ctx, storetest.HashOf(token), u, storetest.Start, audit.Record{}))
		return u
	}
	promoted, removed, joining := member("promoted"), member("removed"), w.NewUser()
	invited("joining", joining.Email, "joining")
	invited("new", "new.member@example.org", "new")
	invited("renewed", "renewed@example.org", "renewed")
	invited("revoked", "revoked@example.org", "revoked")
	return map[string]func(context.Context, audit.Record) error{
		"invite a member": func(ctx context.Context, r audit.Record) error {
			return w.AddInvited(ctx, storetest.HashOf("fresh"), invited("fresh", "fresh@example.org", ""), r)
		},
		"renew an invitation": func(ctx context.Context, r audit.Record) error {
			return w.ChangeInvited(ctx, owner.ID, "renewed", r, func(n *merchant.Invited) {
				n.ExpiresAt = storetest.Start.AddDate(1, 0, 0)
			})
		},
		"revoke an invitation": func(ctx context.Context, r audit.Record) error {
			return w.ChangeInvited(ctx, owner.ID, "revoked", r, func(n *merchant.Invited) {
				n.EndedAt = storetest.Start
			})
		},
		"join": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.JoinTeam(ctx, storetest.HashOf("joining"), joining, storetest.Start, r))
		},
		"join as a new user": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.JoinTeam(ctx, storetest.HashOf("new"), identity.User{
				PublicID: string(storetest.NewID()),
				Email:    "new.member@example.org", CreatedAt: storetest.Start,
			}, storetest.Start, r))
		},
		"set a role": func(ctx context.Context, r audit.Record) error {
			return w.SetRole(ctx, owner.ID, promoted.ID, merchant.RoleViewer, r)
		},
		"remove a member": func(ctx context.Context, r audit.Record) error {
			return w.RemoveMember(ctx, owner.ID, removed.ID, r)
		},
	}
}

// shopActs concern what a merchant sells with.
func (w *world) shopActs() map[string]func(context.Context, audit.Record) error {
	ctx, k := w.T.Context(), w.NewKey(20, 5)
	revoked, disabled := w.NewKey(1, 0), w.NewKey(1, 0)
	w.NewCustodian(k, "https://shop.example/hook")
	running, edited := w.campaign(k, "running"), w.campaign(k, "edited")
	gift := w.gift(running, "Mia")
	w.MustDo(w.UpdatePayment(ctx, gift.ID, func(p payment.Payment) (payment.Change, error) {
		return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
	}))
	gifts, err := w.Donations(ctx, campaign.DonationQuery{Campaign: running.Number, Limit: 1})
	w.Must(err)
	w.MustDo(w.CreateLink(ctx, campaign.Link{Slug: "old", KeyID: k.ID, CreatedAt: storetest.Start}, audit.Record{}))
	for range 2 {
		p := w.NewPayment(k)
		w.MustDo(w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Cancel(storetest.Start)
		}))
	}
	w.MustDo(w.SQL().Exec("UPDATE deliveries SET state = 'FAILED'"))
	first := w.Count("SELECT min(id) FROM deliveries")
	return map[string]func(context.Context, audit.Record) error{
		"create a payment": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.CreatePayment(ctx, audited(payment.New(storetest.Request(k), storetest.Start), r)))
		},
		"rename a key": func(ctx context.Context, r audit.Record) error {
			return w.ChangeKey(ctx, k.UserID, k.ID, r, func(k *merchant.Key) { k.Label = "Renamed" })
		},
		"set the currency of a key": func(ctx context.Context, r audit.Record) error {
			return w.ChangeKey(ctx, k.UserID, k.ID, r, func(k *merchant.Key) { k.Currency = "EUR" })
		},
		"revoke a key": func(ctx context.Context, r audit.Record) error {
			return w.RevokeKey(ctx, revoked.UserID, revoked.ID, storetest.Start, r)
		},
		"disable a key": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.DisableKey(ctx, disabled.ID, storetest.Start, r))
		},
		"put a logo": func(ctx context.Context, r audit.Record) error {
			return w.PutLogo(ctx, k.ID, merchant.Logo{
				Hash: strings.Repeat("a", 64), Kind: "png", Picture: []byte{1},
			}, storetest.Start,
				r)
		},
		"resend": func(ctx context.Context, r audit.Record) error {
			return w.Resend(ctx, []int64{k.ID}, first, storetest.Start, r)
		},
		"create a link": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.CreateLink(ctx, campaign.Link{Slug: "new", KeyID: k.ID, CreatedAt: storetest.Start}, r))
		},
		"pause a link": func(ctx context.Context, r audit.Record) error {
			return w.UpdateLink(ctx, []int64{k.ID}, "old", pauseLink, r)
		},
		"create a campaign": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.CreateCampaign(ctx, campaign.Campaign{
				Slug: "new", KeyID: k.ID, Title: "New", State: campaign.Active,
				CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
			}, r))
		},
		"change a campaign": func(ctx context.Context, r audit.Record) error {
			_, err := w.UpdateCampaign(ctx, []int64{
				k.ID,
			}, edited.Slug, func(c campaign.Campaign) (campaign.Campaign, error) {
				c.Title = "Renamed"
				return c, nil
			}, r)
			return err
		},
		"review a donation": func(ctx context.Context, r audit.Record) error {
			return w.ReviewDonation(ctx, running.Number, gifts[0].Number, campaign.Approved, r)
		},
	}
}
