# TXNID is the txnid of the payment. No key is needed.
curl -s "http://localhost:8080/orders/$TXNID"
