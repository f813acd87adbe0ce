package table

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/payment"
)

const (
	eventPayment = payment.ID("01KJ4Z8Y3T6Q0M5V9B2N7R1XWA")
	completed    = `{"txnid":"01KJ4Z8Y3T6Q0M5V9B2N7R1XWA","status":"completed","amount":12.5,"amountInToken":12.5,"network":"base",` +
		`"createdAt":"2026-11-23T04:43:47.120Z","token":"USDC",` +
		`"hash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","receivedAmount":12.5,"reference":"order 4711",` +
		`"metadata":{"cart":"a-b-c"},"eventId":"evt_01KJ4Z8Y3T6Q0M5V9B2N7R1XWA_5"}`
	seen = `{"network":"BASE","token":"USDC","address":"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",` +
		`"tx":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","units":"12500000","asset":"USDC","block":4711,` +
		`"source":"rpc.example","counted":true}`
)

var eventTexts = []string{
	completed, seen, "", "{}", "null", `{"until":"2026-11-23T04:43:47.120Z"}`, `"2026-11-23T04:43:47.12Z"`, `"2026-02-30T04:43:47.120Z"`,
	`{"txnid":"another","status":"`, "a\x01b", "\x00", `0x`, `0x` + strings.Repeat("aB", 100) + `"`, `0x` + strings.Repeat("a", 600) + `"`,
	`"1969-12-31T23:59:59.999Z"`, `"9999-12-31T23:59:59.999Z"`, "\xff\xfe", `{"reference":"% ü"}`,
}

func TestPackEvent(t *testing.T) {
	t.Parallel()
	for _, text := range eventTexts {
		back, err := UnpackEvent(eventPayment, PackEvent(eventPayment, []byte(text)))
		if err != nil || string(back) != text {
			t.Errorf("%q is read as %q, %v", text, back, err)
		}
	}
	for text, most := range map[string]int{completed: 115, seen: 105} {
		if n := len(PackEvent(eventPayment, []byte(text))); n > most {
			t.Errorf("%s takes %d bytes, at most %d are right", text, n, most)
		}
	}
	for _, wrong := range []string{"\x01", "\x02", "\x02\x05\x01", "\x1f", "\x02\x02\x09a"} {
		if text, err := UnpackEvent(eventPayment, []byte(wrong)); err == nil {
			t.Errorf("%q is read as %q", wrong, text)
		}
	}
}

// What was stored by an earlier version is read as it was written, whatever changes: these bytes are never edited.
func TestUnpackEvent_Stored(t *testing.T) {
	t.Parallel()
	for want, stored := range map[string]string{completed: storedCompleted, seen: storedSeen} {
		raw, err := hex.DecodeString(stored)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := UnpackEvent(eventPayment, raw); err != nil || string(text) != want {
			t.Errorf("%x is read as %q, %v", raw, text, err)
		}
	}
}

func FuzzPackEvent(f *testing.F) {
	for _, text := range eventTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		back, err := UnpackEvent(eventPayment, PackEvent(eventPayment, []byte(text)))
		if err != nil || string(back) != text {
			t.Fatalf("%q is read as %q, %v", text, back, err)
		}
	})
}

const (
	storedCompleted = "030431322e350731322e350862617365090101a206b7a0300a1a0b02210188df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6" +
		"a713944b0c31322e350d6f7264657220343731310e63617274223a22612d622d630f3511"
	storedSeen = "12424153450a1a13021802fb6916095ca1df60bb79ce92ce3ea74c37c5d3598219001402210188df016429689c079f3b2f6ad39fa052532c56795b73" +
		"3da78a91ebe6a713944b153132353030303030161a1734373131187270632e6578616d706c6522197d"
)
