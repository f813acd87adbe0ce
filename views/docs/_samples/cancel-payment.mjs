// TXNID is the txnid of the payment. No key is needed.
const response = await fetch("http://localhost:8080/cancel-payment", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ txnid: process.env.TXNID }),
});
const answer = await response.json();
if (answer.code !== 200) throw new Error(answer.message);
console.log(answer.transaction.txnid, answer.transaction.status);
