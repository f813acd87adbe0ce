package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
)

// refusedMails returns the mails about refused sales of the merchant.
func (b *bundle) refusedMails(m seller) (list []string) {
	b.t.Helper()
	page := testBaseURL + "/dashboard/credits?key=" + m.key.PublicID
	for _, mail := range b.mails.all() {
		if strings.Contains(mail, "\nA customer could not pay") && strings.Contains(mail, page) {
			list = append(list, mail)
		}
	}
	return list
}

// TestRefusedSale: a sale that is refused for credits is mailed to the owners at once, whichever way the customer came.
func TestRefusedSale(t *testing.T) {
	for name, sell := range map[string]func(*bundle, seller) reply{
		"API": func(b *bundle, m seller) reply {
			return b.graphQL(`mutation { startPolygonPayment(txnid: "`+string(b.newPayment(m).ID)+`", token: USDC) { code } }`, "")
		},
		"CheckoutPage": func(b *bundle, m seller) reply { return b.startOnPage(string(b.newPayment(m).ID)) },
		"Donation": func(b *bundle, m seller) reply {
			return b.ask("POST", "/donate/"+b.newCampaign(m).Slug+"/pay", giftOfFive)
		},
		"Link": func(b *bundle, m seller) reply {
			slug := "l-" + strings.ToLower(string(testID(b.clock.Now())))
			_, err := b.campaigns.CreateLink(b.t.Context(), m.key.ID, campaign.LinkDraft{Slug: slug, Amount: "5"},
				audit.Act{})
			must(b.t, err)
			to := b.postForm("/link/"+slug, nil).header.Get("Location")
			return b.startOnPage(to[len("/pay?txnid="):][:26])
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, b *bundle) {
				for credits, left := range map[int64]string{0: "none left", 10: "10 left"} {
					m := b.newMerchant(credits)
					if refused := sell(b, m); credits == 10 && (name == "API" || name == "CheckoutPage") {
						continue // the reserve is for these
					} else if refused.status != 402 && !strings.Contains(refused.body, `"code":402`) {
						t.Fatalf("it was not refused for credits: %d %s", refused.status, refused.body)
					}
					if got := b.refusedMails(m); len(got) != 1 || !strings.Contains(got[0], left) {
						t.Errorf("with %d credits the owner was mailed %q", credits, got)
					}
				}
			})
		})
	}
}

func (b *bundle) startOnPage(txnid string) reply {
	b.t.Helper()
	return b.ask("POST", "/pay/"+txnid+"/start", "network=POLYGON&token=USDC", asForm...)
}

// TestRefusedSale_OnceADay: however many sales are refused, on however many instances, the owners have one mail a day.
func TestRefusedSale_OnceADay(t *testing.T) {
	onEach(t, func(t *testing.T, b *bundle) {
		m := b.newMerchant(0)
		other := merchant.New(b.store.Merchant(), nil, b.clock.Now, merchant.Options{Mail: newWriter(testBaseURL)})
		outbox := b.newOutbox(b.mails)
		refuse := func() {
			for range 3 {
				b.startOnPage(string(b.newPayment(m).ID))
				must(t, other.SaleRefused(t.Context(), m.key.ID))
			}
			sendDue(t, outbox)
		}
		for _, step := range []struct {
			after time.Duration
			want  int
		}{{0, 1}, {time.Hour, 1}, {22 * time.Hour, 1}, {time.Hour, 2}, {time.Minute, 2}, {25 * time.Hour, 3}} {
			b.clock.advance(step.after)
			refuse()
			if got := b.refusedMails(m); len(got) != step.want {
				t.Fatalf("%s later: %d mails, want %d", step.after, len(got), step.want)
			}
		}
	})
}

// TestRefusedSale_ServerDown: the mail is sent when the mail server is back.
func TestRefusedSale_ServerDown(t *testing.T) {
	onEach(t, func(t *testing.T, b *bundle) {
		m := b.newMerchant(0)
		b.mails.stop(true)
		b.startOnPage(string(b.newPayment(m).ID))
		if got := b.refusedMails(m); len(got) != 0 {
			t.Fatalf("sent %+v while the server is down", got)
		}
		b.mails.stop(false)
		b.clock.advance(time.Hour)
		b.startOnPage(string(b.newPayment(m).ID))
		if got := b.refusedMails(m); len(got) != 1 {
			t.Errorf("%d mails when the server is back, want 1", len(got))
		}
	})
}
