package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/finding"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
)

// ownPayment returns a payment of one of the visitor's keys; another's is unknown.
func (d *desk) ownPayment(c echo.Context, v visitor) (payment.Payment, account.Key, error) {
	p, err := d.d.Payments.Get(c.Request().Context(), c.Param("txnid"))
	if err != nil {
		return payment.Payment{}, account.Key{}, err
	}
	for _, k := range v.every {
		if k.ID == p.KeyID {
			return p, k, nil
		}
	}
	return payment.Payment{}, account.Key{}, payment.ErrUnknown
}

func (d *desk) getPayment(c echo.Context, v visitor) error {
	return d.paymentPage(c, v, http.StatusOK, newForm(url.Values{}), nil)
}

// paymentPage shows a payment, with what a form had to say and what became of a
// transaction somebody asked about; found may be nil.
func (d *desk) paymentPage(c echo.Context, v visitor, status int, f *form, found *dashboard.FindingRow) error {
	ctx := c.Request().Context()
	x, key, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	p := d.paymentProps(x, key)
	p.CanCancel = p.CanCancel && v.seat.Role.May(account.ActPayments)
	p.CanComplete = p.CanComplete && v.seat.Role.May(account.ActComplete)
	p.Frame = d.frame(c, v, "Payment of $"+p.Amount, paymentsPath)
	p.Frame.Notices = append(p.Frame.Notices, strayNotices(x)...)
	p.Problem = f.problem
	p.Reason = f.field(dashboard.Field{Name: "reason", Label: "Reason", Hint: "Shown in the history of the payment and kept in your audit log, for whoever asks later.", Required: true, Max: "500"})
	p.Proof.Posted = f.posted
	if p.Proof.Field, err = d.proofField(c, v, f); err != nil {
		return err
	}
	p.Find = f.field(dashboard.Field{
		Name: "hash", Label: "Transaction hash, or an explorer's address of it", Required: true, Max: strconv.Itoa(maxAsked), Mono: true,
	})
	p.Finding = found
	if p.Timeline, err = d.timeline(ctx, x); err != nil {
		return err
	}
	hooks, err := d.x.Reports.Deliveries(ctx, report.DeliveryQuery{KeyID: x.KeyID, TxnID: x.ID, Limit: pageRows})
	if err != nil {
		return err
	}
	for _, h := range hooks {
		p.Deliveries = append(p.Deliveries, deliveryRow(h))
	}
	return d.show(c, status, p.Frame, dashboard.Payment(p))
}

// strayNotices name what lies on the payment's address on a network it was not
// shown for, which no sweep brings home by itself, and the command that does.
func strayNotices(x payment.Payment) []dashboard.Notice {
	var all []dashboard.Notice
	for _, dep := range x.Deposits {
		t := dep.Transfer
		shown := slices.ContainsFunc(x.Routes, func(r payment.Route) bool { return r.Network == t.Network })
		if shown || dep.Swept || dep.State != payment.DepositFinal {
			continue
		}
		all = append(all, dashboard.Notice{Bad: true, Text: t.Units.Display(t.Asset.Decimals) + " " + t.Asset.Symbol + " came to this address on " +
			views.NetworkName(string(t.Network)) + ", which was not chosen. It cannot go anywhere but to your wallet. Whoever runs Florin brings it there with: " +
			"florin sweep --txnid " + string(x.ID) + " --network " + t.Network.Lower()})
	}
	return all
}

