package docs

// ConsoleProps is the page that sends GraphQL to this server.
type ConsoleProps struct {
	Frame

	// Queries and Mutations list the operations.
	Queries, Mutations []Operation
}

// request is a ready example of the console.
type request struct{ ID, Name, Query, Variables string }

// requests are the examples, the first one shown first. All take the key as a
// variable, so that it is never part of a stored text.
var requests = []request{
	{"credits", "Credits left", `query ($apiKey: String!) {
  getCreditsLeft(apiKey: $apiKey) {
    code
    message
    creditsLeft
    apiKey { wallet custodian { id name } }
  }
}`, ""},
	{"create", "Create a payment", `mutation ($apiKey: String!, $amount: Float!) {
  payment(apiKey: $apiKey, amount: $amount) {
    code
    message
    paymentLink
    transaction { txnid amount status expiresAt }
  }
}`, `{"amount": 12.50}`},
	{"one", "One payment", `query ($txnid: String!) {
  getTxnDetails(txnid: $txnid) {
    code
    message
    transaction { txnid amount status network token wallet { address } hash expiresAt }
  }
}`, `{"txnid": "…"}`},
	{"list", "Latest payments (1 credit)", `query ($apiKey: String!) {
  getTransactions(apiKey: $apiKey, timeRange: "1week", first: 10) {
    code
    message
    transactions { txnid amount token network status createdAt }
    apiKey { creditsLeft }
    pageInfo { hasNextPage endCursor }
  }
}`, ""},
	{"schema", "The schema", `{
  __schema {
    queryType { fields { name description } }
    mutationType { fields { name description } }
  }
}`, ""},
}
