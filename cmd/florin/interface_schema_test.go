package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/testkit"
)

// operationTable is the table of section 4.1: kind and name, the arguments with their types, and the fields of the
// result. Anything beyond that must be optional, or it would break an old client.
var operationTable = []struct{ operation, arguments, result string }{
	{
		"mutation payment", "apiKey String!, amount Float!",
		"code message paymentLink transaction.txnid transaction.amount transaction.status transaction.createdAt transaction.expiresAt",
	},
	{
		"query getCreditsLeft", "apiKey String!",
		"code message creditsLeft apiKey.key apiKey.wallet apiKey.creditsLeft apiKey.userId apiKey.createdAt apiKey.custodian.id apiKey.custodian.name",
	},
	{
		"query getQueriesLeft", "apiKey String!",
		"code message queriesLeft apiKey.id apiKey.key apiKey.firstName apiKey.lastName apiKey.email apiKey.wallet apiKey.queriesLeft apiKey.createdAt",
	},
	{
		"query getTransactions",
		"apiKey String!, status TransactionStatus, network Network, timeRange String, sortOrder String",
		"code message apiKey.creditsLeft " + transactionIn("transactions.", ""),
	},
	{"query getTxnDetails", "txnid String!", "code message " + transactionIn("transaction.", "countdown")},
	{
		"query getTransactionDetails", "apiKey String!, txnid String!",
		"code message " + transactionIn("transaction.", "countdown"),
	},
	{
		"query checkAdminUntransferred", "apiKey String!, network Network!",
		"code message transactions.txnid transactions.amount transactions.network transactions.status transactions.wallet.address transactions.hash transactions.createdAt",
	},
	{"mutation manualMarkAsCompleted", "apiKey String!, txnid String!", "code message success"},
	{
		"mutation rechargeApiKey", "apiKey String!, privateKey String!, unit Int!",
		"code message newBalance apiKey.key apiKey.queriesLeft apiKey.wallet",
	},
	{
		"mutation revokeApiKey", "apiKey String!, privateKey String!",
		"code message newApiKey apiKey.key apiKey.wallet apiKey.creditsLeft",
	},
	{
		"mutation createCustodianAccount", "input CustodianCreateInput!",
		"code message custodian.id custodian.apiKey custodian.wallets.bep20 custodian.wallets.polygon custodian.wallets.base custodian.wallets.solana custodian.callbackUrl custodian.createdAt apiKey.key apiKey.creditsLeft",
	},
	{
		"mutation updateCustodianDetails", "input CustodianUpdateInput!",
		"code message custodian.id custodian.wallets.bep20 custodian.wallets.polygon custodian.wallets.base custodian.wallets.solana custodian.callbackUrl custodian.createdAt apiKey.key apiKey.creditsLeft",
	},
	{"mutation cancelPayment", "txnid String!", "code message"},
	{
		"mutation StartPayment", "apiKey String!, txnid String!, network Network!, token Token!",
		"code message transaction.wallet.address transaction.paymentUri transaction.countdown",
	},
	{"mutation startBep20Payment", "txnid String!, token Token!", "code message transaction.wallet.address"},
	{"mutation startPolygonPayment", "txnid String!, token Token!", "code message transaction.wallet.address"},
	{"mutation startBasePayment", "txnid String!, token Token!", "code message transaction.wallet.address"},
	{"mutation startSolPayment", "txnid String!, token Token!", "code message transaction.wallet.address"},
	{"query getDonate", "campaignId String!", "code message campaign.campaignId"},
	{
		"mutation StartDonation",
		"campaignId String!, amount Float!, network Network!, token Token!, name String, message String",
		"code message paymentLink transaction.wallet.address",
	},
	{"mutation UserCreateCreditTopup", "apiKeyId String!, credits Int!", "code message paymentLink transaction.txnid"},
	{
		"mutation UserStartCreditTopup", "txnid String!, network Network!, token Token!",
		"code message transaction.wallet.address",
	},
}

// transactionIn are the fields of a transaction in a read, with additional ones.
func transactionIn(prefix, more string) string {
	var out []string
	for name := range strings.FieldsSeq("txnid amount amountInToken token network status wallet.address hash blockchainLink isExpired expiresAt createdAt " + more) {
		out = append(out, prefix+name)
	}
	return strings.Join(out, " ")
}

// custodianInput is the table of section 2.4; both inputs have this shape.
const custodianInput = "apiKey String!, wallets CustodianWalletsInput, callbackUrl String, secret String, name String, networks [CustodianNetworkInput!], branding CustodianBrandingInput"

// contractTypes are the types that the contract names, by section. Of an enum exactly its values, of an input exactly
// its fields, of an object at least these.
var contractTypes = []struct{ section, name, members string }{
	{"1", "Network", "BEP20, POLYGON, BASE, SOL"},
	{"3", "TransactionStatus", "PENDING, STARTED, COMPLETED, EXPIRED, CANCELLED"},
	{"2.4", "CustodianCreateInput", custodianInput},
	{"2.4", "CustodianUpdateInput", custodianInput},
	{"2.4", "CustodianWalletsInput", "bep20 String, polygon String, base String, solana String"},
	{"2.4", "CustodianWallets", "bep20 String, polygon String, base String, solana String"},
	{
		"2.2", "Transaction",
		"txnid String!, amount Float!, amountInToken Float!, network Network, status TransactionStatus!",
	},
	{
		"2.3", "ApiKey",
		"id, key, wallet, creditsLeft, queriesLeft, userId, createdAt, firstName, lastName, email, custodian",
	},
}

