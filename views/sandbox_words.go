package views

import "strings"

// sandboxReceivers are the ways the inbox can answer.
var sandboxReceivers = []SandboxAct{
	{"up", "Up", "answers 200 at once"},
	{"failing", "Failing", "answers 500"},
	{"slow", "Slow", "answers after the sender has given up"},
}

// curl is the request that creates a payment, as it works in a shell. Key and address come from our
// own configuration and hold no quotes.
func (p SandboxProps) curl() string {
	return "curl -s " + p.BaseURL + "/create-payment -H 'Content-Type: application/json' -d '{\"apiKey\":\"" + p.APIKey + "\",\"amount\":49.90}'"
}

func (x SandboxPayment) unit() string {
	if x.Token == "" {
		return "USD"
	}
	return x.Token
}

// statusText is the status as a word.
func (x SandboxPayment) statusText() string {
	if x.Status == "" {
		return ""
	}
	return x.Status[:1] + strings.ToLower(x.Status[1:])
}

// meaning is the colour of the status; the word stands beside it.
func (x SandboxPayment) meaning() string {
	switch x.Status {
	case "COMPLETED":
		return "good"
	case "EXPIRED", "CANCELLED":
		return "bad"
	}
	return "wait"
}
