package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestStore_AuditIsAtomic: an act and its audit entries are in one transaction. An entry that cannot be stored, here
// because its user does not exist, undoes the act.
func TestStore_AuditIsAtomic(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) { w.checkAudited(w.acts()) })
}

func TestStore_AuditIsAtomic_Pages(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) { w.checkAudited(w.pageActs()) })
}

// makers are the acts that set the user of their audit entries themselves.
var makers = []string{"create user", "create invited user", "join as a new user", "sign in", "reset the password"}

// mailless are the acts that no mail is about.
var mailless = []string{"create a payment", "mark completed", "top up", "recharge"}

func (w *world) checkAudited(acts map[string]func(context.Context, audit.Record) error) {
	t := w.T
	for name, act := range acts {
		entry := audit.Entry{At: storetest.Start, Actor: "ada@example.org", Action: audit.Action(name), Subject: name, Detail: "detail"}
		before := w.everything()
		lost := entry
		lost.UserID = 1 << 40
		letter := mail.Mail{
			ID: name, Kind: mail.Plain, To: "ada@example.org", Text: secret.New("text"),
			At: storetest.Start,
		}
		r := audit.Record{Entries: []audit.Entry{entry, lost}, Mails: []mail.Mail{letter}}
		if err := act(t.Context(), r); err == nil {
			t.Errorf("%s happened without one of its audit entries", name)
		}
		if after := w.everything(); !slices.Equal(before, after) {
			t.Errorf("%s left %v, where %v was", name, after, before)
		}
		if entry.UserID = 1; slices.Contains(makers, name) {
			entry.UserID = 0
		}
		r.Entries = []audit.Entry{entry, entry}
		w.Must(act(t.Context(), r))
		if got := w.Count("SELECT count(*) FROM audit_log WHERE subject = '" + name + "' AND user_id > 0"); got != 2 {
			t.Errorf("%s left %d audit entries, want 2", name, got)
		}
		if got := w.Count("SELECT count(*) FROM mails WHERE message_id = '" + name + "'"); got != 1 && !slices.Contains(mailless, name) {
			t.Errorf("%s left %d mails, want 1", name, got)
		}
		if after := w.everything(); slices.Equal(before[2:], after[2:]) {
			t.Errorf("%s changed nothing", name)
		}
	}
}

// audited returns the change with the entries that record it.
func audited(c payment.Change, r audit.Record) payment.Change {
	c.Audit = r.Entries
	return c
}

