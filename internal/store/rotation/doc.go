// Package rotation changes FLORIN_SECRET_KEY while programs run on the database.
//
// Its one invariant: at every moment each value that is stored can be opened by each program that runs. So no program
// seals with the new key before all have it, and the old key counts until nothing is sealed with it.
//
//	florin secret rotate             database                     every running program (Follower)
//	     | begin                 instance.next_check set                    |
//	     | offer the new key     sealers.offer  ------------------------>   | takes it, opens with both
//	     |                       sealers.knows  <------------------------   |
//	     | all know it: switch   instance.switched_at set ------------->    | seals with the new key
//	     |                       sealers.seals  <------------------------   |
//	     | reseal every value    table.Sealed                               |
//	     | finish                key_check = next_check                     v
//
// Each step is one transaction, and each can be repeated: a command that was interrupted goes on where it was. The new
// key is stored only as an offer, encrypted for a key pair that a program makes at its start and keeps in memory
// (X25519), inside a seal of the old key. So a copy of the database and the old key together do not yield the new one.
package rotation
