// Package operator is the pages of whoever runs the installation: networks,
// users and keys, settlement, top-ups and stuck work.
package operator
