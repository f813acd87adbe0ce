package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// campaign makes a campaign of the key.
func (w *world) campaign(k merchant.Key, slug string) campaign.Campaign {
	w.T.Helper()
	c, err := campaign.New(campaign.Draft{
		Slug: slug, Title: "Ein Dach für Mia 🐈", Description: "Zeile ? 'eins'\n\n\"zwei\"", Goal: "1000",
		Suggested: []string{"5", "2.50"},
		EndsAt:    storetest.Start.Add(24 * time.Hour),
	}, k.ID, storetest.Start)
	w.Must(err)
	c, err = w.CreateCampaign(w.T.Context(), c, audit.Record{})
	w.Must(err)
	return c
}

// gift opens a donation of 12.50 on Polygon.
func (w *world) gift(c campaign.Campaign, name string) payment.Payment {
	w.T.Helper()
	p, err := w.OpenPayment(w.T.Context(), payment.New(giftRequest(c, name), storetest.Start),
		storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
	w.Must(err)
	return p
}

func giftRequest(c campaign.Campaign, name string) payment.Request {
	r := storetest.Request(merchant.Key{ID: c.KeyID})
	r.Kind, r.CampaignID = payment.KindDonation, c.Number
	r.Details.DonorName, r.Terms = name, payment.Terms{}
	return r
}

func TestStore_Campaign(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(30, 0), w.NewKey(30, 0)
		c := w.campaign(k, "winter")
		read, totals, err := w.Campaign(t.Context(), "winter")
		w.Must(err)
		storetest.Same(t, "read", read, c)
		storetest.Same(t, "totals", totals, campaign.Totals{})
		_, err = w.CreateCampaign(t.Context(), campaign.Campaign{
			Slug: "winter", KeyID: other.ID, Title: "x",
			State: campaign.Active, CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
		}, audit.Record{})
		storetest.WantError(t, "the same slug", err, campaign.ErrTaken)
		_, _, err = w.Campaign(t.Context(), "summer")
		storetest.WantError(t, "another slug", err, campaign.ErrUnknown)
		_, _, err = w.Campaign(t.Context(), "win\x00ter")
		storetest.WantError(t, "a slug with NUL", err, campaign.ErrUnknown)

		pause := func(c campaign.Campaign) (campaign.Campaign, error) {
			return c.Pause(storetest.Start.Add(time.Minute))
		}
		_, err = w.UpdateCampaign(t.Context(), []int64{other.ID}, "winter", pause, audit.Record{})
		storetest.WantError(t, "another's campaign", err, campaign.ErrUnknown)
		_, err = w.UpdateCampaign(t.Context(), nil, "winter", pause, audit.Record{})
		storetest.WantError(t, "no keys", err, campaign.ErrUnknown)
		paused, err := w.UpdateCampaign(t.Context(), []int64{other.ID, k.ID}, "winter", pause, audit.Record{})
		w.Must(err)
		read, _, err = w.Campaign(t.Context(), "winter")
		w.Must(err)
		storetest.Same(t, "after the update", read, paused)
		_, err = w.UpdateCampaign(t.Context(), []int64{k.ID}, "winter", pause, audit.Record{})
		storetest.WantError(t, "pausing twice", err, campaign.ErrPaused)

		second := w.campaign(k, "second")
		list, err := w.Campaigns(t.Context(), []int64{k.ID})
		w.Must(err)
		if len(list) != 2 || list[0].Number != second.Number || list[1].State != campaign.Paused {
			t.Errorf("the list is %+v", list)
		}
		w.Must(w.RevokeKey(t.Context(), k.UserID, k.ID, storetest.Start, audit.Record{}))
		read, _, err = w.Campaign(t.Context(), "winter")
		w.Must(err)
		if !read.KeyRevoked {
			t.Error("a revoked key is not reported")
		}
	})
}

