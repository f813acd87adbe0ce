// SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go.
const wallet = process.env.SETTLEMENT_WALLET;
const response = await fetch("http://localhost:8080/graphql", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    query: `mutation ($input: CustodianCreateInput!) {
      createCustodianAccount(input: $input) { code message custodian { id signingSecret } }
    }`,
    variables: {
      input: {
        apiKey: process.env.FLORIN_API_KEY,
        name: "Corner Coffee",
        wallets: { bep20: wallet, polygon: wallet, base: wallet },
        callbackUrl: process.env.CALLBACK_URL,
        secret: process.env.CALLBACK_SECRET,
      },
    },
  }),
});
const answer = (await response.json()).data.createCustodianAccount;
if (answer.code !== 200) throw new Error(answer.message);
// The signing secret is shown once: keep it where your webhook receiver reads it.
console.log(answer.custodian.id, answer.custodian.signingSecret);
