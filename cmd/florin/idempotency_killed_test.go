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
)

// keyedWrite is a request with an Idempotency-Key.
type keyedWrite struct {
	path, body, key string
	answered        bool
}

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

// TestIdempotency_Killed kills the program while many writes run. Each of them, sent again after the restart, is
// answered with its one result within 5 s: as done, whether or not it was before.
func TestIdempotency_Killed(t *testing.T) {
	t.Parallel()
	s := openShop(t, "FLORIN_SIGNUP_CREDITS=500", "FLORIN_SIGNUP_QUERIES=500")
	const each = 40
	var writes []*keyedWrite
	for i := range each {
		created := func() string {
			status, p := s.post(t, "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key))
			if status != http.StatusOK {
				t.Fatalf("create: %d %v", status, p)
			}
			return p["transaction"].(map[string]any)["txnid"].(string)
		}
		mark := fmt.Sprintf(`{"query":"mutation { manualMarkAsCompleted(apiKey: \"%s\", txnid: \"%s\") { code message success } }"}`, s.key, created())
		writes = append(writes,
			&keyedWrite{path: "/cancel-payment", body: `{"txnid":"` + created() + `"}`, key: fmt.Sprint("cancel-", i)},
			&keyedWrite{path: "/graphql", body: mark, key: fmt.Sprint("mark-", i)},
			&keyedWrite{path: "/create-payment", body: fmt.Sprintf(`{"apiKey":%q,"amount":5}`, s.key), key: fmt.Sprint("create-", i)},
		)
	}
	var all sync.WaitGroup
	answers := make(chan struct{}, len(writes))
	for _, w := range writes {
		all.Go(func() {
			if status, _ := w.send(t.Context(), s.url); status != 0 {
				w.answered = true
				answers <- struct{}{}
			}
		})
	}
	for range len(writes) / 4 {
		<-answers
	}
	s.stop(t, syscall.SIGKILL)
	all.Wait()
	s.server = s.serve(t)
	up := time.Now()
	broken := 0
	for _, w := range writes {
		if w.answered {
			continue
		}
		broken++
		all.Go(func() { s.wantDone(t, w, up) })
	}
	all.Wait()
	if broken == 0 {
		t.Error("no write was broken by the kill, so nothing was tried")
	}
	t.Logf("%d of %d writes were broken by the kill", broken, len(writes))
}

// wantDone sends a write again until it is answered, which must be with success and in time.
func (s *shop) wantDone(t *testing.T, w *keyedWrite, up time.Time) {
	const within = 5 * time.Second
	for {
		sent := time.Since(up)
		status, answer := w.send(t.Context(), s.url)
		if data, ok := answer["data"].(map[string]any); ok {
			answer, _ = data["manualMarkAsCompleted"].(map[string]any)
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
