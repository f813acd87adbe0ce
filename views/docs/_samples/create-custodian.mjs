// SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go,
// CALLBACK_SECRET a secret of yours that travels in them. The last two may be left out.
const wallet = process.env.SETTLEMENT_WALLET;

async function send(operation, input) {
  const response = await fetch("http://localhost:8080/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      query: `mutation ($input: ${input}!) {
        result: ${operation}(input: $input) { code message reason custodian { id signingSecret } }
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
  return (await response.json()).data.result;
}

let answer = await send("createCustodianAccount", "CustodianCreateInput");
// A key has one custodian. If it has one already, as that of a sandbox does, change it.
if (answer.reason === "custodian_exists") answer = await send("updateCustodianDetails", "CustodianUpdateInput");
if (answer.code !== 200) throw new Error(answer.message);
// The signing secret is shown once: keep it where your webhook receiver reads it.
console.log(answer.custodian.id, answer.custodian.signingSecret ?? "(the signing secret stays)");
