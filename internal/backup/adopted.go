package backup

import "time"

// Adopted is what an adoption did, for the report of the restore.
type Adopted struct {
	Generation  int64
	Newest      time.Time // when the newest payment was created; zero: there is none
	Payments    int64     // whose sequences go on in the generation
	Writes      int64     // that were not answered and are forgotten
	Deliveries  int64     // webhooks that are sent again, marked as replayed
	Sessions    int64     // that were ended
	Invitations int64     // to teams that were ended
	Changes     int64     // of settlement wallets that were stopped
}
