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
	// TXNID is the txnid of the payment. No key is needed.
	body := strings.NewReader(fmt.Sprintf(`{"txnid": %q}`, os.Getenv("TXNID")))
	response, err := http.Post("http://localhost:8080/cancel-payment", "application/json", body)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Code        int
		Message     string
		Transaction struct{ Txnid, Status string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if answer.Code != 200 {
		log.Fatal(answer.Message)
	}
	fmt.Println(answer.Transaction.Txnid, answer.Transaction.Status)
}