func (d *desk) paymentProps(x payment.Payment, key account.Key) dashboard.PaymentProps {
	p := dashboard.PaymentProps{
		TxnID: string(x.ID), Status: string(x.Status), Amount: x.Amount.Display(), Received: positive(x.Received().Micros()),
		Token: string(x.Choice.Token), Reference: x.Reference, Description: x.Description, CustomerEmail: x.CustomerEmail, KeyLabel: labelOf(key),
		CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt, EndedAt: x.EndedAt, Hash: string(x.Hash), ExplorerURL: d.explorerURL(x),
		CheckoutURL: d.ops.CheckoutLink(x.ID), Reorged: x.Reorged, ByHand: x.ByHand,
		CanCancel:   !x.Status.Final() && x.Received().IsZero() && x.Incoming().IsZero(),
		CanComplete: x.Status != payment.Completed && x.Kind != payment.KindTopUp && key.RevokedAt.IsZero(),
	}
	if x.Choice.Network != "" {
		p.Network = views.NetworkName(string(x.Choice.Network))
	}
	if x.Status == payment.Started && p.Received != "" {
		p.Missing = positive(x.Missing())
	}
	if x.Acceptable() {
		p.Accept, p.AcceptLate = "$"+x.Received().Micros().Display(), onlyLate(x)
	}
	if x.Status == payment.Completed {
		p.ReceiptURL = d.o.CheckoutURL + "/pay/" + string(x.ID) + "/receipt"
	}
	if route, ok := x.Route(); ok {
		p.Address, p.Settlement = string(route.Address.Address), string(route.Settlement)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Metadata)) {
		p.Metadata = append(p.Metadata, [2]string{name, x.Metadata[name]})
	}
	return p
}

// onlyLate reports whether the money that came is enough, and came after the end.
func onlyLate(x payment.Payment) bool {
	return x.Status.Final() && x.Received().Cmp(x.Amount.Atto()) >= 0
}

// eventNote is what the data of an event may hold (payment.Event).
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

