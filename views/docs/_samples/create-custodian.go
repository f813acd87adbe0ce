package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

type result struct {
	Code            int
	Message, Reason string
	Custodian       struct{ ID, SigningSecret string }
}

func send(operation, input string) result {
	// SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go,
	// CALLBACK_SECRET a secret of yours that travels in them. The last two may be left out.
	wallet := os.Getenv("SETTLEMENT_WALLET")
	body, err := json.Marshal(map[string]any{
		"query": fmt.Sprintf(`mutation ($input: %s!) {
			result: %s(input: $input) { code message reason custodian { id signingSecret } }
		}`, input, operation),
		"variables": map[string]any{"input": map[string]any{
			"apiKey":      os.Getenv("FLORIN_API_KEY"),
			"name":        "Corner Coffee",
			"wallets":     map[string]string{"bep20": wallet, "polygon": wallet, "base": wallet},
			"callbackUrl": os.Getenv("CALLBACK_URL"),
			"secret":      os.Getenv("CALLBACK_SECRET"),
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	response, err := http.Post("http://localhost:8080/graphql", "application/json", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Data struct{ Result result } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	return answer.Data.Result
}

func main() {
	made := send("createCustodianAccount", "CustodianCreateInput")
	// A key has one custodian. If it has one already, as that of a sandbox does, change it.
	if made.Reason == "custodian_exists" {
		made = send("updateCustodianDetails", "CustodianUpdateInput")
	}
	if made.Code != 200 {
		log.Fatal(made.Message)
	}
	// The signing secret is shown once: keep it where your webhook receiver reads it.
	fmt.Println(made.Custodian.ID, cmp.Or(made.Custodian.SigningSecret, "(the signing secret stays)"))
}
