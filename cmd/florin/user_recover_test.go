package main_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// signIn signs in over the API and returns the answer's code and the token.
func (s *server) signIn(t *testing.T, email, password string) (int, string) {
	t.Helper()
	status, answer := s.post(t, "/graphql", `{"query":"mutation { UserLogin(email: \"`+email+`\", password: \"`+password+
		`\") { code token } }"}`)
	data, _ := answer["data"].(map[string]any)
	in, _ := data["UserLogin"].(map[string]any)
	if status != http.StatusOK || in == nil {
		t.Fatalf("signing in answers %d %v", status, answer)
	}
	token, _ := in["token"].(string)
	return int(in["code"].(float64)), token
}

// me returns the code by which the API answers the session.
func (s *server) me(t *testing.T, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/graphql",
		strings.NewReader(`{"query":"{ UserMe { code } }"}`))
	testkit.Must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	testkit.Must(t, err)
	defer res.Body.Close()
	body := new(strings.Builder)
	_, err = io.Copy(body, res.Body)
	testkit.Must(t, err)
	if strings.Contains(body.String(), `"code":200`) {
		return http.StatusOK
	}
	return http.StatusUnauthorized
}

// A user who is locked out comes in again by what the operator does on the command line, beside the running server.
func TestUser_Recover(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, password, "user", "create", "--email", email)
	s := i.serve(t)
	const next = "another horse battery"
	session := func(t *testing.T, password string) string {
		t.Helper()
		code, token := s.signIn(t, email, password)
		if code != http.StatusOK {
			t.Fatalf("signing in: %d", code)
		}
		return token
	}
	wantEnded := func(t *testing.T, token string) {
		t.Helper()
		if code := s.me(t, token); code != http.StatusUnauthorized {
			t.Errorf("a session from before answers %d", code)
		}
	}
	t.Run("Password", func(t *testing.T) {
		token := session(t, password)
		out := i.must(t, next+"\n", "user", "password", "--email", "Ada@Example.com")
		if strings.Contains(out, next) {
			t.Errorf("it prints the password: %s", out)
		}
		wantEnded(t, token)
		if code, _ := s.signIn(t, email, password); code != http.StatusUnauthorized {
			t.Errorf("the old password: %d", code)
		}
		session(t, next)
	})
	t.Run("PasswordOfNoUse", func(t *testing.T) {
		if r := i.run(t, "short\n", "user", "password", "--email", email); r.status != 1 || !strings.Contains(r.stderr, "password") {
			t.Errorf("a short password: %+v", r)
		}
		session(t, next)
	})
	t.Run("Link", func(t *testing.T) {
		link := strings.TrimSpace(i.must(t, "", "user", "password", "--email", email, "--link"))
		if !regexp.MustCompile(`^http://localhost:8080/reset\?token=\S{20,}$`).MatchString(link) {
			t.Errorf("the link is %q", link)
		}
	})
	t.Run("EndSessions", func(t *testing.T) {
		token := session(t, next)
		i.must(t, "", "user", "end-sessions", "--email", email)
		wantEnded(t, token)
		session(t, next)
	})
	t.Run("ResetFactor", func(t *testing.T) {
		token := session(t, next)
		i.must(t, "", "user", "reset-factor", "--email", email)
		wantEnded(t, token)
		session(t, next)
	})
	t.Run("Operator", func(t *testing.T) {
		i.must(t, "", "user", "operator", "--email", email)
		i.refuses(t, 1, []string{"user", "operator", "--email", email}, "an operator already")
		i.prints(t, `"operator":true`, "user", "list", "--json")
		i.must(t, "", "user", "operator", "--email", email, "--remove")
		i.refuses(t, 1, []string{"user", "operator", "--email", email, "--remove"}, "no operator")
		i.prints(t, `"operator":false`, "user", "list", "--find", "ada@", "--json")
		i.prints(t, email, "user", "list")
	})
	t.Run("UnknownUser", func(t *testing.T) {
		for _, args := range [][]string{
			{"password", "--link"}, {"reset-factor"}, {"end-sessions"}, {"operator"},
		} {
			i.refuses(
				t, 1, append(append([]string{"user"}, args...), "--email", "nobody@example.com"), "no user",
				"florin user list",
			)
		}
	})
	t.Run("Keys", func(t *testing.T) { checkKeyCommands(t, i, s) })
}

func checkKeyCommands(t *testing.T, i installation, s *server) {
	created := decode(t, i.must(t, "", "key", "create", "--email", email, "--label", "shop", "--json"),
		"creditsLeft", "id", "key", "label", "queriesLeft", "wallet")
	id, key := created["id"].(string), created["key"].(string)
	left := func() int {
		_, answer := s.post(t, "/graphql", `{"query":"{ getCreditsLeft(apiKey: \"`+key+`\") { code } }"}`)
		data, _ := answer["data"].(map[string]any)
		one, _ := data["getCreditsLeft"].(map[string]any)
		code, _ := one["code"].(float64)
		return int(code)
	}
	if code := left(); code != http.StatusOK {
		t.Fatalf("a new key answers %d", code)
	}
	list := i.must(t, "", "key", "list", "--json")
	if !strings.Contains(list, `"id":"`+id+`"`) || !strings.Contains(list, `"state":"active"`) || strings.Contains(list, key) {
		t.Errorf("the list of keys is %s", list)
	}
	i.prints(t, "shop", "key", "list", "--email", email)
	i.refuses(t, 1, []string{"key", "revoke", "--key", "01JD3ZKXW5R1T9A6Q1C7H2M4NB"}, "no API key", "florin key list")
	i.prints(t, "revoked", "key", "revoke", "--key", strings.ToLower(id))
	if code := left(); code != http.StatusUnauthorized {
		t.Errorf("the revoked key answers %d", code)
	}
	i.prints(t, `"state":"revoked"`, "key", "list", "--email", email, "--json")
	i.refuses(t, 1, []string{"key", "revoke", "--key", id, "--email", email}, "revoked already")
}
