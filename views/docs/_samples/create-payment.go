package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := strings.NewReader(`{"amount": 49.90, "reference": "order-1045", "description": "Two bags of coffee"}`)
	request, err := http.NewRequest("POST", "http://localhost:8080/create-payment", body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("FLORIN_API_KEY"))
	request.Header.Set("Idempotency-Key", "order-1045")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Code                 int
		Message, PaymentLink string
		Transaction          struct{ Txnid string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if answer.Code != 200 {
		log.Fatal(answer.Message)
	}
	// Send the customer to the link; keep the txnid with your order.
	fmt.Println(answer.PaymentLink, answer.Transaction.Txnid)
}
