package contracts_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/vm"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
)

// TestImplementationOpcodes: code that runs by delegatecall in every deposit
// address cannot destroy it, create or become other code, or keep state.
func TestImplementationOpcodes(t *testing.T) {
	t.Parallel()
	chain := startChain(t)
	counts := map[vm.OpCode]int{}
	for _, op := range instructions(chain.code(contracts.ImplementationAddress(contracts.FactoryAddress()))) {
		counts[op]++
	}
	for _, op := range []vm.OpCode{
		vm.SELFDESTRUCT, vm.DELEGATECALL, vm.CALLCODE, vm.CREATE, vm.CREATE2, vm.SSTORE, vm.SLOAD, vm.TSTORE,
	} {
		if counts[op] != 0 {
			t.Errorf("%d × %s", counts[op], op)
		}
	}
	// One call pays the native coin, one is transfer on a token; one static call is balanceOf.
	if counts[vm.CALL] != 2 || counts[vm.STATICCALL] != 1 {
		t.Errorf("%d × CALL and %d × STATICCALL, want 2 and 1", counts[vm.CALL], counts[vm.STATICCALL])
	}
}

// instructions returns what the code executes at most: without the data of
// pushes, and without the compiler's note at the end, whose length is the last
// two bytes.
func instructions(code []byte) (ops []vm.OpCode) {
	note := int(code[len(code)-2])<<8 | int(code[len(code)-1])
	code = code[:len(code)-2-note]
	for i := 0; i < len(code); i++ {
		op := vm.OpCode(code[i])
		ops = append(ops, op)
		if op.IsPush() && op != vm.PUSH0 {
			i += int(op-vm.PUSH1) + 1
		}
	}
	return ops
}
