package docs

import (
	"embed"
	"errors"
	"io/fs"
	"strings"
)

// Each sample is a complete program that runs against the sandbox. The underscore
// keeps the go tool from taking the directory for a package.
//
//go:embed _samples
var sampleFiles embed.FS

// shownBase is the address that stands in the files: where `make run` serves.
const shownBase = "http://localhost:8080"

// Sample is one task in one language.
type Sample struct {
	Task, Language string // identifiers, such as create-payment and go
	Name           string // of the language, such as Go
	File           string // its name, such as create-payment.go
	Code           string
}

// Task is something every merchant does, in every language.
type Task struct {
	ID, Title string
	Lead      string // one sentence; may be empty
	Samples   []Sample
}

var languages = []struct{ id, name, ending string }{
	{"curl", "curl", ".sh"},
	{"javascript", "JavaScript", ".mjs"},
	{"php", "PHP", ".php"},
	{"go", "Go", ".go"},
	{"python", "Python", ".py"},
}

// The tasks.
const (
	CreateCustodian = "create-custodian"
	CreatePayment   = "create-payment"
	ReadPayment     = "read-payment"
	ListPayments    = "list-payments"
	CancelPayment   = "cancel-payment"
	VerifyWebhook   = "verify-webhook"
	FollowEvents    = "follow-events"
	// SignUp and PayInSandbox have a script alone.
	SignUp       = "sign-up"
	PayInSandbox = "pay-in-sandbox"
)

var tasks = []Task{
	{ID: CreateCustodian, Title: "Say where the money goes", Lead: "Once for each key: your wallets, where webhooks go, and your secret."},
	{ID: CreatePayment, Title: "Create a payment", Lead: "Send the customer to the link and keep the txnid with your order."},
	{ID: ReadPayment, Title: "Read a payment", Lead: "The txnid is all it takes."},
	{ID: ListPayments, Title: "List payments", Lead: "Page by page. Each page takes 1 credit."},
	{ID: CancelPayment, Title: "Cancel a payment", Lead: "Possible until money is on its way."},
	{ID: VerifyWebhook, Title: "Verify a webhook", Lead: "Check the signature, the time and, if you set one, your secret before you believe one."},
	{ID: FollowEvents, Title: "Follow events", Lead: "What webhooks carry and what needs you, none skipped: instead of a receiver, or beside it. POSITION_FILE is where the position is kept, PAUSE how many seconds to wait when there is nothing new."},
}

// Tasks returns every task with its samples, written for the server at the
// public address base.
func Tasks(base string) []Task {
	out := make([]Task, len(tasks))
	for i, t := range tasks {
		t.Samples = Samples(t.ID, base)
		out[i] = t
	}
	return out
}

// Samples returns the samples of a task in every language it is written in, written for the
// server at the public address base. It panics for an unknown task.
func Samples(task, base string) []Sample {
	var out []Sample
	for _, l := range languages {
		file := task + l.ending
		text, err := sampleFiles.ReadFile("_samples/" + file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			panic("docs: " + err.Error())
		}
		code := strings.ReplaceAll(strings.TrimSpace(string(text)), shownBase, base)
		out = append(out, Sample{Task: task, Language: l.id, Name: l.name, File: file, Code: code})
	}
	if len(out) == 0 {
		panic("docs: there is no task " + task)
	}
	return out
}

// first is the index of the language shown first: a webhook needs a server, which a
// shell script is not.
func first(task string) int {
	if task == VerifyWebhook {
		return 1
	}
	return 0
}