// TestStore_AuditEntries: an act that changes nothing leaves no audit entry, and details that only the act knows are in
// its entry.
func TestStore_AuditEntries(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		u, k := w.NewUser(), w.NewKey(5, 5)
		w.NewCustodian(k, "https://shop.example/hook")
		p := w.NewPayment(k)
		w.Run("UnknownSession", func(t *testing.T) {
			w.wantAudited(u.ID, "an unknown session", func(ctx context.Context, r audit.Record) error {
				return w.RevokeSession(ctx, storetest.HashOf("unknown"), storetest.Start, r)
			})
		})
		w.Run("EnabledAlready", func(t *testing.T) {
			w.wantAudited(u.ID, "enabling an enabled user", func(ctx context.Context, r audit.Record) error {
				return errorOf(w.DisableUser(ctx, u.ID, time.Time{}, r))
			})
		})
		w.Run("NoFailedWebhook", func(t *testing.T) {
			w.wantAudited(u.ID, "no failed webhook", func(ctx context.Context, r audit.Record) error {
				return errorOf(w.ResendFailed(ctx, k.ID, storetest.Start, storetest.Start, r))
			})
		})
		w.Run("OneFailedWebhook", func(t *testing.T) {
			w.wantAudited(u.ID, "one failed webhook", func(ctx context.Context, r audit.Record) error {
				w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
					return p.Cancel(storetest.Start)
				})
				w.MustDo(w.SQL().Exec("UPDATE deliveries SET state = 'FAILED'"))
				_, err := w.ResendFailed(ctx, k.ID, storetest.Start, storetest.Start, r)
				return err
			}, "||1")
		})
		w.Run("WrongRecoveryCode", func(t *testing.T) {
			w.wantAudited(u.ID, "a wrong recovery code", func(ctx context.Context, r audit.Record) error {
				return errorOf(w.TakeRecoveryCode(ctx, u.ID, storetest.HashOf("none"), storetest.Start, r))
			})
		})
		w.Run("PasswordReset", func(t *testing.T) {
			w.wantAudited(u.ID, "a reset", func(ctx context.Context, r audit.Record) error {
				w.Must(
					w.AddReset(
						t.Context(), storetest.HashOf("reset"), u.ID, storetest.Start, storetest.Start.Add(time.Hour),
						audit.Record{},
					),
				)
				_, err := w.UseReset(ctx, storetest.HashOf("reset"), "next", false, storetest.Start, r)
				return err
			}, u.Email+"||")
		})
		w.Run("Campaign", func(t *testing.T) {
			w.wantAudited(u.ID, "a campaign", func(ctx context.Context, r audit.Record) error {
				_, err := w.CreateCampaign(ctx, campaign.Campaign{
					Slug: "well", KeyID: k.ID, Title: "A well",
					State: campaign.Active, CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
				}, r)
				return err
			}, "|well|A well")
		})
		w.Run("Payment", func(t *testing.T) {
			w.wantAudited(u.ID, "a payment", func(ctx context.Context, r audit.Record) error {
				_, err := w.CreatePayment(ctx, audited(payment.New(payment.Request{
					ID: "01J0000000000000000000000A", KeyID: k.ID,
					Kind: payment.KindMerchant, Amount: 1, ValidFor: time.Hour,
				}, storetest.Start), r))
				return err
			}, "|01J0000000000000000000000A|")
			again := func(ctx context.Context, r audit.Record) error {
				return errorOf(w.CreatePayment(ctx, audited(payment.New(payment.Request{
					ID: "01J0000000000000000000000A", KeyID: k.ID,
					Kind: payment.KindMerchant, Amount: 1, ValidFor: time.Hour,
				}, storetest.Start), r)))
			}
			w.wantAudited(u.ID, "the same payment again", again)
		})
		w.Run("OpenedAndCancelled", func(t *testing.T) {
			w.wantAudited(u.ID, "opened and cancelled", func(ctx context.Context, r audit.Record) error {
				const id = "01J0000000000000000000000B"
				made := payment.New(payment.Request{
					ID: id, KeyID: k.ID, Kind: payment.KindMerchant, Amount: 1,
					ValidFor: time.Hour,
				}, storetest.Start)
				_, err := w.OpenPayment(ctx, audited(made, r), func(p payment.Payment) (payment.Change, error) {
					c, err := p.Cancel(storetest.Start)
					return audited(c, r), err
				})
				return err
			}, "|01J0000000000000000000000B|", "||")
		})
		w.Run("BeforeAndAfter", func(t *testing.T) {
			_, err := w.UpdateCustodian(t.Context(), k.ID, nil,
				func(c merchant.Custodian) (merchant.CustodianChange, error) {
					entry := audit.Entry{
						UserID: u.ID, At: storetest.Start, Action: "renamed", Subject: "shop",
						Detail: c.Name + " → Renamed",
					}
					c.Name = "Renamed"
					r := audit.Record{Entries: []audit.Entry{entry}}
					return merchant.CustodianChange{Custodian: c, Record: r}, nil
				})
			w.Must(err)
			if n := w.Count("SELECT count(*) FROM audit_log WHERE action = 'renamed' AND detail = 'Shop → Renamed'"); n != 1 {
				t.Errorf("%d audit entries have the name before the change, want 1", n)
			}
		})
	})
}

// wantAudited runs the act with an audit entry of the user, and checks "actor|subject|detail" of what is stored for it.
func (w *world) wantAudited(userID int64, what string, act func(context.Context, audit.Record) error, want ...string) {
	w.T.Helper()
	w.Must(act(w.T.Context(),
		audit.Record{Entries: []audit.Entry{{UserID: userID, At: storetest.Start, Action: audit.Action(what)}}}))
	var got []string
	w.Must(w.DB().Reader().NewRaw("SELECT actor || '|' || subject || '|' || detail FROM audit_log WHERE action = ?",
		what).Scan(w.T.Context(), &got))
	if !slices.Equal(got, want) {
		w.T.Errorf("%s: the audit entries are %q, want %q", what, got, want)
	}
}

// everything counts what acts change.
func (w *world) everything() []int64 {
	w.T.Helper()
	var all []int64
	for _, text := range []string{
		"SELECT count(*) FROM audit_log", "SELECT count(*) FROM mails",
		"SELECT count(*) FROM users", "SELECT count(*) FROM sessions",
		"SELECT count(*) FROM sessions WHERE revoked_at IS NULL",
		"SELECT count(*) FROM api_keys", "SELECT count(*) FROM ledger_entries", "SELECT count(*) FROM custodians",
		"SELECT count(*) FROM custodians WHERE name = 'Renamed'", "SELECT count(*) FROM recharges",
		"SELECT count(*) FROM payments WHERE status = 'COMPLETED'",
		"SELECT count(*) FROM payments", "SELECT count(*) FROM events",
		"SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND disabled_at IS NULL AND label <> 'Renamed'",
		"SELECT count(*) FROM api_keys WHERE currency = ''", "SELECT count(*) FROM users WHERE disabled_at IS NULL", "SELECT count(*) FROM users WHERE password_hash = 'next'",
		"SELECT count(*) FROM users WHERE password_hash = 'reset'",
		"SELECT count(*) FROM second_factors", "SELECT count(*) FROM second_factors WHERE confirmed_at IS NOT NULL",
		"SELECT count(*) FROM recovery_codes WHERE used_at IS NULL",
		"SELECT count(*) FROM invitations", "SELECT count(*) FROM team_invitations WHERE expires_at = (SELECT max(expires_at) FROM team_invitations)", "SELECT count(*) FROM team_invitations WHERE ended_at IS NULL",
		"SELECT count(*) FROM memberships", "SELECT count(*) FROM memberships WHERE role = 'owner'",
		"SELECT count(*) FROM passkeys", "SELECT count(*) FROM passkeys WHERE name = 'Renamed'",
		"SELECT count(*) FROM deliveries WHERE state = 'FAILED'", "SELECT count(*) FROM ledger_checks",
		"SELECT count(*) FROM links", "SELECT count(*) FROM links WHERE paused",
		"SELECT count(*) FROM campaigns", "SELECT count(*) FROM campaigns WHERE title = 'Renamed'",
		"SELECT count(*) FROM donations WHERE review = 'APPROVED'", "SELECT count(*) FROM logos",
	} {
		all = append(all, w.Count(text))
	}
	return all
}

