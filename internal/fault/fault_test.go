package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	sentinel := fault.New(fault.Conflict, "the payment has already ended")
	for _, tt := range []struct {
		err  error
		kind fault.Kind
		code int
	}{
		{sentinel, fault.Conflict, 409},
		{fmt.Errorf("cancel: %w", sentinel), fault.Conflict, 409},
		{errors.New("disk full"), fault.Internal, 500},
		{fault.Retry(fault.Limited, time.Second, "slow down"), fault.Limited, 429},
		{&fault.Error{Kind: 99}, 99, 500},
	} {
		if got := fault.KindOf(tt.err); got != tt.kind || got.Code() != tt.code || got.String() == "" {
			t.Errorf("%v is %s (%d)", tt.err, got, got.Code())
		}
	}
	if fault.Is(nil, fault.Internal) || fault.Of(errors.New("x")) != nil {
		t.Error("what is no fault is taken for one")
	}
}
