package fault

// Reason is a fixed word for why something was refused, by which a program decides. Conflict and Unprocessable always
// have one, Unavailable only for prices. A word is never changed; new ones may come.
type Reason string

// The reasons.
const (
	ReasonConflict            Reason = "conflict"
	ReasonUnprocessable       Reason = "unprocessable"
	ReasonPaymentEnded        Reason = "payment_ended"
	ReasonPaymentExpired      Reason = "payment_expired"
	ReasonPaymentCompleted    Reason = "payment_completed"
	ReasonMoneyReceived       Reason = "money_received"
	ReasonTopUp               Reason = "credit_topup"
	ReasonNetworkNotOffered   Reason = "network_not_offered"
	ReasonTokenNotOffered     Reason = "token_not_offered"
	ReasonAmountNotOffered    Reason = "amount_not_offered"
	ReasonNoWallet            Reason = "no_settlement_wallet"
	ReasonMerchantClosed      Reason = "merchant_closed"
	ReasonNoCustodian         Reason = "no_custodian"
	ReasonCustodianExists     Reason = "custodian_exists"
	ReasonTooManyKeys         Reason = "too_many_keys"
	ReasonKeyRevoked          Reason = "key_revoked"
	ReasonNoRegisteredWallet  Reason = "no_registered_wallet"
	ReasonCampaignPaused      Reason = "campaign_paused"
	ReasonCampaignEnded       Reason = "campaign_ended"
	ReasonCampaignWithoutKey  Reason = "campaign_without_key"
	ReasonEmailTaken          Reason = "email_taken"
	ReasonCreditsNotSold      Reason = "credits_not_sold"
	ReasonRechargeNotOffered  Reason = "recharge_not_offered"
	ReasonOwnTreasury         Reason = "recharge_from_treasury"
	ReasonRechargeRunning     Reason = "recharge_running"
	ReasonRechargeFailed      Reason = "recharge_failed"
	ReasonEventsDropped       Reason = "events_dropped"
	ReasonIdempotencyRunning  Reason = "idempotency_running"
	ReasonIdempotencyMismatch Reason = "idempotency_mismatch"
	ReasonRateUnavailable     Reason = "rate_unavailable"
	ReasonTokenDepegged       Reason = "token_depegged"
	ReasonNothingToRefund     Reason = "nothing_to_refund"
	ReasonRefundTooMuch       Reason = "refund_too_much"
	ReasonRefundEnded         Reason = "refund_ended"
	ReasonRefundSent          Reason = "refund_sent"
	ReasonNoRefundAddress     Reason = "no_refund_address"
	ReasonNotRefund           Reason = "not_the_refund"
)

// Reasons lists every reason of a kind with its meaning, for the documentation: a specific one first, then that of
// everything else.
func Reasons(k Kind) []ReasonWords { return reasons[k] }

// ReasonWords is a reason and what it means, in one sentence.
type ReasonWords struct {
	Reason  Reason
	Meaning string
}

var reasons = map[Kind][]ReasonWords{
	Conflict: {
		{ReasonPaymentEnded, "The payment is completed, expired or cancelled."},
		{ReasonPaymentExpired, "The payment's time has run out; create a new one."},
		{ReasonPaymentCompleted, "The payment is completed already."},
		{ReasonMoneyReceived, "Money for the payment is received or on its way: it can no longer be changed or cancelled."},
		{ReasonTopUp, "A credit top-up completes by its payment alone."},
		{ReasonNoCustodian, "The API key has no custodian yet: call `createCustodianAccount`."},
		{ReasonCustodianExists, "The API key has a custodian already: call `updateCustodianDetails`."},
		{ReasonTooManyKeys, "The user has as many API keys as are allowed."},
		{ReasonKeyRevoked, "The API key was revoked, so it cannot use credits."},
		{ReasonNoRegisteredWallet, "No wallet is registered on the API key."},
		{ReasonCampaignPaused, "The campaign is paused."},
		{ReasonCampaignEnded, "The campaign has ended."},
		{ReasonCampaignWithoutKey, "The API key of the campaign was revoked."},
		{ReasonEmailTaken, "There is a user with this e-mail address already."},
		{ReasonCreditsNotSold, "Nothing is metered here, so no credits are sold."},
		{ReasonRechargeRunning, "Another recharge from this wallet is on its way; try again when it is final."},
		{ReasonRechargeFailed, "The transfer of the recharge failed; nothing was credited."},
		{ReasonEventsDropped, "Events after this position were older than the server keeps them; leave `after` out to read those that are left."},
		{ReasonIdempotencyRunning, "The first request with this `Idempotency-Key` still runs; ask again in a second."},
		{ReasonNothingToRefund, "Nothing is left of the payment that could be paid back."},
		{ReasonRefundTooMuch, "More than is left of what was received; the message says how much is."},
		{ReasonRefundEnded, "The refund is paid or cancelled, or its link has ended."},
		{ReasonRefundSent, "The merchant's wallet was asked to send the refund: its address stays, and it cannot be cancelled."},
		{ReasonNoRefundAddress, "The payer has not said yet where the money is to go."},
		{ReasonNotRefund, "The transaction does not pay the refund; the message says what it does."},
		{ReasonConflict, "Anything else that the present state does not allow."},
	},
	Unprocessable: {
		{ReasonNetworkNotOffered, "The network is not offered for this payment."},
		{ReasonTokenNotOffered, "The token is not offered on this network for this payment."},
		{ReasonAmountNotOffered, "The amount is outside the limits of the network, or of every network; the message has the bounds."},
		{ReasonNoWallet, "The merchant has no settlement wallet on this network."},
		{ReasonMerchantClosed, "The merchant takes no payments at the moment."},
		{ReasonRechargeNotOffered, "`rechargeApiKey` is not set up on this installation."},
		{ReasonOwnTreasury, "The wallet registered on the API key is the treasury itself."},
		{ReasonIdempotencyMismatch, "The `Idempotency-Key` was used with another request, which was done; use a new one."},
		{ReasonUnprocessable, "Anything else that is well-formed and not offered here."},
	},
	Unavailable: {
		{ReasonRateUnavailable, "The currency of `price` has no rate that two sources and the reference rates agree on now; the message says why. An amount in US dollars is taken as ever."},
		{ReasonTokenDepegged, "USDT or USDC is off its peg, so prices are taken in US dollars alone."},
	},
}

// Because returns the fault with the reason.
func (e *Error) Because(r Reason) *Error {
	out := *e
	out.Reason = r
	return &out
}

// ReasonOf returns the reason of a fault: its own, or that of everything else of a kind that always has one.
func (e *Error) ReasonOf() Reason {
	if e.Reason != "" || e.Kind != Conflict && e.Kind != Unprocessable {
		return e.Reason
	}
	list := reasons[e.Kind]
	return list[len(list)-1].Reason
}
