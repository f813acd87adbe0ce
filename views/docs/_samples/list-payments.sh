curl -s http://localhost:8080/graphql \
  -H 'Content-Type: application/json' \
  -d @- <<END
{
  "query": "query (\$key: String!) { getTransactions(apiKey: \$key, timeRange: \"1week\", first: 100) { code message transactions { txnid status amount reference hash createdAt } pageInfo { hasNextPage endCursor } } }",
  "variables": {"key": "$FLORIN_API_KEY"}
}
END
