const response = await fetch("http://localhost:8080/create-payment", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "Authorization": "Bearer " + process.env.FLORIN_API_KEY,
    "Idempotency-Key": "order-1043",
  },
  body: JSON.stringify({ amount: 49.9, reference: "order-1043", description: "Two bags of coffee" }),
});
const answer = await response.json();
if (answer.code !== 200) throw new Error(answer.message);
// Send the customer to the link; keep the txnid with your order.
console.log(answer.paymentLink, answer.transaction.txnid);
