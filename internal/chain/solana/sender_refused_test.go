package solana_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
)

// preflight is the answer of a node that refuses a transaction after it has simulated it.
func preflight(why, message string) string {
	return `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Transaction simulation failed: ` + message +
		`","data":{"accounts":null,"err":` + why + `,"logs":[]}}}`
}

// TestSender_Refused: what a node says of a transaction is no failure of the node. A node that has processed it, or
// does not know its blockhash (any more), has not refused it for good: what became of it is tracked.
func TestSender_Refused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   string
		status int
		fine   bool
	}{
		"AlreadyProcessed": {preflight(`"AlreadyProcessed"`, "This transaction has already been processed"), 200, true},
		"AlreadyByMessage": {rpcError(-32002, "Transaction simulation failed: This transaction has already been processed"), 200, true},
		"AlreadyByStatus":  {preflight(`"AlreadyProcessed"`, "This transaction has already been processed"), 400, true},
		"UnknownBlockhash": {preflight(`"BlockhashNotFound"`, "Blockhash not found"), 200, true},
		"BlockhashMessage": {rpcError(-32002, "Transaction simulation failed: Blockhash not found"), 200, true},
		"Failing":          {preflight(`{"InstructionError":[2,{"Custom":1}]}`, "Error processing Instruction 2"), 200, false},
		"Signature":        {rpcError(-32003, "Transaction signature verification failure"), 200, false},
		"Encoding":         {rpcError(-32602, "base64 encoded too large"), 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, items := ready(t)
			n := s.through(t, solana.SenderConfig{})
			a := s.mustSign(t, items)
			n.failFor("sendTransaction", "base64", c.status, c.body)
			for range 3 {
				if err := s.sender.Broadcast(t.Context(), a); (err == nil) != c.fine {
					t.Errorf("Broadcast = %v", err)
				}
			}
			for _, e := range s.reader.Endpoints() {
				if !e.Healthy || !e.CoolUntil.IsZero() {
					t.Errorf("the node is %+v", e)
				}
			}
			if _, err := s.sender.GasWallet(t.Context()); err != nil {
				t.Errorf("the network is not reached any more: %v", err)
			}
			s.notDropped(t, items, a)
		})
	}
}

// TestSender_SimulatedElsewhere: a simulation that fails for a reason that passes is tried again, and is no verdict on
// the sweep.
func TestSender_SimulatedElsewhere(t *testing.T) {
	t.Parallel()
	for _, why := range []string{"BlockhashNotFound", "AlreadyProcessed", "AccountInUse", "ClusterMaintenance"} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			s, items := ready(t)
			n := s.through(t, solana.SenderConfig{})
			n.set("simulateTransaction", always(`{"context":{"slot":1},"value":{"err":"`+why+`","logs":[]}}`))
			if _, err := s.sender.Sign(t.Context(), items, nil, time.Now()); !fault.Is(err, fault.Unavailable) {
				t.Errorf("Sign = %v, want Unavailable", err)
			}
			n.set("simulateTransaction", nil)
			s.mustSign(t, items)
		})
	}
}

// TestFind_CannotCoolDown: a payer who looks up a transaction that nodes cannot return takes no node out of use.
func TestFind_CannotCoolDown(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]bad{
		"Version":  refusing("getTransaction", theTx, http.StatusOK, rpcError(-32015, "version (2) is not supported")),
		"Internal": refusing("getTransaction", theTx, http.StatusOK, rpcError(-32603, "Internal error")),
		"Null":     forText("getTransaction", theTx, says("null")),
		"Garbled":  forText("getTransaction", theTx, says(`"?"`)),
		"Bare":     forText("getTransaction", theTx, says(`{"slot":1}`)),
		"Params":   refusing("getSignatureStatuses", theTx, http.StatusOK, rpcError(-32602, "Invalid param")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, paid, h := recorded(t, 1)
			reader, list, _ := h.through(t, 2)
			for _, n := range list {
				spoil(n, "", string(paid.Tx))
			}
			for range 5 {
				if found, err := reader.Find(t.Context(), paid.Tx); err == nil && len(found.Transfers) > 0 {
					t.Fatalf("found %+v", found)
				}
			}
			for _, e := range reader.Endpoints() {
				if !e.CoolUntil.IsZero() {
					t.Errorf("%s rests: %s", e.Name, e.Reason)
				}
			}
			if heads := mustHeads(t, reader); heads.Final == (chain.Head{}) {
				t.Error("no heads")
			}
		})
	}
}
