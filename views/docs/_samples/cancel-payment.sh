# TXNID is the txnid of the payment. No key is needed.
curl -s http://localhost:8080/cancel-payment \
  -H 'Content-Type: application/json' \
  -d '{"txnid": "'"$TXNID"'"}'
