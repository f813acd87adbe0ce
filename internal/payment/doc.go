// Package payment is the life of a payment: pure decisions over values, and the
// Service through which surfaces use them. Package watch brings in what the
// chains hold, and package lookup explains a transaction to its sender.
//
// Its one invariant: a payment is completed only by final money on chain, or
// by hand by its owner, and every change of state is one event written with it.
//
//	       create
//	         │
//	         ▼      start                 start (another choice)
//	     PENDING ─────────▶ STARTED ◀──┐ observe (short) resume
//	       │ │               │ │ │ └───┘
//	cancel │ │ expire cancel │ │ │ observe (enough)
//	       │ │      ┌────────┘ │ └──────────┐
//	       ▼ ▼      ▼          ▼ expire     ▼
//	CANCELLED EXPIRED ◀────────┘        COMPLETED
//	       │     │  observe (late, if the terms allow)  ▲
//	       └─────┴──────────────────────────────────────┘
//	              mark completed (any but COMPLETED), accept (with money)
//
// A top-up, whose money the operator has, completes with what it received even
// after it was cancelled or fell short.
//
// The transitions, held against the code by a test:
//
//	PENDING   start         STARTED
//	PENDING   expire        EXPIRED
//	PENDING   cancel        CANCELLED
//	PENDING   markCompleted COMPLETED
//	STARTED   start         STARTED
//	STARTED   observe       COMPLETED
//	STARTED   expire        EXPIRED
//	STARTED   cancel        CANCELLED
//	STARTED   markCompleted COMPLETED
//	STARTED   accept        COMPLETED
//	EXPIRED   observe       COMPLETED
//	EXPIRED   markCompleted COMPLETED
//	EXPIRED   accept        COMPLETED
//	CANCELLED markCompleted COMPLETED
//	CANCELLED accept        COMPLETED
package payment
