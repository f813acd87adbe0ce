package sandbox

import "strings"

// receivers are the ways the inbox can answer.
var receivers = []Act{
	{"up", "Up", "answers 200 at once"},
	{"failing", "Failing", "answers 500"},
	{"slow", "Slow", "answers after the sender has given up"},
}

// curl is the request that creates a payment, as it works in a shell. Key and address come from our
// own configuration and hold no quotes.
func (p Props) curl() string {
	return "curl -s " + p.BaseURL + "/create-payment -H 'Content-Type: application/json' -d '{\"apiKey\":\"" + p.APIKey + "\",\"amount\":49.90}'"
}

func (x Payment) unit() string {
	if x.Token == "" {
		return "USD"
	}
	return x.Token
}

// payable reports whether there is, or can be, an address to pay to.
func (x Payment) payable() bool { return x.Address != "" || x.Status == "PENDING" }

// final reports whether the payment waits for no money any more.
func (x Payment) final() bool { return x.meaning() != "wait" }

// ways are the ways to pay beside the main button.
func (x Payment) ways() []Act {
	if x.final() {
		return Acts
	}
	return Acts[1:]
}

// statusText is the status as a word.
func (x Payment) statusText() string {
	if x.Status == "" {
		return ""
	}
	return x.Status[:1] + strings.ToLower(x.Status[1:])
}

// meaning is the colour of the status; the word stands beside it.
func (x Payment) meaning() string {
	switch x.Status {
	case "COMPLETED":
		return "good"
	case "EXPIRED", "CANCELLED":
		return "bad"
	}
	return "wait"
}
