package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
)

// titles are the text and colour of each event.
var titles = map[payment.EventType][2]string{
	payment.EventCreated:   {"Created", ""},
	payment.EventShown:     {"The customer opened the payment page", ""},
	payment.EventStarted:   {"The customer chose how to pay", ""},
	payment.EventSwitched:  {"The customer chose another way", ""},
	payment.EventSeen:      {"Money seen", "is-seen"},
	payment.EventFinal:     {"Money is final", "is-good"},
	payment.EventVanished:  {"The network took the money back", "is-bad"},
	payment.EventExtended:  {"More time, because money fell short", ""},
	payment.EventResumed:   {"More time, because the network was not available", ""},
	payment.EventMarked:    {"Marked as completed by hand", ""},
	payment.EventAsked:     {"The customer asked you to accept what arrived", "is-seen"},
	payment.EventAccepted:  {"What was received was accepted", ""},
	payment.EventCompleted: {"Completed", "is-good"},
	payment.EventExpired:   {"Expired", "is-bad"},
	payment.EventCancelled: {"Cancelled", "is-bad"},
	payment.EventReorged:   {"The network took back money that had completed it", "is-bad"},
	payment.EventResolved:  {"Marked as settled", ""},

	payment.EventShort:      {"Less arrived than you asked for", "is-seen"},
	payment.EventOver:       {"More arrived than you asked for", "is-seen"},
	payment.EventLate:       {"Enough arrived, but too late", "is-seen"},
	payment.EventOtherAsset: {"Money arrived that you did not ask for", "is-seen"},
	payment.EventDuplicate:  {"Another payment with this reference was paid before", "is-seen"},

	payment.EventRefundRequested: {"Refund requested", ""},
	payment.EventRefundAddress:   {"The payer said where the refund goes", ""},
	payment.EventRefundAsked:     {"Your wallet was asked to send the refund", ""},
	payment.EventRefundUnsent:    {"The refund was not sent", ""},
	payment.EventRefundSent:      {"The refund was sent", "is-seen"},
	payment.EventRefundOther:     {"Another amount came than the refund's: it does not count", ""},
	payment.EventRefundFinal:     {"The refund has arrived", "is-good"},
	payment.EventRefundCancelled: {"Refund cancelled", ""},
}

// technical are the events that say no more to a merchant than those beside them.
var technical = map[payment.EventType]bool{payment.EventShown: true, payment.EventCompleted: true}

// eventNote is the data of an event (payment.Event).
type eventNote struct {
	Network chain.Network `json:"network"`
	Token   string        `json:"token"`
	Address string        `json:"address"`
	Tx      chain.TxHash  `json:"tx"`
	Units   string        `json:"units"`
	Asset   string        `json:"asset"`
	Block   uint64        `json:"block"`
	Source  string        `json:"source"`
	Until   string        `json:"until"`
	By      string        `json:"by"`
	Reason  string        `json:"reason"`
	Counted bool          `json:"counted"`
	Late    bool          `json:"late"`
}

// timeline merges events, webhook attempts and settlement by time.
func (d *Surface) timeline(ctx context.Context, zone *time.Location, p payment.Payment) ([]dashboard.Moment, error) {
	events, err := d.Payments.Events(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var all []dashboard.Moment
	for _, e := range events {
		all = append(all, d.eventMoment(ctx, zone, e))
	}
	attempts, err := d.attemptMoments(ctx, p)
	if err != nil {
		return nil, err
	}
	sweeps, err := d.sweepMoments(ctx, p)
	if err != nil {
		return nil, err
	}
	all = slices.Concat(all, attempts, sweeps)
	slices.SortStableFunc(all, func(a, b dashboard.Moment) int {
		return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro())
	})
	return all, nil
}

func (d *Surface) eventMoment(ctx context.Context, zone *time.Location, e payment.Event) dashboard.Moment {
	m := dashboard.Moment{
		At: e.At, Title: views.T(ctx, titles[e.Type][0]), Meaning: titles[e.Type][1], Technical: technical[e.Type],
	}
	if m.Title == "" {
		m.Title = string(e.Type)
	}
	if e.Type.OfRefund() {
		return d.refundMoment(ctx, m, e)
	}
	if e.Type.InFeed() {
		return m
	}
	var n eventNote
	if err := json.Unmarshal(e.Data, &n); err != nil {
		return m
	}
	switch {
	case n.Units != "":
		m.Detail = moneyText(ctx, e.Type, n)
		m.More = views.T(ctx, "; block {{.Block}}", "Block", strconv.FormatUint(n.Block, 10))
		if n.Source != "" {
			m.More += views.T(ctx, ", reported by {{.Source}}", "Source", n.Source)
		}
		m.Hash, m.URL = string(n.Tx), d.Presenter.TxURL(n.Network, n.Tx)
	case n.Network != "":
		m.Detail, m.Address = views.T(ctx, "{{.Amount}} on {{.Network}}",
			"Amount", n.Token, "Network", views.NetworkName(string(n.Network))), n.Address
	case n.Until != "":
		m.Detail = untilText(ctx, n.Until, zone)
	case n.By != "":
		m.Detail = views.T(ctx, "by {{.User}}", "User", n.By)
		if n.Reason != "" {
			m.Detail += ": " + n.Reason
		}
	default:
		m.Detail = n.Reason
	}
	return m
}

