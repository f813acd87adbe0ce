package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

// keyedWrite is a request with an Idempotency-Key.
type keyedWrite struct{ path, body, key string }

// send sends the request and returns the answer; status 0 means that the connection broke.
func (w *keyedWrite) send(ctx context.Context, url string) (status int, answer map[string]any) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+w.path, bytes.NewBufferString(w.body))
	if err != nil {
		return 0, nil
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", w.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return 0, nil
	}
	return res.StatusCode, answer
}

// TestIdempotency_Killed kills the program while many clients write without a pause. The write that broke off for each
// of them, sent again after the restart, is answered with its one result within 5 s: as done, whether or not it was
// before. What costs a credit has cost one for each request.
func TestIdempotency_Killed(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		checkKilled(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		checkKilled(t, "FLORIN_DATABASE_URL="+postgres.URL(t))
	})
}

func checkKilled(t *testing.T, env ...string) {
	s := openShop(t, append(env, "FLORIN_SIGNUP_CREDITS=100000", "FLORIN_SIGNUP_QUERIES=100000",
		"FLORIN_RATE_CLIENT=100000", "FLORIN_RATE_CLIENT_BURST=100000", "FLORIN_RATE_KEY=100000",
		"FLORIN_RATE_KEY_BURST=100000")...)
	credits := s.creditsLeft(t)
	const clients, before = 24, 100
	answers := make(chan struct{}, before)
	broken := make([]*keyedWrite, clients)
	var all, again sync.WaitGroup
	for c := range clients {
		all.Go(func() { broken[c] = s.writeUntilBroken(t, c, answers) })
	}
	go func() {
		all.Wait()
		close(answers) // also when they failed before they were enough
	}()
	for range before {
		<-answers
	}
	s.stop(t, syscall.SIGKILL)
	all.Wait()
	s.server = s.serve(t)
	up := time.Now()
	for _, w := range broken {
		if w != nil { // it has failed otherwise
			again.Go(func() { s.wantDone(t, w, up) })
		}
	}
	again.Wait()
	if spent := credits - s.creditsLeft(t); spent != s.updates.Load() {
		t.Errorf("%d changes of the custodian cost %d credits", s.updates.Load(), spent)
	}
}

// creditsLeft returns how many credits the key has.
func (s *shop) creditsLeft(t *testing.T) int64 {
	t.Helper()
	left := s.graphql(t, "getCreditsLeft", `query ($key: String!) { getCreditsLeft(apiKey: $key) { code message creditsLeft } }`,
		map[string]any{"key": s.key})
	return int64(left["creditsLeft"].(float64))
}

// writeUntilBroken creates payments and ends them until the connection breaks, and returns the write that broke.
func (s *shop) writeUntilBroken(t *testing.T, client int, answers chan<- struct{}) *keyedWrite {
	url := s.url // the next server has another
	for i := 0; ; i++ {
		key := fmt.Sprintf("%d-%d", client, i)
		create := &keyedWrite{"/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key), "create-" + key}
		status, answer := create.send(t.Context(), url)
		if status == 0 {
			return create
		}
		change := fmt.Sprintf(`mutation { updateCustodianDetails(input: {apiKey: %q, name: %q}) { code message } }`, s.key, key)
		update := &keyedWrite{"/graphql", fmt.Sprintf(`{"query":%q}`, change), "update-" + key}
		s.updates.Add(1) // also if it breaks: it is sent again
		if status, _ := update.send(t.Context(), url); status == 0 {
			return update
		}
		made, _ := answer["transaction"].(map[string]any)
		txnid, _ := made["txnid"].(string)
		end := &keyedWrite{"/cancel-payment", fmt.Sprintf(`{"txnid":%q}`, txnid), "cancel-" + key}
		if i%2 == 1 {
			query := fmt.Sprintf(`mutation { manualMarkAsCompleted(apiKey: %q, txnid: %q) { code message success } }`, s.key, txnid)
			end = &keyedWrite{"/graphql", fmt.Sprintf(`{"query":%q}`, query), "mark-" + key}
		}
		ended, answer := end.send(t.Context(), url)
		if ended == 0 {
			return end
		}
		if status != http.StatusOK || ended != http.StatusOK {
			t.Errorf("%s: %d, %s: %d %v", create.key, status, end.key, ended, answer)
			return nil
		}
		select {
		case answers <- struct{}{}:
		default: // enough were counted
		}
	}
}

// wantDone sends a write again until it is answered, which must be with success and in time.
func (s *shop) wantDone(t *testing.T, w *keyedWrite, up time.Time) {
	const within = 5 * time.Second
	for {
		sent := time.Since(up)
		status, answer := w.send(t.Context(), s.url)
		if data, ok := answer["data"].(map[string]any); ok {
			for _, result := range data {
				answer, _ = result.(map[string]any)
			}
			code, _ := answer["code"].(float64)
			status = int(code)
		}
		switch {
		case status == http.StatusOK:
			return
		case status == http.StatusConflict && sent < within:
			time.Sleep(100 * time.Millisecond) // another try may still hold the key
		default:
			t.Errorf("%s, sent again %s after the restart, is answered %d %v", w.key, sent, status, answer)
			return
		}
	}
}
