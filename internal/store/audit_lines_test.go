package store

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/credit"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/recharge"
)

// No act is without its lines, and no lines are without their act: both are in
// one transaction. A line that cannot be stored, here because it is about
// nobody there is, takes the act with it.
func TestStore_ActsLeaveLines(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for name, act := range w.acts() {
			line := account.Audit{At: start, Actor: "ada@example.org", Action: account.Action(name), Subject: name, Detail: "detail"}
			before := w.everything()
			lost := line
			lost.UserID = 1 << 40
			if err := act(account.WithLines(t.Context(), line, lost)); err == nil {
				t.Errorf("%s happened without one of its lines", name)
			}
			if after := w.everything(); !slices.Equal(before, after) {
				t.Errorf("%s left %v, where %v was", name, after, before)
			}
			if line.UserID = 1; name == "create user" || name == "sign in" {
				line.UserID = 0
			}
			w.must(act(account.WithLines(t.Context(), line, line)))
			if got := w.count("SELECT count(*) FROM audit_log WHERE subject = '" + name + "' AND user_id > 0"); got != 2 {
				t.Errorf("%s left %d lines, want 2", name, got)
			}
			if slices.Equal(before, w.everything()) {
				t.Errorf("%s changed nothing", name)
			}
		}
	})
}

// everything counts what acts change.
func (w *world) everything() []int64 {
	w.t.Helper()
	var all []int64
	for _, text := range []string{
		"SELECT count(*) FROM audit_log", "SELECT count(*) FROM users", "SELECT count(*) FROM sessions", "SELECT count(*) FROM sessions WHERE revoked_at IS NULL",
		"SELECT count(*) FROM api_keys", "SELECT count(*) FROM ledger_entries", "SELECT count(*) FROM custodians",
		"SELECT count(*) FROM custodians WHERE name = 'Renamed'", "SELECT count(*) FROM recharges", "SELECT count(*) FROM payments WHERE status = 'COMPLETED'",
		"SELECT count(*) FROM payments", "SELECT count(*) FROM events",
	} {
		all = append(all, w.count(text))
	}
	return all
}

// acts are the store methods that leave lines, each ready to run.
func (w *world) acts() map[string]func(context.Context) error {
	k, bare, u := w.key(5, 5), w.key(0, 0), w.user()
	w.custodian(k, "")
	p := w.payment(k)
	session := func(name string) account.Session {
		return account.Session{Token: hashOf(name), UserID: u.ID, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
	}
	w.must(w.CreateSession(w.t.Context(), session("old")))
	newKey := account.Key{PublicID: string(newID()), UserID: u.ID, Hash: hashOf("new key"), CreatedAt: start}
	pay := func(ref string) []credit.Entry {
		return []credit.Entry{credit.Spend(k.ID, credit.Credit, credit.ReasonOperation, ref, start)}
	}
	return map[string]func(context.Context) error{
		"create user": func(ctx context.Context) error {
			_, err := w.CreateUser(ctx, account.User{PublicID: string(newID()), Email: "new@example.org", CreatedAt: start})
			return err
		},
		"sign in":  func(ctx context.Context) error { return w.CreateSession(ctx, session("new")) },
		"sign out": func(ctx context.Context) error { return w.RevokeSession(ctx, hashOf("old"), start) },
		"create key": func(ctx context.Context) error {
			_, err := w.CreateKeyWithin(ctx, newKey, func(int64) []credit.Entry { return nil })
			return err
		},
		"replace key": func(ctx context.Context) error {
			_, err := w.RotateKey(ctx, account.Replacement{KeyID: k.ID, Old: k.Hash, Next: hashOf("next"), Now: start, Entries: pay("rotate")})
			return err
		},
		"create custodian": func(ctx context.Context) error {
			_, err := w.CreateCustodian(ctx, account.Custodian{PublicID: string(newID()), KeyID: bare.ID, CreatedAt: start, UpdatedAt: start}, nil)
			return err
		},
		"change custodian": func(ctx context.Context) error {
			_, err := w.UpdateCustodian(ctx, k.ID, pay("update"), func(c account.Custodian) (account.Custodian, error) {
				c.Name = "Renamed"
				return c, nil
			})
			return err
		},
		"mark completed": func(ctx context.Context) error {
			_, err := w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, start)
			})
			return err
		},
		"top up": func(ctx context.Context) error {
			r := request(k)
			r.Kind = payment.KindTopUp
			_, err := w.CreatePayment(ctx, payment.New(r, start))
			return err
		},
		"recharge": func(ctx context.Context) error {
			return w.CreateRecharge(ctx, recharge.Recharge{
				ID: recharge.ID(newID()), KeyID: k.ID, Units: 1, State: recharge.Signed, CreatedAt: start, LookAt: start,
				Transfer: recharge.Transfer{
					Asset: chain.Asset{Network: chain.BEP20, Contract: "0x55d398326f99059fF775485246999027B3197955", Symbol: "USDT", Decimals: 18, Token: money.USDT},
					From:  "0x52908400098527886E0F7030069857D2E4169EE7", To: "0x8617E340B3D01FA5F11F306F4090FD50E238070D", Amount: money.UnitsFromUint64(5),
				},
				Bytes: recharge.Bytes{Tx: "0x01", Raw: []byte{1}},
			})
		},
	}
}
