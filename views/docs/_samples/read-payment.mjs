// TXNID is the txnid of the payment. No key is needed.
const response = await fetch("http://localhost:8080/orders/" + process.env.TXNID);
const answer = await response.json();
if (answer.code !== 200) throw new Error(answer.message);
const payment = answer.transaction;
console.log(payment.txnid, payment.status, payment.receivedAmount + " of " + payment.amount);