// schema is the program's GraphQL schema by introspection.
type schema map[string]schemaType

type schemaType struct {
	Name        string
	Kind        string
	Fields      []schemaMember
	InputFields []schemaMember
	EnumValues  []schemaMember
}

type schemaMember struct {
	Name string
	Type typeRef
	Args []schemaMember
}

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

// String returns the type in the schema language.
func (r typeRef) String() string {
	switch {
	case r.OfType == nil:
		return r.Name
	case r.Kind == "NON_NULL":
		return r.OfType.String() + "!"
	}
	return "[" + r.OfType.String() + "]"
}

// object returns the name of the type without lists and marks.
func (r typeRef) object() string {
	if r.OfType == nil {
		return r.Name
	}
	return r.OfType.object()
}

// readSchema reads the schema by introspection.
func (w *witness) readSchema() {
	w.t.Helper()
	const ref = "kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }"
	body, err := json.Marshal(
		map[string]string{
			"query": "{ __schema { types { name kind fields { name type { " + ref + " } args { name type { " + ref + " } } } " +
				"inputFields { name type { " + ref + " } } enumValues { name } } } }",
		},
	)
	testkit.Must(w.t, err)
	var answer struct {
		Data struct {
			Schema struct{ Types []schemaType } `json:"__schema"` //nolint:tagliatelle // the name is GraphQL's
		}
	}
	out := w.ask(http.MethodPost, "/graphql", string(body))
	if err := json.Unmarshal([]byte(out.raw), &answer); err != nil || len(answer.Data.Schema.Types) == 0 {
		w.t.Fatalf("the schema: %v: %.300s", err, out.raw)
	}
	w.schema = schema{}
	for _, t := range answer.Data.Schema.Types {
		w.schema[t.Name] = t
	}
}

func member(list []schemaMember, name string) (schemaMember, bool) {
	i := slices.IndexFunc(list, func(m schemaMember) bool { return m.Name == name })
	if i < 0 {
		return schemaMember{}, false
	}
	return list[i], true
}

// differ compares members with the expected ones, each a name with an optional type. Other members are allowed if they
// are optional and more is set.
func differ(list []schemaMember, want string, more bool) string {
	var names []string
	for each := range strings.SplitSeq(want, ", ") {
		name, want, typed := strings.Cut(each, " ")
		names = append(names, name)
		m, ok := member(list, name)
		if !ok {
			return "there is no " + name
		}
		if got := m.Type.String(); typed && got != want {
			return fmt.Sprintf("%s is %s, want %s", name, got, want)
		}
	}
	for _, m := range list {
		if !slices.Contains(names, m.Name) && (!more || m.Type.Kind == "NON_NULL") {
			return "there is also " + m.Name + " " + m.Type.String()
		}
	}
	return ""
}

// reaches reports what is missing on the way from a type to a field.
func (s schema) reaches(from, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		m, ok := member(s[from].Fields, name)
		if !ok {
			return fmt.Sprintf("%s has no %s", from, name)
		}
		from = m.Type.object()
	}
	return ""
}

// schemaRows are the clauses about names and types: the tables of the contract, compared with the program's schema.
func schemaRows() []clause {
	var out []clause
	for _, row := range operationTable {
		kind, name, _ := strings.Cut(row.operation, " ")
		root := strings.ToUpper(kind[:1]) + kind[1:]
		out = append(
			out,
			clause{
				"4.1/schema/" + name + "/arguments",
				fmt.Sprintf("%s takes %s, and needs no more", row.operation, row.arguments),
				func(w *witness) string {
					field, ok := member(w.schema[root].Fields, name)
					if !ok {
						return "there is no such " + kind
					}
					return differ(field.Args, row.arguments, true)
				},
			},
			clause{
				"4.1/schema/" + name + "/result",
				fmt.Sprintf("%s returns %s", row.operation, row.result),
				func(w *witness) string {
					for path := range strings.FieldsSeq(row.result) {
						if problem := w.schema.reaches(root, name+"."+path); problem != "" {
							return problem
						}
					}
					return ""
				},
			},
		)
	}
	for _, row := range contractTypes {
		out = append(
			out,
			clause{row.section + "/schema/" + row.name, row.name + " is " + row.members, func(w *witness) string {
				t := w.schema[row.name]
				switch t.Kind {
				case "ENUM":
					return differ(t.EnumValues, row.members, false)
				case "INPUT_OBJECT":
					return differ(t.InputFields, row.members, false)
				}
				return differ(nullable(t.Fields, row.members), row.members, true)
			}},
		)
	}
	return out
}

// nullable drops the fields of an object that the contract does not name: an additional field harms no client, whatever
// its type.
func nullable(list []schemaMember, want string) []schemaMember {
	return slices.DeleteFunc(slices.Clone(list), func(m schemaMember) bool {
		return !slices.ContainsFunc(
			strings.Split(want, ", "), func(each string) bool { return m.Name == strings.Fields(each)[0] },
		)
	})
}
