package store_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// outbox is a world whose mails are sent.
type outbox struct{ *storetest.World }

// onOutbox runs the test on each kind of database.
func onOutbox(t *testing.T, test func(t *testing.T, w *outbox)) {
	t.Helper()
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, w *storetest.World) {
		t.Helper()
		test(t, &outbox{w})
	})
}

func letter(id, to string) mail.Mail {
	return mail.Mail{
		ID: id, Kind: mail.Plain, To: to, Subject: "Subject of " + id, Text: secret.New("text-canary of " + id),
		At: storetest.Start,
	}
}

func (w *outbox) add(mails ...mail.Mail) {
	w.T.Helper()
	w.Must(w.Mails().Add(w.T.Context(), mails...))
}

// claim holds what is due at now, and returns the ids of the mails.
func (w *outbox) claim(holder string, now time.Time) (list []webhook.Delivery) {
	w.T.Helper()
	list, err := webhook.ClaimDue(w.T.Context(), w.Mails(), holder, now, now.Add(webhook.Lease), 100, 100)
	w.Must(err)
	return list
}

func (w *outbox) settle(holder string, d webhook.Delivery, state webhook.State, at time.Time) {
	w.T.Helper()
	w.Must(w.Mails().Settle(w.T.Context(), holder, webhook.Outcome{
		DeliveryID: d.ID, State: state, Attempt: webhook.Attempt{At: at}, NextAt: at.Add(time.Minute),
	}))
}

func ids(list []webhook.Delivery) string {
	var texts []string
	for _, d := range list {
		texts = append(texts, d.EventID)
	}
	return strings.Join(texts, " ")
}

// TestStore_Owners: every owner has a mail of their own, and no other member has one.
func TestOutbox_Owners(t *testing.T) {
	onOutbox(t, func(t *testing.T, w *outbox) {
		ctx, owner, second, viewer := t.Context(), w.NewUser(), w.NewUser(), w.NewUser()
		for u, role := range map[string]merchant.Role{
			second.Email: merchant.RoleOwner,
			viewer.Email: merchant.RoleViewer,
		} {
			w.Must(w.AddInvited(ctx, storetest.HashOf(u), merchant.Invited{
				ID: u, MerchantID: owner.ID, Email: u, Role: role, By: owner.Email, CreatedAt: storetest.Start,
				ExpiresAt: storetest.Start.Add(time.Hour),
			}, audit.Record{}))
		}
		for _, u := range []int{0, 1} {
			member := second
			if u == 1 {
				member = viewer
			}
			w.MustDo(w.JoinTeam(ctx, storetest.HashOf(member.Email), member, storetest.Start, audit.Record{}))
		}
		m := letter("m", "")
		m.Owners = owner.ID
		w.add(m)
		w.add(m) // as an attempt that is made again
		var to []string
		for _, d := range w.claim("one", storetest.Start) {
			got, err := w.Mails().Mail(ctx, d.ID)
			w.Must(err)
			to = append(to, got.To)
			if got.Text.Reveal() != m.Text.Reveal() || got.Subject != m.Subject || !got.At.Equal(m.At) {
				t.Errorf("it is %+v", got)
			}
		}
		storetest.Same(t, "receivers", strings.Join(to, " "), owner.Email+" "+second.Email)
	})
}

// TestStore_Secret: no text is stored in the clear, and none longer than it is needed.
func TestOutbox_Secret(t *testing.T) {
	onOutbox(t, func(t *testing.T, w *outbox) {
		w.add(letter("sent", "ada@example.com"), letter("stopped", "ada@example.com"),
			letter("failed", "ada@example.com"),
			letter("waits", "ada@example.com"))
		storetest.Same(t, "texts in the clear",
			w.Count("SELECT count(*) FROM mails WHERE text LIKE '%canary%' OR text = ''"), 0)
		states := map[string]webhook.State{
			"sent": webhook.Delivered, "stopped": webhook.Stopped, "failed": webhook.Failed, "waits": webhook.Waiting,
		}
		for _, d := range w.claim("one", storetest.Start) {
			w.settle("one", d, states[d.EventID], storetest.Start)
		}
		storetest.Same(t, "texts left", w.Count("SELECT count(*) FROM mails WHERE text <> ''"), 1)
		again := w.claim("one", storetest.Start.Add(time.Minute))
		storetest.Same(t, "what is sent again", ids(again), "waits")
		storetest.Same(t, "attempts made", again[0].Attempt, 1)
		w.settle("one", again[0], webhook.Delivered, storetest.Start.AddDate(0, 0, 31))
		storetest.Same(t, "mails a month later", w.Count("SELECT count(*) FROM mails"), 1)
	})
}