// Only money that the chain holds for completed donations counts, and each of
// it stands in the list with its transaction.
func TestStore_Donations(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(20, 5)
		c, other := w.campaign(k, "winter"), w.campaign(k, "second")
		totals := func() campaign.Totals {
			t.Helper()
			_, totals, err := w.Campaign(t.Context(), "winter")
			w.Must(err)
			return totals
		}
		list := func(q campaign.DonationQuery) []campaign.Donation {
			t.Helper()
			q.Campaign = c.Number
			if q.Limit == 0 {
				q.Limit = 10
			}
			all, err := w.Donations(t.Context(), q)
			w.Must(err)
			return all
		}
		open := w.gift(c, "Ada")
		w.Run("NotCompleted", func(t *testing.T) {
			seen := w.gift(c, "Seen only")
			w.Update(seen.ID, storetest.Observe(0, storetest.Transfer(seen, "0x01", 50*money.USD, 9)))
			short := w.gift(c, "Short")
			w.Update(short.ID, storetest.Observe(9, storetest.Transfer(short, "0x02", 3*money.USD, 9)))
			storetest.Same(t, "before any is completed", totals(), campaign.Totals{})
		})
		over := storetest.Transfer(open, "0x03", 20*money.USD, 9)
		w.Run("Completed", func(t *testing.T) {
			for range 2 {
				w.Update(open.ID, storetest.Observe(9, over))
			}
			storetest.Same(t, "one completed, with more than was asked for", totals(),
				campaign.Totals{Raised: 20 * money.USD, Donors: 1, Waiting: 1})
		})
		byHand := w.gift(c, "")
		w.Run("CompletedByHand", func(t *testing.T) {
			w.Update(byHand.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
			})
			w.gift(other, "Elsewhere")
			storetest.Same(
				t, "completed by hand, without money", totals(),
				campaign.Totals{Raised: 20 * money.USD, Donors: 1, Waiting: 1},
			)
			w.Update(byHand.ID, storetest.Observe(9, storetest.Transfer(byHand, "0x04", 2*money.USD, 9)))
			storetest.Same(
				t, "money that came later", totals(), campaign.Totals{Raised: 22 * money.USD, Donors: 2, Waiting: 1},
			)
		})
		proven := list(campaign.DonationQuery{Proven: true})
		w.Run("List", func(t *testing.T) {
			if len(proven) != 2 || proven[1].Hash != "0x03" || proven[1].Received != 20*money.USD || proven[1].Name != "Ada" ||
				proven[1].Review != campaign.Waiting || proven[0].Review != campaign.Approved ||
				proven[1].At.IsZero() ||
				proven[0].Hash != "0x04" || proven[0].Network != chain.Polygon {
				t.Errorf("the list is %+v", proven)
			}
		})
		w.Run("Review", func(t *testing.T) {
			w.Must(w.ReviewDonation(t.Context(), c.Number, proven[1].Number, campaign.Hidden, audit.Record{}))
			err := w.ReviewDonation(t.Context(), other.Number, proven[1].Number, campaign.Approved, audit.Record{})
			storetest.WantError(t, "another campaign's donation", err, campaign.ErrUnknownGift)
			w.Update(open.ID, storetest.Observe(9, over, storetest.Transfer(open, "0x05", 1*money.USD, 9)))
			if got := list(campaign.DonationQuery{Review: campaign.Hidden}); len(got) != 1 ||
				got[0].Received != 21*money.USD {
				t.Errorf("after more money the review is gone: %+v", got)
			}
		})
		w.Run("Pages", func(t *testing.T) {
			if got := list(campaign.DonationQuery{Limit: 1, Before: proven[0].Number}); len(got) != 1 ||
				got[0].Number != proven[1].Number {
				t.Errorf("the second page is %+v", got)
			}
		})
	})
}

// A payment that cannot be started is not there.
func TestStore_OpenPayment(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(11, 0)
		c := w.campaign(k, "winter")
		r := giftRequest(c, "Ada")
		p, err := w.OpenPayment(
			t.Context(), payment.New(r, storetest.Start), storetest.StartOn(chain.Polygon, money.USDC, storetest.Start),
		)
		w.Must(err)
		read := w.Stored(p.ID)
		storetest.Same(t, "read", read, p)
		if p.Status != payment.Started || p.Seq != 2 || len(p.Routes) != 1 {
			t.Errorf("opened as %+v", p)
		}
		again, err := w.OpenPayment(
			t.Context(), payment.New(r, storetest.Start), storetest.StartOn(chain.Polygon, money.USDC, storetest.Start),
		)
		w.Must(err)
		storetest.Same(t, "opened again", again, p)

		before := w.Count("SELECT count(*) FROM payments")
		_, err = w.OpenPayment(t.Context(), payment.New(giftRequest(c, "Eve"), storetest.Start),
			storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
		storetest.WantError(t, "into the reserve", err, ledger.ErrReserve)
		bad := giftRequest(c, "a\x00b")
		_, err = w.OpenPayment(
			t.Context(), payment.New(bad, storetest.Start),
			storetest.StartOn(chain.Polygon, money.USDC, storetest.Start),
		)
		storetest.WantInvalid(t, "a name with NUL", err)
		if n := w.Count("SELECT count(*) FROM payments"); n != before {
			t.Errorf("%d payments were left behind", n-before)
		}
		w.CheckLedger()
	})
}