// acts are the store methods that store audit entries, each ready to run.
func (w *world) acts() map[string]func(context.Context, audit.Record) error {
	k, bare, u := w.NewKey(5, 5), w.NewKey(0, 0), w.NewUser()
	w.NewCustodian(k, "")
	p := w.NewPayment(k)
	session := func(name string) identity.Session {
		return identity.Session{
			Token: storetest.HashOf(name), UserID: u.ID, CreatedAt: storetest.Start,
			ExpiresAt: storetest.Start.Add(time.Hour),
		}
	}
	w.Must(w.CreateSession(w.T.Context(), session("old"), audit.Record{}))
	newKey := merchant.Key{
		Permissions: merchant.AllPermissions(),
		PublicID:    string(storetest.NewID()), UserID: u.ID, Hash: storetest.HashOf("new key"),
		CreatedAt: storetest.Start,
	}
	pay := func(ref string) []ledger.Entry {
		return []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, storetest.Start)}
	}
	return map[string]func(context.Context, audit.Record) error{
		"create user": func(ctx context.Context, r audit.Record) error {
			_, err := w.CreateUser(ctx, identity.User{
				PublicID: string(storetest.NewID()), Email: "new@example.org", CreatedAt: storetest.Start,
			},
				r)
			return err
		},
		"sign in": func(ctx context.Context, r audit.Record) error {
			return w.CreateSession(ctx, session("new"), r)
		},
		"sign out": func(ctx context.Context, r audit.Record) error {
			return w.RevokeSession(ctx, storetest.HashOf("old"), storetest.Start, r)
		},
		"create key": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.CreateKeyWithin(ctx, newKey, func(_, _ int64) []ledger.Entry { return nil }, nil, r))
		},
		"replace key": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.RotateKey(ctx, merchant.Replacement{
				Most:  merchant.AllPermissions(),
				KeyID: k.ID, Old: k.Hash, Next: storetest.HashOf("next"),
				Entries: pay("rotate"), Record: r,
			}))
		},
		"create custodian": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.CreateCustodian(ctx, merchant.Custodian{
				PublicID: string(storetest.NewID()), KeyID: bare.ID, CreatedAt: storetest.Start,
				UpdatedAt: storetest.Start,
			}, nil, r))
		},
		"change custodian": func(ctx context.Context, r audit.Record) error {
			rename := func(c merchant.Custodian) (merchant.CustodianChange, error) {
				c.Name = "Renamed"
				return merchant.CustodianChange{Custodian: c, Record: r}, nil
			}
			return errorOf(w.UpdateCustodian(ctx, k.ID, pay("update"), rename))
		},
		"mark completed": func(ctx context.Context, r audit.Record) error {
			return errorOf(w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
				c, err := p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
				return audited(c, r), err
			}))
		},
		"top up": func(ctx context.Context, r audit.Record) error {
			q := storetest.Request(k)
			q.Kind = payment.KindTopUp
			return errorOf(w.CreatePayment(ctx, audited(payment.New(q, storetest.Start), r)))
		},
		"recharge": func(ctx context.Context, r audit.Record) error {
			return w.CreateRecharge(ctx, recharge.Recharge{
				ID:    recharge.ID(storetest.NewID()),
				KeyID: k.ID, Units: 1, State: recharge.Signed, CreatedAt: storetest.Start, LookAt: storetest.Start,
				Transfer: chain.TokenTransfer{
					Asset: chain.Asset{
						Network: chain.BEP20, Contract: "0x55d398326f99059fF775485246999027B3197955", Symbol: "USDT",
						Decimals: 18, Token: money.USDT,
					},
					From: "0x52908400098527886E0F7030069857D2E4169EE7", To: "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
					Amount: money.UnitsFromUint64(5),
				},
				Bytes: chain.SignedTx{Tx: "0x01", Raw: []byte{1}},
			}, audit.Record{Entries: r.Entries})
		},
	}
}
