package graph

import "testing"

func TestStrictVariables(t *testing.T) {
	t.Parallel()
	const document = `mutation($k: String!, $n: Network!, $i: Int, $c: CustodianUpdateInput!) {
		StartPayment(apiKey: $k, txnid: "t", network: $n, token: USDT) { code }
		payment(apiKey: $k, amount: 1, expiresInMinutes: $i) { code }
		updateCustodianDetails(input: $c) { code } }`
	const good = `"k": "key", "n": "BASE", "i": 5, "c": {"apiKey": "x", "networks": {"network": "SOL", "minAmount": 0.5}}`
	for name, row := range map[string]struct {
		variables string
		ok        bool
	}{
		"Good":              {good, true},
		"NoInt":             {`"k": "key", "n": "BASE", "c": {"apiKey": "x"}`, true},
		"NullInt":           {good + `, "i": null`, true},
		"Missing":           {`"n": "BASE", "c": {"apiKey": "x"}`, false},
		"Null":              {good + `, "k": null`, false},
		"NumberAsString":    {good + `, "k": 7`, false},
		"StringAsInt":       {good + `, "i": "5"`, false},
		"FractionAsInt":     {good + `, "i": 5.5`, false},
		"BigInt":            {good + `, "i": 2147483648`, false},
		"EnumLowercase":     {good + `, "n": "base"`, false},
		"EnumOfAnother":     {good + `, "n": "USDT"`, false},
		"ObjectAsString":    {good + `, "c": "x"`, false},
		"UnknownField":      {good + `, "c": {"apiKey": "x", "nothing": 1}`, false},
		"RequiredField":     {good + `, "c": {"name": "x"}`, false},
		"NullInObject":      {good + `, "c": {"apiKey": null}`, false},
		"DeepWrongType":     {good + `, "c": {"apiKey": "x", "wallets": {"bep20": 1}}`, false},
		"DeepWrongEnum":     {good + `, "c": {"apiKey": "x", "networks": [{"network": "X"}]}`, false},
		"ListWithNull":      {good + `, "c": {"apiKey": "x", "networks": [null]}`, false},
		"DeepEnumLowercase": {good + `, "c": {"apiKey": "x", "networks": {"network": "BASE", "tokens": "usdt"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, errs := prepare(t, testExecutor(true), document, `{`+row.variables+`}`); (errs == nil) != row.ok {
				t.Error(errs)
			}
		})
	}
}