// TestStore_Lease: a mail has one holder at a time, and one whose lease has run out writes nothing.
func TestOutbox_Lease(t *testing.T) {
	onOutbox(t, func(t *testing.T, w *outbox) {
		w.add(letter("a", "ada@example.com"))
		var held [8][]webhook.Delivery
		for n, err := range storetest.AtOnce(8, func(n int) (err error) {
			held[n], err = webhook.ClaimDue(t.Context(), w.Mails(), strconv.Itoa(n), storetest.Start,
				storetest.Start.Add(webhook.Lease), 9, 9)
			return err
		}) {
			w.Must(err)
			if n > 0 {
				held[0] = append(held[0], held[n]...)
			}
		}
		storetest.Same(t, "claimed at once", ids(held[0]), "a")
		if at, ok, err := w.Mails().NextDue(t.Context(), storetest.Start); ok || err != nil {
			t.Errorf("while it is held the next is due at %v, %v", at, err)
		}
		later := storetest.Start.Add(webhook.Lease)
		if at, ok, err := w.Mails().NextDue(t.Context(), later); !ok || err != nil || !at.Equal(later) {
			t.Errorf("after the lease the next is due at %v, %t, %v", at, ok, err)
		}
		again := w.claim("late", later)
		storetest.Same(t, "claimed after the lease", ids(again), "a")
		w.settle("0", again[0], webhook.Delivered, later)
		storetest.Same(t, "mails that wait", w.Count("SELECT count(*) FROM mails WHERE state = 'WAITING'"), 1)
		w.settle("late", again[0], webhook.Delivered, later)
		storetest.Same(t, "mails that wait in the end", w.Count("SELECT count(*) FROM mails WHERE state = 'WAITING'"),
			0)
	})
}

// TestStore_Thread: what belongs together leaves in order, and holds up nothing else.
func TestOutbox_Thread(t *testing.T) {
	onOutbox(t, func(t *testing.T, w *outbox) {
		begins, over, other := letter("begins", "ops@example.com"), letter("over", "ops@example.com"), letter("other",
			"ops@example.com")
		begins.Thread, over.Thread, other.Thread = "alert/a", "alert/a", "alert/b"
		hook := begins
		hook.ID, hook.Kind, hook.To = "hook", mail.Hook, ""
		w.add(begins, over, other, hook)
		first := w.claim("one", storetest.Start)
		for _, d := range first {
			state := webhook.Delivered
			if d.EventID == "begins" {
				state = webhook.Waiting
			}
			w.settle("one", d, state, storetest.Start)
		}
		storetest.Same(t, "first", len(first), 3)
		storetest.Same(t, "while the first of the thread waits", ids(w.claim("one", storetest.Start)), "")
		again := w.claim("one", storetest.Start.Add(time.Minute))
		storetest.Same(t, "again", ids(again), "begins")
		w.settle("one", again[0], webhook.Failed, storetest.Start.Add(time.Minute))
		storetest.Same(t, "when it was given up", ids(w.claim("one", storetest.Start.Add(time.Minute))), "over")
	})
}

// TestStore_Allowed: a stranger can have three mails an hour sent to an address. The answer for a mail stays the same.
func TestOutbox_Allowed(t *testing.T) {
	onOutbox(t, func(t *testing.T, w *outbox) {
		at := storetest.Start
		asked := func(to string) bool {
			m := letter(strconv.FormatInt(w.Count("SELECT count(*) FROM mails"), 10), to)
			m.Kind, m.At, m.Subject = mail.Asked, at, "Asked"
			w.add(m)
			list := w.claim("one", at)
			if len(list) != 1 {
				t.Fatalf("claimed %+v", list)
			}
			for range 2 {
				ok, err := w.Mails().Allowed(t.Context(), list[0].ID)
				w.Must(err)
				w.settle("one", list[0], map[bool]webhook.State{true: webhook.Delivered, false: webhook.Stopped}[ok],
					at)
				again, err := w.Mails().Allowed(t.Context(), list[0].ID)
				w.Must(err)
				storetest.Same(t, "asked again", again, ok)
			}
			return w.Count("SELECT count(*) FROM mails WHERE state = 'STOPPED' AND id = "+strconv.FormatInt(list[0].ID, 10)) == 0
		}
		w.add(letter("plain", "ada@example.com")) // counts for nothing
		w.settle("one", w.claim("one", at)[0], webhook.Delivered, at)
		for range 3 {
			if !asked("ada@example.com") {
				t.Error("one of three is not sent")
			}
		}
		if asked("ada@example.com") || !asked("eve@example.com") {
			t.Error("a fourth mail is sent, or none to another address")
		}
		at = at.Add(time.Hour)
		sent := 0
		for range 4 {
			if asked("ada@example.com") {
				sent++
			}
		}
		storetest.Same(t, "sent of four an hour later", sent, 3)
	})
}

// TestMail_Allowed: beside the three an hour of a kind, each neighbourhood has one link to a new password.
func TestMail_Allowed(t *testing.T) {
	t.Parallel()
	attacked := []mail.Mail{{Near: "a"}, {Near: "b"}, {Near: "a"}}
	for _, row := range []struct {
		m    mail.Mail
		want bool
	}{
		{mail.Mail{Kind: mail.Asked, Near: "c"}, false},
		{mail.Mail{Kind: mail.Reset, Near: "c"}, true},
		{mail.Mail{Kind: mail.Reset, Near: "a"}, false},
		{mail.Mail{Kind: mail.Reset}, false},
	} {
		if row.m.Allowed(attacked) != row.want || !row.m.Allowed(attacked[1:]) {
			t.Errorf("%+v is allowed: %t", row.m, !row.want)
		}
	}
}