// untilText says until when a payment can be paid. The event holds the time as RFC 3339.
func untilText(ctx context.Context, stored string, zone *time.Location) string {
	if t, err := time.Parse(time.RFC3339Nano, stored); err == nil {
		stored = panel.Exact(ctx, t, zone)
	}
	return views.T(ctx, "until {{.Time}}", "Time", stored)
}

// moneyText says what came, and whether it counts. What vanished does not count because it is gone, as the title says.
func moneyText(ctx context.Context, event payment.EventType, n eventNote) string {
	text := onNetwork(ctx, money.Display(n.Units), n.Asset, views.NetworkName(string(n.Network)))
	if !n.Counted && event != payment.EventVanished {
		text += views.T(ctx, "; it does not count, because you did not ask for it")
	}
	if n.Late {
		text += views.T(ctx, "; it arrived too late")
	}
	return text
}

func (d *Surface) attemptMoments(ctx context.Context, p payment.Payment) ([]dashboard.Moment, error) {
	hooks, err := d.Reports.Deliveries(ctx, report.DeliveryQuery{KeyID: p.KeyID, TxnID: p.ID, Limit: session.PageRows})
	if err != nil {
		return nil, err
	}
	var all []dashboard.Moment
	for _, h := range hooks {
		sent, err := d.Reports.Delivery(ctx, []int64{p.KeyID}, h.ID)
		if err != nil {
			return nil, err
		}
		for i, a := range sent.Attempts {
			m := dashboard.Moment{
				At: a.At, Meaning: "is-bad", Technical: true,
				Title: views.T(ctx, "Webhook, attempt {{.Count}}", "Count", strconv.Itoa(i+1)),
				Detail: views.T(ctx, "{{.Answer}}, after {{.Time}}",
					"Answer", answerOf(ctx, a), "Time", session.Latency(ctx, a.Latency)),
			}
			if a.Status >= 200 && a.Status <= 299 {
				m.Meaning = "is-good"
			}
			all = append(all, m)
		}
	}
	return all, nil
}

func (d *Surface) sweepMoments(ctx context.Context, p payment.Payment) ([]dashboard.Moment, error) {
	sweeps, err := d.Reports.SweepsOf(ctx, p.Number)
	if err != nil {
		return nil, err
	}
	var all []dashboard.Moment
	for _, s := range sweeps {
		if s.Moved == "" && s.Reason == "" && !s.EndedAt.IsZero() {
			continue // replaced by another attempt, which is listed too
		}
		all = append(
			all,
			dashboard.Moment{
				At: s.CreatedAt, Title: views.T(ctx, "Settlement planned"), Detail: s.Symbol,
				Address: string(s.Settlement), Technical: true,
			},
		)
		m := dashboard.Moment{
			At: s.SentAt, Title: views.T(ctx, "On the way to your wallet"), Detail: s.Symbol,
			Address: string(s.Settlement),
		}
		switch {
		case s.Moved != "":
			m.At, m.Title, m.Meaning = s.EndedAt, views.T(ctx, "Arrived at your wallet"), "is-good"
			m.Detail, m.More = views.LocaleOf(ctx).Amount(money.Display(s.Moved))+" "+s.Symbol, d.gasOf(ctx, s)
		case s.Reason != "":
			m.At, m.Title = s.EndedAt, views.T(ctx, "Could not be moved; it is tried again")
			m.Detail, m.Meaning = views.T(ctx, s.Reason), "is-bad"
		case s.SentAt.IsZero():
			continue
		}
		m.Hash, m.URL = string(s.Tx), d.Presenter.TxURL(s.Network, s.Tx)
		all = append(all, m)
	}
	return all, nil
}

// gasOf writes the gas cost of a settlement, paid by the operator.
func (d *Surface) gasOf(ctx context.Context, s report.Sweep) string {
	offered, ok := d.Payments.Network(s.Network)
	if !ok || s.Paid.IsZero() {
		return ""
	}
	gas := views.LocaleOf(ctx).Amount(session.Coins(s.Paid, s.Network)) + " " + offered.Profile.Coin
	if s.Addresses > 1 {
		return views.N(ctx, "; gas {{.Gas}} for {{.N}} payments together, paid by the operator", s.Addresses, "Gas", gas)
	}
	return views.T(ctx, "; gas {{.Gas}}, paid by the operator", "Gas", gas)
}
