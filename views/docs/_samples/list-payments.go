package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

const query = `query ($key: String!, $after: String) {
	getTransactions(apiKey: $key, timeRange: "1week", first: 100, after: $after) {
		code message
		transactions { txnid status amount reference hash createdAt }
		pageInfo { hasNextPage endCursor }
	}
}`

type page struct {
	Code         int
	Message      string
	Transactions []struct {
		Txnid, Status string
		Amount        json.Number // exact digits: money is no float64
	}
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
}

func list(after *string) page {
	body, err := json.Marshal(map[string]any{
		"query": query, "variables": map[string]any{"key": os.Getenv("FLORIN_API_KEY"), "after": after},
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
		Data struct{ GetTransactions page }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	return answer.Data.GetTransactions
}

func main() {
	var after *string
	for {
		page := list(after)
		if page.Code != 200 {
			log.Fatal(page.Message)
		}
		for _, payment := range page.Transactions {
			fmt.Println(payment.Txnid, payment.Status, payment.Amount)
		}
		if !page.PageInfo.HasNextPage {
			return
		}
		after = page.PageInfo.EndCursor
	}
}
