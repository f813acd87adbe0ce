package store

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
)

// pageActs are the store methods that only the dashboard calls and that leave
// lines, each ready to run, and none in the way of another.
func (w *world) pageActs() map[string]func(context.Context, ...audit.Entry) error {
	acts := w.entryActs()
	for _, more := range []map[string]func(context.Context, ...audit.Entry) error{w.teamActs(), w.shopActs()} {
		maps.Copy(acts, more)
	}
	return acts
}

// entryActs concern how somebody signs in.
func (w *world) entryActs() map[string]func(context.Context, ...audit.Entry) error {
	ctx := w.t.Context()
	u, guarded, pending, forgetful, closed := w.user(), w.user(), w.user(), w.user(), w.user()
	factor := func(u identity.User) identity.SecondFactor {
		return identity.SecondFactor{UserID: u.ID, Secret: secret.New("SECRET"), CreatedAt: start}
	}
	w.must(w.PutSecondFactor(ctx, factor(guarded)))
	w.must(w.ConfirmSecondFactor(ctx, factor(guarded), 5, []identity.Hash{hashOf("code")}, start))
	spare := w.user()
	w.must(w.PutSecondFactor(ctx, factor(spare)))
	w.must(w.ConfirmSecondFactor(ctx, factor(spare), 5, []identity.Hash{hashOf("spare")}, start))
	w.must(w.PutSecondFactor(ctx, factor(pending)))
	w.must(w.AddReset(ctx, hashOf("reset"), forgetful.ID, start, start.Add(time.Hour)))
	w.must(w.AddInvitation(ctx, hashOf("sign up"), "invited@example.org", u.ID, start, start.Add(time.Hour)))
	named, gone := passkeyOf(u.ID, "named"), passkeyOf(u.ID, "gone")
	w.must(w.AddPasskey(ctx, named))
	w.must(w.AddPasskey(ctx, gone))
	return map[string]func(context.Context, ...audit.Entry) error{
		"change the password": func(ctx context.Context, trail ...audit.Entry) error {
			return w.SetPassword(ctx, u.ID, "argon2id", "next", start, trail...)
		},
		"reset the password": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.UseReset(ctx, hashOf("reset"), "reset", start, trail...)
			return err
		},
		"turn the factor on": func(ctx context.Context, trail ...audit.Entry) error {
			return w.ConfirmSecondFactor(ctx, factor(pending), 5, nil, start, trail...)
		},
		"turn the factor off": func(ctx context.Context, trail ...audit.Entry) error {
			return w.RemoveSecondFactor(ctx, spare.ID, hashOf("here"), start, trail...)
		},
		"use a recovery code": func(ctx context.Context, trail ...audit.Entry) error {
			taken, err := w.TakeRecoveryCode(ctx, guarded.ID, hashOf("code"), start, trail...)
			if err == nil && !taken {
				w.t.Error("the recovery code was not taken")
			}
			return err
		},
		"create invited user": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.CreateInvited(ctx, hashOf("sign up"),
				identity.User{PublicID: string(newID()), Email: "invited@example.org", CreatedAt: start}, trail...)
			return err
		},
		"invite": func(ctx context.Context, trail ...audit.Entry) error {
			return w.AddInvitation(
				ctx, hashOf("another"), "else@example.org", u.ID, start, start.Add(time.Hour), trail...,
			)
		},
		"add a passkey": func(ctx context.Context, trail ...audit.Entry) error {
			return w.AddPasskey(ctx, passkeyOf(guarded.ID, "new"), trail...)
		},
		"rename a passkey": func(ctx context.Context, trail ...audit.Entry) error {
			return w.RenamePasskey(ctx, u.ID, named.ID, "Renamed", trail...)
		},
		"remove a passkey": func(ctx context.Context, trail ...audit.Entry) error {
			return w.RemovePasskey(ctx, u.ID, gone.ID, hashOf("here"), start, trail...)
		},
		"disable a user": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.DisableUser(ctx, closed.ID, start, trail...)
			return err
		},
		"check the ledger": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.AskLedgerCheck(ctx, "op@example.org", start, start, trail...)
			return err
		},
	}
}

