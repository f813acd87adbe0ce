# Creates a payment, starts it, pays it with test money, and waits until it is completed. HOW is
# exactly, over, wrong-token or other-chain; with short, late and reorg it does not complete.
server=http://localhost:8080
txnid=$(curl -s $server/create-payment -H "Authorization: Bearer $FLORIN_API_KEY" \
  -H 'Content-Type: application/json' -d '{"amount": 49.90}' | sed -n 's/.*"txnid":"\([^"]*\)".*/\1/p')
curl -sf -o /dev/null $server/pay -H 'Content-Type: application/json' \
  -d "{\"txnid\": \"$txnid\", \"network\": \"POLYGON\", \"token\": \"USDC\"}"
curl -sf -o /dev/null "$server/sandbox/pay/$txnid" -d "how=${HOW:-exactly}"
until curl -s "$server/orders/$txnid" | grep -q '"status":"COMPLETED"'; do sleep 1; done
echo "$txnid COMPLETED"
