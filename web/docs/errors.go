package docs

// problems is every code an answer can carry beside 200, in their order; a
// test holds it against package fault.
var problems = []struct {
	code     int
	when, do string
}{
	{
		202, "`rechargeApiKey` has sent the transfer, but it is not final yet.",
		"Nothing: the queries are credited when it is. Its hash is in the answer.",
	},
	{
		400, "An argument is missing or malformed: an amount with 7 decimal places, an unknown network, a body that is no JSON.",
		"Correct what the message names. The same request will be refused again.",
	},
	{
		401, "The API key or session is missing, malformed, unknown or was replaced.",
		"Send a key that is in force, as `apiKey` or in a header.",
	},
	{
		402, "Credits (or queries) are at or below 0 and the operation takes one; or the wallet of a recharge lacks USDT or gas.",
		"Buy credits in the dashboard. Nothing was taken or changed.",
	},
	{
		403, "You are known, but this is not allowed: an API key that lacks the permission named in the message or is used from outside its networks, a custodian whose owners locked it, a private key or signature of another wallet, a top-up of a key that was disabled, signing up where it is closed, a form of another site.",
		"Use the wallet that is registered on the key, or ask the operator.",
	},
	{
		404, "The txnid or campaignId is unknown, or belongs to another key; or there is nothing at this address.",
		"Check the id. A resource of another merchant is not found either.",
	},
	{
		405, "The address exists, but not with this method.",
		"See the `Allow` header.",
	},
	{
		406, "None of the media types in `Accept` is offered.",
		"Accept `application/json`.",
	},
	{
		409, "The present state does not allow it: the custodian exists, there is none yet, the payment has ended, money is on its way, or the first request with this idempotency key still runs.",
		"Read the payment, then decide. After an idempotency conflict, ask again in a second.",
	},
	{
		413, "The body has more than 65536 bytes.",
		"Send less; metadata is for references, not for documents.",
	},
	{
		415, "The body does not say that it is JSON.",
		"Send `Content-Type: application/json`.",
	},
	{
		422, "The network or token is not offered for this payment, or the idempotency key was used with another body.",
		"Offer another network, add its settlement wallet, or use a new idempotency key.",
	},
	{
		429, "Too many requests from one address, for one key, or too many tries to sign in.",
		"Wait as many seconds as `Retry-After` says.",
	},
	{
		500, "A fault of ours. The message carries the request's id and nothing else.",
		"Try again with the same idempotency key; if it stays so, send the operator the id.",
	},
	{
		503, "The chosen network cannot be seen or is behind; the payment is untouched and no credit was taken. Or a price in another currency has no rate now; no payment was made.",
		"Offer another network, send an amount in US dollars, or try again after `Retry-After` seconds.",
	},
}
