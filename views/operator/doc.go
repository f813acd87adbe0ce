// Package operator is the pages of the operator: networks,
// users and keys, settlement, top-ups and stuck work.
package operator
