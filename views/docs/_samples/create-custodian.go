package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

const query = `mutation ($input: CustodianCreateInput!) {
	createCustodianAccount(input: $input) { code message custodian { id signingSecret } }
}`

func main() {
	// SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go.
	wallet := os.Getenv("SETTLEMENT_WALLET")
	body, err := json.Marshal(map[string]any{
		"query": query,
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
	var answer struct {
		Data struct {
			CreateCustodianAccount struct {
				Code      int
				Message   string
				Custodian struct{ ID, SigningSecret string }
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	made := answer.Data.CreateCustodianAccount
	if made.Code != 200 {
		log.Fatal(made.Message)
	}
	// The signing secret is shown once: keep it where your webhook receiver reads it.
	fmt.Println(made.Custodian.ID, made.Custodian.SigningSecret)
}
