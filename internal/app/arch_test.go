package app_test

import (
	"slices"
	"testing"
)

// domain are the packages of rules and services. They import the standard library, the vocabulary and each other.
var domain = []string{
	"internal/identity", "internal/merchant", "internal/campaign", "internal/ledger", "internal/idempotency",
	"internal/payment", "internal/payment/watch", "internal/recharge", "internal/refund", "internal/settlement",
	"internal/webhook", "internal/alert", "internal/retention", "internal/exchange",
}

// vocabulary are the packages of types that all others use.
var vocabulary = []string{
	"internal/fault", "internal/money", "internal/chain", "internal/secret", "internal/audit", "internal/input",
	"internal/mail", "internal/stringify",
}

// testSupport are packages that only tests use, and that are not tests themselves.
var testSupport = []string{"internal/testkit/...", "internal/chain/chaintest", "internal/store/storetest"}

// adapters connect to the outside: chains, keys, database.
var adapters = []string{
	"internal/chain/evm/...", "internal/chain/solana/...", "internal/wallet", "internal/store/...",
	"internal/passkey", "migrations",
}

// storeParts implement the Store ports of the domain packages of the same name.
var storeParts = []string{"internal/store/identity", "internal/store/merchant", "internal/store/settlement"}

// edgeRules say which package may import which.
var edgeRules = map[string]edges{
	"fault and secret import no package": {
		from: []string{"internal/fault", "internal/secret"}, to: []string{"own"},
		reason: "every package imports them, so they import none",
	},
	"money knows only faults": {
		from: []string{"internal/money"}, to: []string{"own"}, allow: []string{"internal/fault"},
		reason: "amounts are below networks and payments",
	},
	"chain knows only money, secrets and faults": {
		from: []string{
			"internal/chain",
		}, to: []string{"own"}, allow: []string{"internal/fault", "internal/money", "internal/secret"},
		reason: "it is the vocabulary of adapters and domain alike",
	},
	"the domain knows only itself and its vocabulary": {
		from: domain, to: []string{"own"}, allow: slices.Concat(domain, vocabulary),
		reason: "rules that depend on a database, a chain client or a page cannot be tested without one",
	},
	"payment does not know settlement and webhook": {
		from: []string{"internal/payment/..."}, to: []string{"internal/settlement", "internal/webhook"},
		reason: "they share tables: deposits, events, deliveries",
	},
	"settlement does not know payment and webhook": {
		from: []string{
			"internal/settlement",
		}, to: []string{"internal/payment/...", "internal/webhook", "internal/campaign"},
		reason: "they share tables: deposits, events, deliveries",
	},
	"webhook does not know payment and settlement": {
		from: []string{
			"internal/webhook",
		}, to: []string{"internal/payment/...", "internal/settlement", "internal/campaign"},
		reason: "they share tables: deposits, events, deliveries",
	},
	"ledger is below users and payments": {
		from: []string{"internal/ledger"}, to: domain,
		reason: "a ledger that knew its users would have to change with them",
	},
	"audit knows only answers, mails and secrets": {
		from: []string{"internal/audit"}, to: []string{"own"},
		allow:  []string{"internal/idempotency", "internal/mail", "internal/secret"},
		reason: "it is the vocabulary of the audit log, and every package that acts uses it",
	},
	"backup knows only faults and secrets": {
		from: []string{"internal/backup"}, to: []string{"own"}, allow: []string{"internal/fault", "internal/secret"},
		reason: "it says what a backup is; store reads the database, and the commands put files in their places",
	},
	"exchange knows only networks and amounts": {
		from: []string{"internal/exchange"}, to: []string{"own"}, allow: vocabulary,
		reason: "a rate is decided from readings, whoever asks for it and whoever has read them",
	},
	"only backup and its commands see age": {
		except: []string{"internal/backup", "cmd/florin"}, to: []string{"filippo.io/age/..."},
		reason: "backups are all that is encrypted for others to keep",
	},
	"input knows only faults": {
		from: []string{"internal/input"}, to: []string{"own"}, allow: []string{"internal/fault"},
		reason: "it checks texts of any meaning",
	},
	"identity does not know merchant": {
		from: []string{
			"internal/identity",
		}, to: []string{"internal/merchant", "internal/campaign", "internal/payment", "internal/ledger"},
		reason: "a user signs in whether or not they belong to a merchant",
	},
	"payment does not know campaign": {
		from:   []string{"internal/payment/...", "internal/identity", "internal/merchant"},
		to:     []string{"internal/campaign"},
		reason: "a campaign opens payments, never the other way round",
	},
	"chain adapters and wallet know only the vocabulary": {
		from: []string{"internal/chain/evm/...", "internal/chain/solana/...", "internal/wallet"},
		to:   []string{"own"},
		allow: slices.Concat(vocabulary, testSupport, []string{
			"internal/chain/endpoint", "internal/chain/subscription",
			"internal/chain/evm/...", "internal/chain/solana/...",
			"internal/wallet",
		}),
		reason: "an adapter translates; the domain decides what follows",
	},
	"the adapters of chains do not know each other": {
		from: []string{"internal/chain/evm/..."}, to: []string{"internal/chain/solana/..."},
		reason: "what they share is in chain",
	},
	"store knows domain, vocabulary and migrations": {
		from: []string{"internal/store/..."}, to: []string{"own"},
		allow: slices.Concat(
			domain, vocabulary, testSupport, []string{"internal/store/...", "internal/backup", "migrations"},
		),
		reason: "it persists decisions and calls no other service",
	},
	"web and graph do not know adapters": {
		from: []string{"web/...", "graph/..."}, to: slices.Concat(adapters, []string{"internal/app", "internal/sandbox/..."}),
		allow:  []string{"internal/store/report"}, // pages show its lists and figures
		reason: "handlers call services; the app chooses the implementations",
	},
	"store/db knows no domain type": {
		from: []string{
			"internal/store/db",
		}, to: []string{"own"}, allow: slices.Concat([]string{"internal/fault"}, testSupport),
		reason: "it runs SQL on two databases, for tables of any kind",
	},
	"store/report reads by itself": {
		from: []string{"internal/store/report"}, to: []string{"internal/store"},
		reason: "store offers it; writes stay in store",
	},
	"the parts of the store do not know each other": {
		from: storeParts, to: slices.Concat(storeParts, []string{"internal/store"}),
		reason: "what they share is in store/table",
	},
	"store/table is below the stores": {
		from:   []string{"internal/store/table"},
		to:     slices.Concat(storeParts, []string{"internal/store", "internal/store/report"}),
		reason: "it holds the tables that they share",
	},
	"the parts of the store are reached through the store": {
		from: []string{"own"}, except: []string{"internal/store/..."},
		to:     slices.Concat(storeParts, []string{"internal/store/table"}),
		reason: "store.Open builds them on one engine; callers take them from it behind the ports of the domain",
	},
	"only the store runs statements": {
		from: []string{"own"}, except: []string{"internal/store/..."}, to: []string{"internal/store/db"},
		reason: "only store may begin a transaction",
	},
	"graph does not know web": {
		from: []string{"graph/..."}, to: []string{"web/...", "views/..."},
		reason: "web mounts graph",
	},
	"views show values": {
		from: []string{"views/..."}, to: []string{"own"},
		allow:  []string{"views/...", "static/...", "internal/chain", "internal/money", "internal/input"},
		reason: "a view takes a props struct of types and returns HTML; a service in it would be called while rendering",
	},
	"static files and migrations import no package": {
		from: []string{"static/...", "migrations"}, to: []string{"own"}, allow: []string{"static/..."},
		reason: "they are data",
	},
	"config is read by programs and the app": {
		from: []string{"own"}, except: []string{"cmd/...", "internal/app", "internal/config"},
		to:     []string{"internal/config"},
		reason: "a package that reads the configuration cannot be built with other values; take them as parameters",
	},
	"one room below the programs builds them": {
		from: []string{"internal/..."}, except: []string{"internal/app"},
		to:     []string{"web/...", "graph/...", "views/..."},
		reason: "internal/app puts surfaces and services together; whatever else needs both is a program, in cmd",
	},
	"a surface imports no other surface": {
		from: []string{"web/..."}, except: []string{"web"},
		to: []string{"web/..."}, allow: []string{"web/shell", "web/session", "web/live", "web/present"},
		reason: "what two surfaces share stands in one of the four rooms below them, or is given by web",
	},
	"only programs import the app": {
		from: []string{"own"}, except: []string{"cmd/..."},
		to:     []string{"internal/app", "cmd/..."},
		reason: "it is the top",
	},
	"only programs import the sandbox": {
		from:   []string{"own"},
		except: slices.Concat(testSupport, []string{"cmd/sandbox", "internal/sandbox/...", "cmd/bench/..."}),
		to:     []string{"internal/sandbox/..."},
		reason: "development chains, faucets and demo keys have no business in production",
	},
	"test support is for tests": {
		from: []string{"own"}, except: slices.Concat(testSupport, []string{"cmd/bench/..."}),
		to:     slices.Concat(testSupport, []string{"testing"}),
		reason: "it fails tests, starts servers and gives wrong answers on purpose",
	},

	"only store sees SQL": {
		except: []string{"internal/store/...", "cmd/bench/..."},
		to:     []string{"github.com/uptrace/bun/...", "modernc.org/sqlite/...", "database/sql/..."},
		reason: "only store may begin a transaction",
	},
	"only store sees PostgreSQL": {
		except: []string{"internal/store/...", "internal/testkit/postgres", "cmd/bench/..."},
		to:     []string{"github.com/jackc/pgx/v5/..."},
		reason: "only store may begin a transaction",
	},
	"only chain/evm and wallet see go-ethereum": {
		except: slices.Concat(
			testSupport,
			[]string{"internal/chain/evm/...", "internal/wallet", "internal/sandbox/...", "cmd/sandbox"},
		),
		to:     []string{"github.com/ethereum/go-ethereum/..."},
		reason: "elsewhere an address is a chain.Address, so that a change of the library has an effect in one place",
	},
	"only chain/solana and wallet see solana-go": {
		except: slices.Concat(
			testSupport,
			[]string{
				"internal/chain/solana/...", "internal/wallet", "internal/sandbox/...", "cmd/sandbox", "cmd/bench/...",
			},
		),
		to:     []string{"github.com/gagliardetto/..."},
		reason: "elsewhere an address is a chain.Address, so that a change of the library has an effect in one place",
	},
	"only passkey sees go-webauthn": {
		except: []string{"internal/passkey"}, to: []string{"github.com/go-webauthn/..."},
		reason: "its types depend on HTTP; elsewhere a passkey is an identity.Passkey, and challenge and response are texts",
	},
	"passkey knows users": {
		from: []string{
			"internal/passkey",
		}, to: []string{"own"}, allow: []string{"internal/identity", "internal/secret"},
		reason: "it translates a protocol; the domain decides what follows",
	},
	"only web and graph see Echo": {
		except: []string{"web/...", "graph/..."}, to: []string{"github.com/labstack/..."},
		reason: "Echo's types stay at the edge, so that its next version is a mechanical change",
	},
	"only web sees cookies": {
		except: []string{"web/..."},
		to:     []string{"github.com/gorilla/sessions", "github.com/gorilla/securecookie"},
		reason: "elsewhere a session belongs to a user, however the browser stores it",
	},
	"only chain/subscription sees WebSockets": {
		except: slices.Concat(testSupport, []string{"internal/chain/subscription"}),
		to:     []string{"github.com/gorilla/websocket"},
		reason: "what is pushed wakes and is never believed; pages use server-sent events",
	},
	"only graph sees gqlgen": {
		except: []string{
			"graph/...", "web/...",
		}, to: []string{"github.com/99designs/gqlgen/...", "github.com/vektah/gqlparser/..."},
		reason: "GraphQL is one of two surfaces of the same operations",
	},
	"only mail/smtp sees go-mail": {
		except: []string{"internal/mail/smtp"}, to: []string{"github.com/wneessen/..."},
		reason: "elsewhere a mail is a mail.Mail, whatever carries it",
	},
	"only views and web render": {
		except: []string{"views/...", "web/...", "cmd/sandbox"}, to: []string{"github.com/a-h/templ/..."},
		reason: "HTML is made in one place",
	},
	"only metrics sees Prometheus": {
		except: []string{"internal/metrics"}, to: []string{"github.com/prometheus/..."},
		reason: "the domain does not depend on being measured",
	},
	"only trace sees OpenTelemetry": {
		except: []string{"internal/trace", "internal/testkit"}, to: []string{"go.opentelemetry.io/..."},
		reason: "the domain does not depend on being traced",
	},
	"trace knows the domain and its vocabulary": {
		from: []string{"internal/trace"}, to: []string{"own"}, allow: slices.Concat(domain, vocabulary, []string{"internal/metrics"}),
		reason: "it wraps ports, whatever implements them",
	},
	"metrics knows the domain and its vocabulary": {
		from: []string{"internal/metrics"}, to: []string{"own"}, allow: slices.Concat(domain, vocabulary, []string{"internal/store", "internal/store/report"}),
		reason: "it wraps ports, whatever implements them",
	},
	"only edges speak HTTP": {
		except: slices.Concat(testSupport, []string{
			"web/...", "graph/...", "static/...", // serve
			"internal/webhook/...", "internal/chain/evm/...", "internal/chain/solana/...", // make requests
			"internal/chain/subscription", "internal/exchange/reference",
			// reaches the public address
			"internal/doctor",
			"internal/metrics",                                // counts what the edges do
			"internal/trace",                                  // sends to the collector
			"internal/app", "internal/sandbox/...", "cmd/...", // put both together
		}),
		to:     []string{"net/http/..."},
		reason: "web and graph serve, webhook and the chain adapters make requests; a request from anywhere else is unbounded and unguarded",
	},
}

