package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type page struct {
	Code      int
	Message   string
	NextAfter string
	Events    []struct {
		EventID, Type string
		Data          struct{ Txnid, Status string }
	}
}

func next(after string) (page, error) {
	var p page
	request, err := http.NewRequest("GET", "http://localhost:8080/events?limit=100&after="+after, nil)
	if err != nil {
		return p, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("FLORIN_API_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return p, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&p); err != nil {
		return p, err
	}
	if p.Code != 200 {
		return p, errors.New(p.Message)
	}
	return p, nil
}

func main() {
	// The file holds the position: events are never skipped, and never lost while this does not run.
	file := cmp.Or(os.Getenv("POSITION_FILE"), "florin.position")
	pause, err := time.ParseDuration(cmp.Or(os.Getenv("PAUSE"), "10") + "s")
	if err != nil {
		log.Fatal(err)
	}
	text, _ := os.ReadFile(file) // none: from the beginning
	after := string(text)
	for {
		p, err := next(after)
		if err != nil {
			log.Print(err)
		}
		for _, event := range p.Events {
			// The position is kept afterwards, so an event may come twice: EventID is its key.
			fmt.Println(event.EventID, event.Type, event.Data.Txnid, event.Data.Status)
		}
		if len(p.Events) == 0 {
			time.Sleep(pause)
			continue
		}
		after = p.NextAfter
		if err := os.WriteFile(file, []byte(after), 0o600); err != nil {
			log.Fatal(err)
		}
	}
}
