// Command clients creates, pays and reads payments of amounts with 6 places through the Go clients that generators make
// of a running server's OpenAPI documents: oapi-codegen of 3.1 in oapi, ogen of 3.0 in ogen.
//
//	clients BASE DEPOSIT KEY
//
// Test money is sent to DEPOSIT with the txnid behind it.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	"florin.example/clients/oapi"
	"florin.example/clients/ogen"
)

// client is what a shop does.
type client interface {
	create(ctx context.Context, amount float64) (txnid string, answered float64, err error)
	pay(ctx context.Context, txnid string) error
	read(ctx context.Context, txnid string) (status string, amount, received float64, err error)
}

func main() {
	log.SetFlags(0)
	base, deposit, key := os.Args[1], os.Args[2], os.Args[3]
	one, err := oapi.NewClientWithResponses(base, oapi.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error { r.Header.Set("x-api-key", key); return nil },
	))
	if err != nil {
		log.Fatal(err)
	}
	two, err := ogen.NewClient(base, keyed(key))
	if err != nil {
		log.Fatal(err)
	}
	for name, c := range map[string]client{"oapi-codegen": oapiClient{one}, "ogen": ogenClient{two}} {
		for _, amount := range []float64{49.123456, 999999.999999, 0.010001} {
			if err := through(c, amount, deposit); err != nil {
				log.Fatalf("%s, %f: %v", name, amount, err)
			}
		}
		fmt.Println(name)
	}
}

func through(c client, amount float64, deposit string) error {
	ctx := context.Background()
	txnid, answered, err := c.create(ctx, amount)
	if err == nil {
		err = c.pay(ctx, txnid)
	}
	if err != nil {
		return err
	}
	r, err := http.Post(deposit+txnid, "", nil)
	if err != nil {
		return err
	}
	if err := r.Body.Close(); err != nil {
		return err
	}
	status, asked, received, err := c.read(ctx, txnid)
	if err == nil && (status != "COMPLETED" || answered != amount || asked != amount || received != amount) {
		err = fmt.Errorf("%s is %s: created as %f, read as %f and %f", txnid, status, answered, asked, received)
	}
	return err
}

type oapiClient struct{ *oapi.ClientWithResponses }

func (c oapiClient) create(ctx context.Context, amount float64) (string, float64, error) {
	r, err := c.CreatePaymentWithResponse(ctx, nil, oapi.CreatePaymentRequest{Amount: &amount})
	if err != nil || r.JSON200 == nil {
		return "", 0, fmt.Errorf("create: %w, %+v", err, r)
	}
	return r.JSON200.Transaction.Txnid, r.JSON200.Transaction.Amount, nil
}

func (c oapiClient) pay(ctx context.Context, txnid string) error {
	r, err := c.PayWithResponse(ctx, nil, oapi.PayRequest{Txnid: txnid, Network: "POLYGON", Token: "USDC"})
	if err != nil || r.JSON200 == nil || r.JSON200.Transaction.Wallet.Address == "" {
		return fmt.Errorf("pay: %w, %+v", err, r)
	}
	return nil
}

func (c oapiClient) read(ctx context.Context, txnid string) (string, float64, float64, error) {
	r, err := c.GetOrderWithResponse(ctx, txnid)
	if err != nil || r.JSON200 == nil {
		return "", 0, 0, fmt.Errorf("read: %w, %+v", err, r)
	}
	t := r.JSON200.Transaction
	return string(t.Status), t.Amount, t.ReceivedAmount, nil
}

// keyed sends the key in one of the ways.
type keyed string

func (k keyed) XApiKey(context.Context, ogen.OperationName) (ogen.XApiKey, error) {
	return ogen.XApiKey{APIKey: string(k)}, nil
}

func (keyed) ApiKeyHeader(context.Context, ogen.OperationName) (ogen.ApiKeyHeader, error) {
	return ogen.ApiKeyHeader{}, ogenerrors.ErrSkipClientSecurity
}

func (keyed) Bearer(context.Context, ogen.OperationName) (ogen.Bearer, error) {
	return ogen.Bearer{}, ogenerrors.ErrSkipClientSecurity
}

type ogenClient struct{ *ogen.Client }

func (c ogenClient) create(ctx context.Context, amount float64) (string, float64, error) {
	in := &ogen.CreatePaymentRequest{Amount: ogen.NewOptFloat64(amount)}
	r, err := c.CreatePayment(ctx, in, ogen.CreatePaymentParams{})
	made, ok := r.(*ogen.PaymentResult)
	if !ok {
		return "", 0, fmt.Errorf("create: %w, %+v", err, r)
	}
	return made.Transaction.Value.Txnid, made.Transaction.Value.Amount, nil
}

func (c ogenClient) pay(ctx context.Context, txnid string) error {
	in := &ogen.PayRequest{Txnid: txnid, Network: "POLYGON", Token: "USDC"}
	r, err := c.Pay(ctx, in, ogen.PayParams{})
	if started, ok := r.(*ogen.TransactionResult); !ok || started.Transaction.Value.Wallet.Value.Address == "" {
		return fmt.Errorf("pay: %w, %+v", err, r)
	}
	return nil
}

func (c ogenClient) read(ctx context.Context, txnid string) (string, float64, float64, error) {
	r, err := c.GetOrder(ctx, ogen.GetOrderParams{Txnid: txnid})
	found, ok := r.(*ogen.TransactionResult)
	if !ok {
		return "", 0, 0, fmt.Errorf("read: %w, %+v", err, r)
	}
	t := found.Transaction.Value
	return string(t.Status), t.Amount, t.ReceivedAmount, nil
}