func TestStore_Waiting(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(30, 0)
		c := w.campaign(k, "winter")
		first, second := w.gift(c, "Ada"), w.gift(c, "Eve")
		w.gift(w.campaign(k, "summer"), "Bob")
		waiting := func(most, want int) (list []payment.Waiting) {
			t.Helper()
			list, err := w.Waiting(t.Context(), k.ID, most)
			w.Must(err)
			if len(list) != want {
				t.Fatalf("%d of at most %d wait, want %d", len(list), most, want)
			}
			return list
		}
		waiting(2, 2)
		want := payment.Waiting{
			ID: first.ID, CampaignID: c.Number, StartedAt: first.StartedAt, ExpiresAt: first.ExpiresAt,
			AttendedAt: first.StartedAt, Held: true,
		}
		storetest.Same(t, "the first", waiting(9, 3)[0], want)
		unattended := func(before time.Time, want ...payment.ID) {
			t.Helper()
			ids, err := w.Unattended(t.Context(), before, 9)
			w.Must(err)
			if !slices.Equal(ids, want) {
				t.Errorf("%v hold a credit and are not looked at, want %v", ids, want)
			}
		}
		open := storetest.Start.Add(time.Minute)
		w.Must(w.Attended(t.Context(), []payment.ID{first.ID, second.ID}, open))
		if got := waiting(9, 3)[0].AttendedAt; !got.Equal(open) {
			t.Errorf("its page was open at %s, want %s", got, open)
		}
		w.Update(first.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Unhold(storetest.Start), nil
		})
		unattended(open.Add(-time.Second), waiting(9, 3)[2].ID)
		w.Update(second.ID, func(p payment.Payment) (payment.Change, error) {
			return p.GiveWay(storetest.Start), nil
		})
		waiting(9, 2)
		unattended(open.Add(time.Second), waiting(9, 2)[1].ID)
		w.CheckLedger()
	})
}

func pauseLink(l campaign.Link) (campaign.Link, error) {
	l.Paused = true
	return l, nil
}

func TestStore_Links(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(0, 0), w.NewKey(0, 0)
		l, err := campaign.NewLink(campaign.LinkDraft{
			Slug: "table-4", Description: "Grüße ?", Min: "1", Max: "20.5",
		}, k.ID,
			storetest.Start)
		w.Must(err)
		l, err = w.CreateLink(t.Context(), l, audit.Record{})
		w.Must(err)
		read, err := w.Link(t.Context(), "table-4")
		w.Must(err)
		storetest.Same(t, "read", read, l)
		_, err = w.CreateLink(t.Context(), campaign.Link{Slug: "table-4", KeyID: other.ID, CreatedAt: storetest.Start},
			audit.Record{})
		storetest.WantError(t, "the same slug", err, campaign.ErrLinkTaken)
		_, err = w.CreateLink(
			t.Context(), campaign.Link{Slug: "nul", KeyID: other.ID, Description: "\x00", CreatedAt: storetest.Start},
			audit.Record{},
		)
		storetest.WantInvalid(t, "NUL", err)
		storetest.WantError(t, "another's link", w.UpdateLink(t.Context(), []int64{other.ID}, "table-4", pauseLink, audit.Record{}), campaign.ErrUnknownLink)
		w.Must(w.UpdateLink(t.Context(), []int64{k.ID, other.ID}, "table-4", pauseLink, audit.Record{}))
		list, err := w.Links(t.Context(), []int64{k.ID})
		w.Must(err)
		if len(list) != 1 || !list[0].Paused || !list[0].Closed() {
			t.Errorf("the list is %+v", list)
		}
		_, err = w.Link(t.Context(), strings.Repeat("x", 10))
		storetest.WantError(t, "unknown", err, campaign.ErrUnknownLink)
	})
}
