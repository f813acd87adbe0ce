const query = `query ($key: String!, $after: String) {
  getTransactions(apiKey: $key, timeRange: "1week", first: 100, after: $after) {
    code message
    transactions { txnid status amount reference hash createdAt }
    pageInfo { hasNextPage endCursor }
  }
}`;
let after = null;
do {
  const response = await fetch("http://localhost:8080/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables: { key: process.env.FLORIN_API_KEY, after } }),
  });
  const page = (await response.json()).data.getTransactions;
  if (page.code !== 200) throw new Error(page.message);
  for (const payment of page.transactions) console.log(payment.txnid, payment.status, payment.amount);
  after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
} while (after);
