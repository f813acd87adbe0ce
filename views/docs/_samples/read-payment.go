package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	// TXNID is the txnid of the payment. No key is needed.
	response, err := http.Get("http://localhost:8080/orders/" + os.Getenv("TXNID"))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Code        int
		Message     string
		Transaction struct {
			Txnid, Status          string
			Amount, ReceivedAmount json.Number // exact digits: money is no float64
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if answer.Code != 200 {
		log.Fatal(answer.Message)
	}
	payment := answer.Transaction
	fmt.Println(payment.Txnid, payment.Status, payment.ReceivedAmount, "of", payment.Amount)
}
