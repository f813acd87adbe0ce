curl -s http://localhost:8080/create-payment \
  -H "Authorization: Bearer $FLORIN_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: order-1042' \
  -d '{"amount": 49.90, "reference": "order-1042", "description": "Two bags of coffee"}'
