package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"Depth":    nested(25),
		"Roots":    `{` + aliases(21, `getTxnDetails(txnid: "x") { code }`) + `}`,
		"Aliases":  `{ getTxnDetails(txnid: "x") {` + aliases(41, "code") + `} }`,
		"Fields":   `{ ` + strings.Repeat(`getTxnDetails(txnid: "x") { code } `, 151) + `}`,
		"Tokens":   `{ getTxnDetails(txnid: "x") { ` + strings.Repeat("code ", 2_000) + `} }`,
		"Deferred": `{ ... @defer { getTxnDetails(txnid: "x") { code } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, errs := prepare(t, testExecutor(true), query, "{}"); errs == nil {
				t.Error("accepted")
			}
		})
	}
}

func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" a" + strings.Repeat("x", i) + ": " + field)
	}
	return b.String()
}

func nested(n int) string {
	return `{ __schema { types { ` + strings.Repeat("ofType { ", n) + "name" + strings.Repeat(" }", n) + ` } } }`
}

// Fragments that double at every step expand to 2^60 fields.
func TestSizeLimit_ExponentialDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{ __schema { types { ...f0 } } }`)
	for i := range 60 {
		fmt.Fprintf(&b, " fragment f%d on __Type { ofType { ...f%d } interfaces { ...f%d } }", i, i+1, i+1)
	}
	b.WriteString(" fragment f60 on __Type { name }")
	start := time.Now()
	if _, errs := prepare(t, testExecutor(true), b.String(), "{}"); errs == nil {
		t.Error("accepted")
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestSizeLimit_LargestDocument(t *testing.T) {
	t.Parallel()
	largest := `{ getTxnDetails(txnid: "x") { ` + strings.Repeat("code ", 298) + `} }`
	start := time.Now()
	if _, errs := prepare(t, testExecutor(true), largest, "{}"); errs != nil {
		t.Fatal(errs)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}