// reachRules say which packages may not be linked into a program.
var reachRules = []reach{
	{
		from: "cmd/florin",
		to: []string{
			"internal/sandbox/...", "internal/chain/evm/contracts/contractstest",
			"github.com/ethereum/go-ethereum/core", "github.com/ethereum/go-ethereum/core/vm",
		},
		reason: "a chain in the program could mint tokens",
	},
	{
		from: "cmd/sandbox",
		to: []string{
			"github.com/ethereum/go-ethereum/node", "github.com/ethereum/go-ethereum/eth",
			"github.com/ethereum/go-ethereum/ethclient/simulated", "github.com/ethereum/go-ethereum/p2p/...",
		},
		reason: "geth's node is 290 packages, which a first make run waits for",
	},
	{
		from: "cmd/florin", to: testSupport,
		reason: "test support gives wrong answers on purpose",
	},
}

func TestImports(t *testing.T) {
	t.Parallel()
	imports := readTree(t, moduleRoot(t))
	if len(imports["internal/payment"]) == 0 {
		t.Fatal("no imports of internal/payment were read: the test reads the wrong directory")
	}
	for name, rule := range edgeRules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, violation := range rule.violations(imports) {
				t.Error(violation)
			}
		})
	}
	for _, rule := range reachRules {
		for _, violation := range rule.violations(imports) {
			t.Error(violation)
		}
	}
}

// TestDomainHasNoClock: time, randomness and identity come in as values or narrow interfaces.
func TestDomainHasNoClock(t *testing.T) {
	t.Parallel()
	root, pure := moduleRoot(t), slices.Concat(domain, vocabulary)
	for _, place := range calls(t, root, pure, "time", "Now", "Since", "Until") {
		t.Errorf("%s: the domain takes time as a value, or its tests depend on the clock", place)
	}
	for _, imported := range []string{"math/rand", "math/rand/v2"} {
		rule := edges{from: pure, to: []string{imported}, reason: "the domain takes randomness as a value"}
		for _, violation := range rule.violations(readTree(t, root)) {
			t.Error(violation)
		}
	}
}
