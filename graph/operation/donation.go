package operation

import (
	"context"
	"errors"
	"strconv"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
)

// WallPage is how many donations are shown at once.
const WallPage = 50

var errCampaignID = fault.About(fault.Invalid, "campaignId", "is required")

// Donate reads a campaign, which is public. before is where the page of donations
// begins; empty for the newest.
func (o *Operations) Donate(ctx context.Context, campaignID, before string) (*model.CampaignResult, error) {
	if campaignID == "" {
		return nil, errCampaignID
	}
	from, err := ParseBefore(before)
	if err != nil {
		return nil, err
	}
	c, totals, err := o.d.Campaigns.Get(ctx, campaignID)
	if err != nil {
		return nil, err
	}
	out := o.campaign(c, totals)
	if err := o.addOwner(ctx, out, c); err != nil {
		return nil, err
	}
	list, next, err := o.d.Campaigns.Wall(ctx, c, from, WallPage)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		out.Donations = append(out.Donations, o.donation(d))
	}
	if next > 0 {
		older := strconv.FormatInt(next, 10)
		out.OlderDonations = &older
	}
	return &model.CampaignResult{Campaign: out}, nil
}

// ParseBefore reads where a page of donations begins; 0 for an empty text.
func ParseBefore(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, fault.About(fault.Invalid, "before", "must be olderDonations of a page that was read before")
	}
	return n, nil
}

func (o *Operations) campaign(c campaign.Campaign, t campaign.Totals) *model.Campaign {
	out := &model.Campaign{
		CampaignID: c.Slug, Title: c.Title, Description: optional(c.Description), GoalAmount: limit(c.Goal),
		RaisedAmount: model.DecimalOf(t.Raised), DonorsCount: int(t.Donors), SuggestedAmounts: []*model.Decimal{},
		Status: model.CampaignStatus(c.At(o.d.Now())), Networks: []model.Network{}, Owner: &model.CampaignOwner{},
		Donations: []*model.Donation{}, CreatedAt: model.At(c.CreatedAt),
	}
	if p := c.Prices; !p.None() {
		out.GoalPrice, out.RaisedPrice, out.SuggestedPrices = sum(p, p.Goal), sum(p, t.Worth), []*model.Sum{}
		if out.RaisedPrice == nil {
			out.RaisedPrice = &model.Sum{
				Amount: model.DecimalText(exchange.Sum{Currency: p.Currency}.Amount()), Currency: string(p.Currency),
			}
		}
		for _, units := range p.Suggested {
			out.SuggestedPrices = append(out.SuggestedPrices, sum(p, units))
		}
	}
	for _, m := range c.Suggested {
		out.SuggestedAmounts = append(out.SuggestedAmounts, limit(m))
	}
	if !c.EndsAt.IsZero() {
		ends := model.At(c.EndsAt)
		out.EndsAt = &ends
	}
	return out
}

// sum writes an amount in the currency of the campaign; nil for none.
func sum(p campaign.Prices, units int64) *model.Sum {
	if units == 0 {
		return nil
	}
	return &model.Sum{Amount: model.DecimalText(p.Text(units)), Currency: string(p.Currency)}
}

// addOwner adds the receiver and the networks. A campaign whose key has no
// custodian takes no donations.
func (o *Operations) addOwner(ctx context.Context, out *model.Campaign, c campaign.Campaign) error {
	owner, err := o.d.Merchants.Custodian(ctx, c.KeyID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return nil
	}
	if err != nil {
		return err
	}
	out.Owner = &model.CampaignOwner{Name: optional(owner.Name), LogoURL: optional(owner.Branding.LogoURL)}
	offers, err := o.d.Payments.Offers(ctx, payment.Payment{KeyID: c.KeyID, Kind: payment.KindDonation})
	if err != nil {
		return err
	}
	for _, offer := range offers {
		if offer.Reason == "" {
			out.Networks = append(out.Networks, model.Network(offer.Network))
		}
	}
	return nil
}

func (o *Operations) donation(d campaign.Donation) *model.Donation {
	out := &model.Donation{
		Name:    optional(d.Name),
		Message: optional(d.Message), Amount: model.DecimalOf(d.Received), Token: model.Token(d.Token),
		Network: model.Network(d.Network), Hash: optional(string(d.Hash)), CreatedAt: model.At(d.At),
	}
	if network, ok := o.d.Payments.Network(d.Network); ok && d.Hash != "" {
		out.BlockchainLink = optional(network.Profile.TxURL(d.Hash))
	}
	return out
}

// DonationInput is a request to donate.
type DonationInput struct {
	CampaignID    string
	Amount        model.Decimal
	Price         *model.PriceInput // instead of Amount; nil: none
	Currency      string            // of Amount; empty: USD
	Network       model.Network
	Token         model.Token
	Name, Message string
}

// StartDonation opens a payment that carries the campaign, for one credit of
// the campaign's key. It needs no authentication, so it counts as costly. An
// Idempotency-Key belongs to the campaign.
func (o *Operations) StartDonation(ctx context.Context, in DonationInput) (*model.DonationResult, error) {
	if in.CampaignID == "" {
		return nil, errCampaignID
	}
	c, _, err := o.d.Campaigns.Get(ctx, in.CampaignID)
	if err != nil {
		return nil, err
	}
	choice, err := StartInput{Network: in.Network, Token: in.Token}.choice()
	if err != nil {
		return nil, err
	}
	amount, price, err := asked(in.Amount, in.Currency, in.Price)
	if err != nil {
		return nil, err
	}
	started := func(p payment.Payment) *model.DonationResult {
		link := o.CheckoutLink(p.ID)
		return &model.DonationResult{PaymentLink: &link, Transaction: o.transaction(p)}
	}
	place := scope{keyID: c.KeyID, payment: payment.ID(campaignScope + c.Slug), operation: "donate"}
	read := struct {
		Amount, Name, Message string
		Choice                payment.Choice
		Price                 *exchange.Sum `json:"price,omitempty"` // a request without one is what it was before there were any
	}{amountRead(amount), input.Mended(in.Name), input.Mended(in.Message), choice, sumRead(price)}
	out, err := once(ctx, o, place, read, started, func(w write) (payment.Payment, error) {
		if err := o.d.Limits.Open(ctx); err != nil {
			return payment.Payment{}, err
		}
		return o.d.Campaigns.Donate(ctx, c, campaign.Gift{
			ID: w.subject, Amount: amount, Price: price, Choice: choice, Name: in.Name, Message: in.Message,
			ReturnURL: o.DonateLink(c.Slug),
		}, audit.Act{Near: CallOf(ctx).Near, Keep: w.keep})
	})
	if err != nil {
		return nil, err
	}
	return asNow(ctx, o, out, out.Transaction.Txnid, started)
}

// DonateLink is the address of a campaign's page.
func (o *Operations) DonateLink(slug string) string { return o.d.BaseURL + "/donate/" + slug }
