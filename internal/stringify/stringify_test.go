package stringify_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/stringify"
)

// reserialise is what a receiver in JavaScript does whose framework has parsed the body.
const reserialise = `require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean)
	.forEach(line => console.log(JSON.stringify(JSON.parse(line))))`

// A text that JavaScript parses and writes again is the same text: escapes, numbers and the order of keys.
func TestJSON_SurvivesJavaScript(t *testing.T) {
	t.Parallel()
	type body struct {
		Amount   money.Micros  `json:"amount"`
		Text     string        `json:"text"`
		Metadata stringify.Map `json:"metadata"`
	}
	keys := []string{
		"b", "a", "Z", "10", "9", "0", "007", "1.5", "-1", "4294967294", "4294967295", "4294967296", "1e3", "+1", "",
		" ", "é", "支付", "😀", "<&>", "\u2028", "__proto__", "constructor", "toString", "a\"b", `a\b`,
	}
	texts := []string{
		"", "Tom & Jerry <b>", "a\u2028b\u2029c", `\u2028 \\u2029`, "tab\tnew\nline\rcr", "\b\f\v\x00\x1b\x7f",
		`"quoted" \ back/slash`, "Ünï 支付 🧾", "\u0085\u200b\ufeff\ufffd", "</script>", "'single'",
	}
	var sent []string
	for i, amount := range []money.Micros{
		1, 10, 12_500_000, 49_123_456, 999_999_999_999, 1_000_000_000_000, 100_000, 7_000_000,
	} {
		for j, text := range texts {
			b := body{Amount: amount, Text: text, Metadata: stringify.Map{}}
			for k, key := range keys {
				if (i+j+k)%3 != 0 {
					b.Metadata[key] = texts[(i+k)%len(texts)]
				}
			}
			raw, err := stringify.JSON(b)
			if err != nil {
				t.Fatal(err)
			}
			sent = append(sent, string(raw))
		}
	}
	node := exec.CommandContext(t.Context(), "node", "-e", reserialise)
	node.Stdin = strings.NewReader(strings.Join(sent, "\n"))
	out, err := node.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(got) != len(sent) {
		t.Fatalf("%d of %d lines", len(got), len(sent))
	}
	for i := range sent {
		if got[i] != sent[i] {
			t.Errorf("sent\n%s\nbecomes\n%s", sent[i], got[i])
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`"<&>"`: "<&>", "\"\u2028\u2029\"": "\u2028\u2029", `"\\u2028"`: `\u2028`, `{}`: stringify.Map{},
		`{"2":"b","10":"a","a":"c"}`: stringify.Map{"10": "a", "2": "b", "a": "c"}, `{"a":"b"}`: json.RawMessage(`{ "a" : "b" }`),
	} {
		if got, err := stringify.JSON(v); err != nil || !bytes.Equal(got, []byte(want)) {
			t.Errorf("%#v is %s (%v), want %s", v, got, err, want)
		}
	}
	if _, err := stringify.JSON(func() {}); err == nil {
		t.Error("a function is JSON")
	}
}
