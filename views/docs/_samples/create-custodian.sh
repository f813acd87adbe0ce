# SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go,
# CALLBACK_SECRET a secret of yours that travels in them. The last two may be left out.
send() {
  curl -s http://localhost:8080/graphql \
    -H 'Content-Type: application/json' \
    -d @- <<END
{
  "query": "mutation (\$input: $2!) { $1(input: \$input) { code message reason custodian { id signingSecret } } }",
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
}
answer=$(send createCustodianAccount CustodianCreateInput)
# A key has one custodian. If it has one already, as that of a sandbox does, change it.
case "$answer" in
  *custodian_exists*) answer=$(send updateCustodianDetails CustodianUpdateInput) ;;
esac
echo "$answer"
