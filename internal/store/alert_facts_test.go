package store_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/storetest"
)

func (i *installation) stored() alert.Stored {
	i.T.Helper()
	s, err := i.Reports().Alerts(i.T.Context(), i.clock(), money.USD/20)
	i.Must(err)
	return s
}

// TestFacts_Webhooks: a callback is dead from the first webhook that was given up until a later one arrives.
func TestFacts_Webhooks(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		key := i.NewKey(9, 9)
		i.NewCustodian(key, "https://shop.example:8443/hook?token=canary")
		insert := func(state string) {
			p := i.NewPayment(key)
			i.exec(`INSERT INTO events (payment_id, seq, type, at, data) SELECT id, 99, 'payment.expired', created_at, $2
				FROM payments WHERE public_id = $1`, string(p.ID), []byte("{}"))
			i.exec(`INSERT INTO deliveries (payment_id, seq, custodian_id, type, receiver, state, attempt, due_at) SELECT p.id, 99, c.id,
				'payment.expired', 7, '`+state+`', 3, p.created_at FROM payments AS p JOIN custodians AS c ON c.key_id = p.key_id WHERE p.public_id = $1`,
				string(p.ID))
		}
		insert("DELIVERED")
		if dead := i.stored().Receivers; len(dead) > 0 {
			t.Errorf("a callback that works is dead: %+v", dead)
		}
		insert("FAILED")
		insert("STOPPED")
		want := alert.Receiver{Shop: "Shop", Key: key.PublicID, Merchant: key.Email, Host: "shop.example:8443", Failed: 2}
		if dead := i.stored().Receivers; len(dead) != 1 || dead[0] != want {
			t.Errorf("dead callbacks are %+v, want %+v", dead, want)
		}
		insert("DELIVERED")
		if dead := i.stored().Receivers; len(dead) > 0 {
			t.Errorf("after a webhook has arrived: %+v", dead)
		}
	})
}

// TestFacts_Certificates: a certificate counts from two weeks before its end until another is seen, or its host is no
// callback any more.
func TestFacts_Certificates(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		key := i.NewKey(9, 9)
		i.NewCustodian(key, "https://shop.example/hook")
		seen := alert.NewCertificates()
		m := i.instance("one", func(o *alert.MonitorOptions) { o.Certificates = seen })
		end := i.clock().Add(20 * 24 * time.Hour)
		seen.Note("shop.example", end)
		seen.Note("other.example", end) // no callback
		i.Must(i.Store.Alerts().SaveCertificates(t.Context(), []alert.Certificate{
			{Host: "gone.example", ExpiresAt: end},
		},
			i.clock(), i.clock()))
		i.round(m)
		storetest.Same(t, "three weeks before", len(i.stored().Expiring), 0)
		i.pass(7 * 24 * time.Hour)
		i.round(m)
		const expires = "ops@example.com: [Florin] The certificate of shop.example expires"
		i.wants("two weeks before", expires)
		seen.Note("shop.example", end.Add(90*24*time.Hour))
		for range 8 {
			i.round(m)
			i.pass(10 * time.Minute)
		}
		i.wants("renewed", expires, "ops@example.com: [Florin] Over: The certificate of shop.example expires")
		i.pass(70 * 24 * time.Hour)
		seen.Note("new.example", end.Add(900*24*time.Hour))
		i.round(m)
		storetest.Same(t, "hosts after months", i.Count("SELECT count(*) FROM callback_certificates WHERE host = 'gone.example'"), 0)
	})
}

// TestFacts_SetAside: payments that cannot be read are counted by network, with the reason of the oldest.
func TestFacts_SetAside(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		key := i.NewKey(9, 9)
		for n, reason := range []string{"two endpoints disagree", "a log cannot be read"} {
			i.Must(i.SaveSetAside(t.Context(), watch.SetAside{
				Network: chain.Polygon, PaymentID: i.NewPayment(key).ID, From: 1, Reason: reason, Attempts: 1,
				Since: i.clock().Add(time.Duration(n) * time.Minute), NextAt: i.clock(),
			}))
		}
		want := alert.SetAside{Network: chain.Polygon, Payments: 2, Since: i.clock(), Reason: "two endpoints disagree"}
		if got := i.stored().SetAside; len(got) != 1 || got[0] != want {
			t.Errorf("set aside %+v, want %+v", got, want)
		}
	})
}

// TestFacts_Reorged: a reorg counts until the merchant has resolved it; one of a top-up, for a week.
func TestFacts_Reorged(t *testing.T) {
	onEachInstallation(t, func(t *testing.T, i *installation) {
		key := i.NewKey(9, 9)
		p := i.NewStarted(key)
		i.exec("UPDATE payments SET reorged = TRUE, status = 'COMPLETED', ended_at = created_at, attention = 'REORGED' WHERE public_id = $1",
			string(p.ID))
		got := i.stored().Reorged
		if len(got) != 1 || got[0].ID != p.ID || got[0].Merchant != key.Email || got[0].Network != p.Choice.Network {
			t.Fatalf("reorged %+v", got)
		}
		i.exec("UPDATE payments SET attention = '' WHERE public_id = $1", string(p.ID))
		storetest.Same(t, "resolved", len(i.stored().Reorged), 0)
		i.exec("UPDATE payments SET kind = 'TOPUP' WHERE public_id = $1", string(p.ID))
		storetest.Same(t, "of a top-up", len(i.stored().Reorged), 1)
		i.pass(8 * 24 * time.Hour)
		storetest.Same(t, "of a top-up, a week later", len(i.stored().Reorged), 0)
	})
}