// teamActs concern who belongs to a merchant.
func (w *world) teamActs() map[string]func(context.Context, ...audit.Entry) error {
	ctx, owner := w.t.Context(), w.user()
	invited := func(id, email string, token string) merchant.Invited {
		n := merchant.Invited{
			ID: id, MerchantID: owner.ID, Email: email, Role: merchant.RoleOwner, CreatedAt: start,
			ExpiresAt: start.Add(time.Hour),
		}
		if token != "" {
			w.must(w.AddInvited(ctx, hashOf(token), n))
		}
		return n
	}
	member := func(token string) identity.User {
		u := w.user()
		invited(token, u.Email, token)
		_, _, err := w.JoinTeam(ctx, hashOf(token), u, start)
		w.must(err)
		return u
	}
	promoted, removed, joining := member("promoted"), member("removed"), w.user()
	invited("joining", joining.Email, "joining")
	invited("new", "new.member@example.org", "new")
	invited("renewed", "renewed@example.org", "renewed")
	invited("revoked", "revoked@example.org", "revoked")
	return map[string]func(context.Context, ...audit.Entry) error{
		"invite a member": func(ctx context.Context, trail ...audit.Entry) error {
			return w.AddInvited(ctx, hashOf("fresh"), invited("fresh", "fresh@example.org", ""), trail...)
		},
		"renew an invitation": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.RenewInvited(ctx, owner.ID, "renewed", hashOf("again"), start.AddDate(1, 0, 0), trail...)
			return err
		},
		"revoke an invitation": func(ctx context.Context, trail ...audit.Entry) error {
			return w.RevokeInvited(ctx, owner.ID, "revoked", start, trail...)
		},
		"join": func(ctx context.Context, trail ...audit.Entry) error {
			_, _, err := w.JoinTeam(ctx, hashOf("joining"), joining, start, trail...)
			return err
		},
		"join as a new user": func(ctx context.Context, trail ...audit.Entry) error {
			_, _, err := w.JoinTeam(ctx, hashOf("new"), identity.User{
				PublicID: string(newID()),
				Email:    "new.member@example.org", CreatedAt: start,
			}, start, trail...)
			return err
		},
		"set a role": func(ctx context.Context, trail ...audit.Entry) error {
			return w.SetRole(ctx, owner.ID, promoted.ID, merchant.RoleViewer, trail...)
		},
		"remove a member": func(ctx context.Context, trail ...audit.Entry) error {
			return w.RemoveMember(ctx, owner.ID, removed.ID, trail...)
		},
	}
}

// shopActs concern what a merchant sells with.
func (w *world) shopActs() map[string]func(context.Context, ...audit.Entry) error {
	ctx, k := w.t.Context(), w.key(20, 5)
	revoked, disabled := w.key(1, 0), w.key(1, 0)
	w.custodian(k, "https://shop.example/hook")
	running, edited := w.campaign(k, "running"), w.campaign(k, "edited")
	gift := w.gift(running, "Mia")
	_, err := w.UpdatePayment(ctx, gift.ID, func(p payment.Payment) (payment.Change, error) {
		return p.MarkCompleted(payment.Actor{Name: "API key"}, start)
	})
	w.must(err)
	gifts, err := w.Donations(ctx, campaign.DonationQuery{Campaign: running.Number, Limit: 1})
	w.must(err)
	_, err = w.CreateLink(ctx, campaign.Link{Slug: "old", KeyID: k.ID, CreatedAt: start})
	w.must(err)
	for range 2 {
		p := w.payment(k)
		_, err = w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) { return p.Cancel(start) })
		w.must(err)
	}
	_, err = w.raw().Exec("UPDATE deliveries SET state = 'FAILED'")
	w.must(err)
	first := w.count("SELECT min(id) FROM deliveries")
	return map[string]func(context.Context, ...audit.Entry) error{
		"create a payment": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.CreatePayment(ctx, audited(payment.New(request(k), start), trail))
			return err
		},
		"rename a key": func(ctx context.Context, trail ...audit.Entry) error {
			return w.SetKeyLabel(ctx, k.UserID, k.ID, "Renamed", trail...)
		},
		"revoke a key": func(ctx context.Context, trail ...audit.Entry) error {
			return w.RevokeKey(ctx, revoked.UserID, revoked.ID, start, trail...)
		},
		"disable a key": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.DisableKey(ctx, disabled.ID, start, trail...)
			return err
		},
		"put a logo": func(ctx context.Context, trail ...audit.Entry) error {
			return w.PutLogo(ctx, k.ID, merchant.Logo{
				Hash: strings.Repeat("a", 64), Kind: "png", Picture: []byte{1},
			}, start,
				trail...)
		},
		"resend": func(ctx context.Context, trail ...audit.Entry) error {
			return w.Resend(ctx, []int64{k.ID}, first, start, trail...)
		},
		"create a link": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.CreateLink(ctx, campaign.Link{Slug: "new", KeyID: k.ID, CreatedAt: start}, trail...)
			return err
		},
		"pause a link": func(ctx context.Context, trail ...audit.Entry) error {
			return w.PauseLink(ctx, []int64{k.ID}, "old", true, trail...)
		},
		"create a campaign": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.CreateCampaign(ctx, campaign.Campaign{
				Slug: "new", KeyID: k.ID, Title: "New", State: campaign.Active,
				CreatedAt: start, UpdatedAt: start,
			}, trail...)
			return err
		},
		"change a campaign": func(ctx context.Context, trail ...audit.Entry) error {
			_, err := w.UpdateCampaign(ctx, []int64{
				k.ID,
			}, edited.Slug, func(c campaign.Campaign) (campaign.Campaign, error) {
				c.Title = "Renamed"
				return c, nil
			}, trail...)
			return err
		},
		"review a donation": func(ctx context.Context, trail ...audit.Entry) error {
			return w.ReviewDonation(ctx, running.Number, gifts[0].Number, campaign.Approved, trail...)
		},
	}
}