// timeline brings events, webhook attempts and settlement into one order.
func (d *desk) timeline(ctx context.Context, p payment.Payment) ([]dashboard.Moment, error) {
	events, err := d.x.Reports.Events(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var all []dashboard.Moment
	for _, e := range events {
		all = append(all, d.eventMoment(e))
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
	slices.SortStableFunc(all, func(a, b dashboard.Moment) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
	return all, nil
}

// titles say what an event means, and how it is coloured.
var titles = map[payment.EventType][2]string{
	payment.EventCreated:   {"Created", ""},
	payment.EventShown:     {"The customer opened the payment page", ""},
	payment.EventStarted:   {"The customer chose how to pay", ""},
	payment.EventSwitched:  {"The customer chose another way", ""},
	payment.EventSeen:      {"Money seen", "is-seen"},
	payment.EventFinal:     {"Money is final", "is-good"},
	payment.EventVanished:  {"The chain took money back", "is-bad"},
	payment.EventExtended:  {"More time, because money fell short", ""},
	payment.EventResumed:   {"More time, because the network was not available", ""},
	payment.EventMarked:    {"Marked as completed by hand", ""},
	payment.EventAccepted:  {"What was received was accepted", ""},
	payment.EventCompleted: {"Completed", "is-good"},
	payment.EventExpired:   {"Expired", "is-bad"},
	payment.EventCancelled: {"Cancelled", "is-bad"},
	payment.EventReorged:   {"Money that completed it vanished", "is-bad"},
}

func (d *desk) eventMoment(e payment.Event) dashboard.Moment {
	m := dashboard.Moment{At: e.At, Title: titles[e.Type][0], Meaning: titles[e.Type][1]}
	if m.Title == "" {
		m.Title = string(e.Type)
	}
	if e.Type.Public() {
		return m
	}
	var n eventNote
	if err := json.Unmarshal(e.Data, &n); err != nil {
		return m
	}
	switch {
	case n.Units != "":
		m.Detail = money.Display(n.Units) + " " + n.Asset + " on " + views.NetworkName(string(n.Network)) + ", block " + strconv.FormatUint(n.Block, 10)
		if n.Source != "" {
			m.Detail += ", told by " + n.Source
		}
		if !n.Counted {
			m.Detail += "; not what was asked for, so it does not count"
		}
		if n.Late {
			m.Detail += "; after the end"
		}
		m.Hash, m.URL = string(n.Tx), d.txURL(n.Network, n.Tx)
	case n.Network != "":
		m.Detail = n.Token + " on " + views.NetworkName(string(n.Network)) + ", to " + n.Address
	case n.Until != "":
		m.Detail = "until " + n.Until
	case n.By != "":
		m.Detail = "by " + n.By
		if n.Reason != "" {
			m.Detail += ": " + n.Reason
		}
	default:
		m.Detail = n.Reason
	}
	return m
}

func (d *desk) attemptMoments(ctx context.Context, p payment.Payment) ([]dashboard.Moment, error) {
	hooks, err := d.x.Reports.Deliveries(ctx, report.DeliveryQuery{KeyID: p.KeyID, TxnID: p.ID, Limit: pageRows})
	if err != nil {
		return nil, err
	}
	var all []dashboard.Moment
	for _, h := range hooks {
		_, attempts, err := d.x.Reports.Delivery(ctx, []int64{p.KeyID}, h.ID)
		if err != nil {
			return nil, err
		}
		for i, a := range attempts {
			m := dashboard.Moment{At: a.At, Title: "Webhook, attempt " + strconv.Itoa(i+1), Detail: answerOf(a) + ", after " + latencyOf(a.Latency), Meaning: "is-bad"}
			if a.Status >= 200 && a.Status <= 299 {
				m.Meaning = "is-good"
			}
			all = append(all, m)
		}
	}
	return all, nil
}

func (d *desk) sweepMoments(ctx context.Context, p payment.Payment) ([]dashboard.Moment, error) {
	sweeps, err := d.x.Reports.SweepsOf(ctx, p.Number)
	if err != nil {
		return nil, err
	}
	var all []dashboard.Moment
	for _, s := range sweeps {
		if s.Moved == "" && s.Reason == "" && !s.EndedAt.IsZero() {
			continue // given up for another try, which is listed too
		}
		all = append(all, dashboard.Moment{At: s.CreatedAt, Title: "Settlement planned", Detail: s.Symbol + " to " + string(s.Settlement)})
		m := dashboard.Moment{At: s.SentAt, Title: "On the way to your wallet", Detail: s.Symbol + " to " + string(s.Settlement)}
		switch {
		case s.Moved != "":
			m.At, m.Title, m.Meaning = s.EndedAt, "Arrived at your wallet", "is-good"
			m.Detail = s.Moved + " " + s.Symbol + " at " + string(s.Settlement) + d.gasOf(s)
		case s.Reason != "":
			m.At, m.Title, m.Detail, m.Meaning = s.EndedAt, "Could not be moved; it is tried again", s.Reason, "is-bad"
		case s.SentAt.IsZero():
			continue
		}
		m.Hash, m.URL = string(s.Tx), d.txURL(s.Network, s.Tx)
		all = append(all, m)
	}
	return all, nil
}

// gasOf tells what a settlement cost the operator.
func (d *desk) gasOf(s report.Sweep) string {
	lane, ok := d.d.Payments.Lane(s.Network)
	if !ok || s.Paid.IsZero() {
		return ""
	}
	text := "; gas " + coinText(s.Paid, s.Network) + " " + lane.Profile.Coin
	if s.Pots > 1 {
		text += " for " + strconv.Itoa(s.Pots) + " payments together"
	}
	return text + ", paid by the operator"
}

func (d *desk) postCancelPayment(c echo.Context, v visitor) error {
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	if _, err := d.d.Payments.Cancel(d.noting(c, v, account.ActionCancelPayment, string(p.ID), ""), string(p.ID)); err != nil {
		return d.paymentRefused(c, v, newForm(url.Values{}), err)
	}
	return d.done(c, paymentsPath+"/"+string(p.ID), "The payment is cancelled.")
}

func (d *desk) paymentRefused(c echo.Context, v visitor, f *form, err error) error {
	if !f.refused(err) {
		return err
	}
	return d.paymentPage(c, v, fault.KindOf(err).Code(), f, nil)
}

// maxReason bounds the reason of an act.
const maxReason = 500

// byHand reads a form that has goods go out for money that is not there, which
// asks once more who is there; ok is false if the page was shown again.
func (d *desk) byHand(c echo.Context, v visitor, f *form) (ok bool, err error) {
	err = d.confirm(c, v, f)
	if err == nil {
		return true, nil
	}
	if !d.badProof(f, err) {
		return false, err
	}
	return false, d.paymentPage(c, v, proofStatus(err), f, nil)
}

// postComplete completes a payment whatever was received, for a reason.
func (d *desk) postComplete(c echo.Context, v visitor) error {
	values, err := deskForm(c)
	if err != nil {
		return err
	}
	f := newForm(values)
	f.posted = c.Request().URL.Path
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	reason := f.text("reason")
	if reason == "" || len(reason) > maxReason {
		f.bad("reason", "Say in up to 500 characters why you complete it by hand.")
		return d.paymentPage(c, v, http.StatusBadRequest, f, nil)
	}
	if ok, err := d.byHand(c, v, f); !ok {
		return err
	}
	act := d.noting(c, v, account.ActionMarkCompleted, string(p.ID), reason)
	_, err = d.d.Payments.MarkCompleted(act, p.KeyID, string(p.ID), payment.Actor{Name: v.user.Email, Reason: reason})
	if errors.Is(err, payment.ErrUnknown) {
		return err
	}
	if err != nil {
		return d.paymentRefused(c, v, f, err)
	}
	return d.done(c, paymentsPath+"/"+string(p.ID), "The payment is marked as completed.")
}

// postAccept takes money that is short or late as the whole. What is enough and
// only late takes one click.
func (d *desk) postAccept(c echo.Context, v visitor) error {
	values, err := deskForm(c)
	if err != nil {
		return err
	}
	f := newForm(values)
	f.posted = c.Request().URL.Path
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	if !onlyLate(p) {
		if ok, err := d.byHand(c, v, f); !ok {
			return err
		}
	}
	received := "$" + p.Received().Micros().Display()
	act := d.noting(c, v, account.ActionAccept, string(p.ID), received+" of $"+p.Amount.Display())
	done, err := d.d.Payments.Accept(act, p.KeyID, string(p.ID), payment.Actor{Name: v.user.Email})
	if err != nil {
		return d.paymentRefused(c, v, f, err)
	}
	return d.done(c, paymentsPath+"/"+string(p.ID), "The payment is completed with $"+done.Received().Micros().Display()+".")
}

// postFindIn tells what became of a transaction a customer claims to have paid with.
func (d *desk) postFindIn(c echo.Context, v visitor) error {
	values, err := deskForm(c)
	if err != nil {
		return err
	}
	f := newForm(values)
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	found, err := d.ops.Look(c.Request().Context(), string(p.ID), f.text("hash"))
	if err != nil {
		if !f.refused(err, subject{"hash", "hash", "The hash"}) {
			return err
		}
		return d.paymentPage(c, v, fault.KindOf(err).Code(), f, nil)
	}
	return d.paymentPage(c, v, http.StatusOK, f, d.findingRow(found))
}

// verdicts say in a few words what became of a transaction, and how good that is.
var verdicts = map[finding.Verdict][2]string{
	finding.Credited: {"It has arrived and counts", "is-good"}, finding.NotFinal: {"It is right, but not final yet", "is-seen"},
	finding.Short: {"It counts, but money is missing", "is-seen"}, finding.OtherChain: {"Sent on another network", "is-bad"},
	finding.OtherToken: {"Sent in a token that does not count", "is-bad"}, finding.OtherAddress: {"It pays somebody else", "is-bad"},
	finding.TokenContract: {"Sent to the token's own contract", "is-bad"}, finding.Failed: {"The transaction failed", "is-bad"},
	finding.Worthless: {"It moved nothing of value", "is-bad"}, finding.NotFound: {"No network knows it", "is-bad"},
	finding.Unavailable: {"The network cannot be asked now", "is-bad"},
}

func (d *desk) findingRow(f finding.Finding) *dashboard.FindingRow {
	r := &dashboard.FindingRow{Title: verdicts[f.Verdict][0], Meaning: verdicts[f.Verdict][1], Verdict: string(f.Verdict), Advice: f.Advice(), Hash: string(f.Hash)}
	if f.Amount != "" {
		r.Moved = f.Amount + " " + f.Token
	}
	if f.Missing > 0 {
		r.Missing = f.Missing.Display()
	}
	if f.FinalIn > 0 {
		r.FinalIn = f.FinalIn.Round(time.Second).String()
	}
	if f.Network != "" {
		r.Network, r.URL = views.NetworkName(string(f.Network)), d.txURL(f.Network, f.Hash)
	}
	return r
}

// latencyOf writes how long an answer took, as people say it.
func latencyOf(l time.Duration) string {
	switch {
	case l < time.Millisecond:
		return "less than 1 ms"
	case l < time.Second-time.Millisecond/2:
		return strconv.FormatInt(l.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(l.Seconds(), 'f', 1, 64) + " s"
}
