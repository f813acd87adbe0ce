# SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go.
curl -s http://localhost:8080/graphql \
  -H 'Content-Type: application/json' \
  -d @- <<END
{
  "query": "mutation (\$input: CustodianCreateInput!) { createCustodianAccount(input: \$input) { code message custodian { id signingSecret } } }",
  "variables": {"input": {
    "apiKey": "$FLORIN_API_KEY",
    "name": "Corner Coffee",
    "wallets": {
      "bep20": "$SETTLEMENT_WALLET",
      "polygon": "$SETTLEMENT_WALLET",
      "base": "$SETTLEMENT_WALLET"
    },
    "callbackUrl": "$CALLBACK_URL",
    "secret": "$CALLBACK_SECRET"
  }}
}
END
