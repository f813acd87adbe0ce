package jsonbody

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/testkit"
)

// A field that no operation has is named, with the name that is meant if one is like it.
func TestObject_Unread(t *testing.T) {
	t.Parallel()
	o, err := Parse([]byte(`{"amount":1,"order_id":"7","sucessUrl":"x","success_url":"x","succes-url":"x","EXTRA\u200b":null,"z":0}`))
	testkit.Must(t, err)
	o.Decimal("amount")
	o.Text("successUrl")
	o.Text("z")
	for i, want := range []fault.Warning{
		{Field: "EXTRA", Reason: "there is no such field, so it was ignored"},
		{Field: "order_id", Reason: "there is no such field, so it was ignored"},
		{Field: "succes-url", Reason: "there is no such field, so it was ignored; did you mean successUrl?"},
		{Field: "success_url", Reason: "there is no such field, so it was ignored; did you mean successUrl?"},
		{Field: "sucessUrl", Reason: "there is no such field, so it was ignored; did you mean successUrl?"},
	} {
		if got := o.Unread(); len(got) != 5 || got[i] != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
	many, err := Parse([]byte(`{"` + strings.Repeat("x", 1000) + `":1,"` + strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), `":1,"`) + `":1}`))
	testkit.Must(t, err)
	if got := many.Unread(); len(got) != maxUnread || len(many.fields) != 27 {
		t.Errorf("%d warnings", len(got))
	}
	if w := Unknown("field", strings.Repeat("x", 1000), nil); len(w.Field) != 64 {
		t.Errorf("a name of %d characters", len(w.Field))
	}
}
