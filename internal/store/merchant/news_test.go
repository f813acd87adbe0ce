package merchant_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// sell completes a payment of the key, with the reference.
func (w *lowWorld) sell(reference string) {
	w.T.Helper()
	p := w.NewStarted(w.key)
	w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
		p.Reference = reference
		t := storetest.Transfer(p, "0x"+reference, p.Amount, 13)
		return storetest.Observe(13, t)(p)
	})
	w.now = storetest.Start.Add(time.Hour)
}

// account changes the merchant's account.
func (w *lowWorld) account(decide func(merchant.Account) (merchant.Change, error)) {
	w.T.Helper()
	w.MustDo(w.Merchant().UpdateAccount(w.T.Context(), w.key.UserID, 0, decide))
}

// TestStore_News: who wants news of payments has one mail of each, and nobody else; of what nobody wants nothing is
// stored.
func TestStore_News(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, 50)
		l.sell("first")
		storetest.Same(t, "rows that nobody wants", l.Count("SELECT count(*) FROM mails WHERE kind = 'PAID'"), 0)
		set := func(news merchant.News) {
			l.account(func(a merchant.Account) (merchant.Change, error) {
				return a.SetNews(l.key.UserID, news, audit.Record{})
			})
		}
		set(merchant.NewsOf([]mail.Wish{mail.WishPaid}))
		l.sell("second")
		l.mailed("paid", 1)
		if m := l.post.mails[0]; !strings.Contains(m, "Paid: $12.50 · second") || !strings.Contains(m, "https://pay.example/dashboard/payments/") {
			t.Errorf("the mail is\n%s", m)
		}
		l.spend(l.left() - 1)
		l.mailed("credits that were turned off", 1)
		set(merchant.NewsOf(nil))
		l.sell("third")
		l.mailed("all turned off", 1)
		got, err := l.Merchant().Account(t.Context(), merchant.By{ID: l.key.UserID})
		l.Must(err)
		storetest.Same(t, "wishes", len(got.Members[0].Wishes()), 0)
	})
}

// left is the key's balance of credits.
func (w *lowWorld) left() int64 {
	w.T.Helper()
	b, err := w.Merchant().Balance(w.T.Context(), w.key.ID)
	w.Must(err)
	return b.Credits
}

// TestStore_Chat: news are posted once, to the address that is stored, with or without a mail server.
func TestStore_Chat(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, 50)
		l.server = nil
		hook := merchant.Chat{URL: secret.New("https://chat.example/canary"), News: merchant.NewsOf([]mail.Wish{mail.WishPaid})}
		save := func(c merchant.Chat) {
			l.account(func(a merchant.Account) (merchant.Change, error) {
				a.Chat = c
				return merchant.Change{Account: a}, nil
			})
		}
		save(hook)
		storetest.Same(t, "addresses in the clear", l.Count("SELECT count(*) FROM chats WHERE url LIKE '%canary%'"), 0)
		a, err := l.Merchant().Account(t.Context(), merchant.By{ID: l.key.UserID})
		l.Must(err)
		storetest.Same(t, "address", a.Chat.URL.Reveal(), hook.URL.Reveal())
		l.sell("one")
		l.send()
		storetest.Same(t, "posts", len(l.posts), 1)
		if got := l.posts[0]; !strings.HasPrefix(got, "https://chat.example/canary\n{\"text\":\"Paid: $12.50 · one\\n\\nAmount: ") {
			t.Errorf("posted %s", got)
		}
		save(merchant.Chat{})
		l.sell("two")
		l.send()
		storetest.Same(t, "posts to an address that was taken away", len(l.posts), 1)
	})
}

// TestStore_Summarize: each merchant has one mail about a day with sales, whatever instances ask for it.
func TestStore_Summarize(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, 50)
		l.sell("a")
		l.sell("b")
		w.NewKey(5, 5) // of a merchant that sold nothing
		day := storetest.Start.Truncate(24 * time.Hour)
		midnights := []time.Time{day, day.AddDate(0, 0, 1), day.AddDate(0, 0, 1), day.AddDate(0, 0, 2)}
		for i, midnight := range midnights {
			holder := []string{"one", "two"}[i%2]
			letter := func(d merchant.Daily) mail.Mail { return d.Summary(midnight, "https://pay.example") }
			l.Must(l.Summarize(t.Context(), holder, midnight, midnight.Add(time.Hour), letter))
		}
		l.now = day.AddDate(0, 0, 3)
		l.mailed("summaries", 1)
		if m := l.post.mails[0]; !strings.Contains(m, "Your day: 2 payments, $") {
			t.Errorf("the mail is\n%s", m)
		}
	})
}

// TestMail_Wished: an owner is notified of everything but each sale, others of nothing, until they choose.
func TestMail_Wished(t *testing.T) {
	t.Parallel()
	owner, viewer := merchant.Member{Role: merchant.RoleOwner}, merchant.Member{Role: merchant.RoleViewer}
	if got := owner.Wishes(); slices.Contains(got, mail.WishPaid) || len(got) != 3 {
		t.Errorf("an owner is notified of %v", got)
	}
	if got := viewer.Wishes(); len(got) != 0 {
		t.Errorf("a viewer is notified of %v", got)
	}
	viewer.News = merchant.NewsOf([]mail.Wish{mail.WishSummary, "nonsense"})
	if got := viewer.Wishes(); !slices.Equal(got, []mail.Wish{mail.WishSummary}) {
		t.Errorf("a viewer who chose is notified of %v", got)
	}
}

// customer writes no mail to customers.
func customer(_ context.Context, m mail.Mail) (mail.Mail, bool, error) { return m, false, nil }

// chat takes what is posted.
func (w *lowWorld) chat(_ context.Context, m mail.Mail) webhook.Result {
	w.posts = append(w.posts, m.Text.Reveal())
	return webhook.Result{Attempt: webhook.Attempt{At: w.now, URL: "https://chat.example", Status: 200}}
}

// TestStore_Chat_Unreadable: an address that was sealed with a key that is gone holds up neither the account nor its
// mails.
func TestStore_Chat_Unreadable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		l := newLowWorld(t, w, 50)
		news := merchant.NewsOf([]mail.Wish{mail.WishPaid})
		l.account(func(a merchant.Account) (merchant.Change, error) {
			a.Chat = merchant.Chat{URL: secret.New("https://chat.example/hook"), News: news}
			return a.SetNews(l.key.UserID, news, audit.Record{})
		})
		w.MustDo(w.SQL().ExecContext(t.Context(), "UPDATE chats SET url = 'sealed by another key'"))
		l.sell("first")
		l.mailed("paid", 1)
		a, err := w.Merchant().Account(t.Context(), merchant.By{ID: l.key.UserID})
		w.Must(err)
		if !a.Chat.URL.Empty() {
			t.Error("the address is read")
		}
	})
}
