package merchant

import (
	"context"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
)

// Permission is something an API key may do. Its text is stored and part of the
// interface, so it never changes.
type Permission string

// The permissions.
const (
	// PermissionCreate is to create payments and to start them.
	PermissionCreate Permission = "create"
	// PermissionRead is to read payments, events and balances.
	PermissionRead Permission = "read"
	// PermissionCancel is to cancel payments.
	PermissionCancel Permission = "cancel"
	// PermissionComplete is to mark payments as completed.
	PermissionComplete Permission = "complete"
	// PermissionCustodian is to create and change the custodian: where money goes.
	PermissionCustodian Permission = "custodian"
	// PermissionRefund is to request refunds, to cancel them and to name their transactions. The money is sent by the
	// merchant's own wallet.
	PermissionRefund Permission = "refund"
)

// permissionActs maps each permission to the act a member must be allowed to do to
// give it to a key. No other place decides it.
var permissionActs = map[Permission]Act{
	PermissionCreate: ActPay, PermissionRead: ActRead, PermissionCancel: ActPayments,
	PermissionComplete: ActComplete, PermissionCustodian: ActMoney,
	PermissionRefund: ActRefund,
}

// EveryPermission lists the permissions, the most common first.
func EveryPermission() []Permission {
	return []Permission{
		PermissionCreate, PermissionRead, PermissionCancel, PermissionComplete, PermissionCustodian,
		PermissionRefund,
	}
}

// Permissions is a set of permissions. The zero value is empty.
type Permissions struct{ set uint8 }

// AllPermissions are what a key made by the command line or an owner has.
func AllPermissions() Permissions { return permissionsOf(EveryPermission()) }

// Permissions are what a key made or rotated by a member of the role has at most.
func (r Role) Permissions() Permissions {
	var list []Permission
	for _, p := range EveryPermission() {
		if r.May(permissionActs[p]) {
			list = append(list, p)
		}
	}
	return permissionsOf(list)
}

// ParsePermissions reads a list of permissions, each written at most once, or fails
// with fault.Invalid about the field "permissions". An empty list is an empty set.
func ParsePermissions(texts []string) (Permissions, error) {
	var list []Permission
	for _, text := range texts {
		p := Permission(strings.ToLower(strings.TrimSpace(text)))
		if !slices.Contains(EveryPermission(), p) {
			return Permissions{}, fault.About(fault.Invalid, "permissions", "must be among %s", AllPermissions())
		}
		list = append(list, p)
	}
	return permissionsOf(list), nil
}

func permissionsOf(list []Permission) Permissions {
	var all Permissions
	for _, p := range list {
		all.set |= 1 << slices.Index(EveryPermission(), p)
	}
	return all
}

// List returns the permissions of the set, the most common first.
func (p Permissions) List() []Permission {
	var list []Permission
	for i, x := range EveryPermission() {
		if p.set&(1<<i) != 0 {
			list = append(list, x)
		}
	}
	return list
}

// String returns the names, separated by commas.
func (p Permissions) String() string {
	var names []string
	for _, x := range p.List() {
		names = append(names, string(x))
	}
	return strings.Join(names, ",")
}

// words are what the permissions allow, for mails and the audit log.
func (p Permissions) words() string {
	var all mail.Words
	for _, x := range p.List() {
		all = all.Comma(mail.Words{Text: x.Shown()})
	}
	return all.Kept()
}

// Empty reports whether nothing is permitted.
func (p Permissions) Empty() bool { return p.set == 0 }

// Has reports whether the set holds the permission.
func (p Permissions) Has(x Permission) bool { return p.set&permissionsOf([]Permission{x}).set != 0 }

// Within returns the permissions that both sets hold.
func (p Permissions) Within(other Permissions) Permissions { return Permissions{p.set & other.set} }

// permissionTexts complete "this API key may not …".
var permissionTexts = map[Permission]string{
	PermissionCreate: "create and start payments", PermissionRead: "read payments, events and balances",
	PermissionCancel: "cancel payments", PermissionComplete: "mark payments as completed",
	PermissionCustodian: "change the custodian", PermissionRefund: "request and cancel refunds",
}

// Text says what the permission allows, such as "cancel payments".
func (p Permission) Text() string { return permissionTexts[p] }

// Shown is Text in the words of the pages: custodian is the API's.
func (p Permission) Shown() string {
	if p == PermissionCustodian {
		return "change wallets and settings"
	}
	return p.Text()
}

// RightsChanges returns how the rights differ from those of the key, one line each.
// Owners are notified of them.
func (k Key) RightsChanges(p Permissions, from Sources) []string {
	changes := appendChange(nil, mail.T("what it may do"), k.Permissions.words(), p.words())
	return appendChange(changes, mail.T("from where"), orEverywhere(k.Sources), orEverywhere(from))
}

// Narrower reports whether the rights let the key do nothing that it may not do now,
// from nowhere else.
func (k Key) Narrower(p Permissions, from Sources) bool {
	return p.Within(k.Permissions) == p && from == k.Sources
}

func orEverywhere(s Sources) string {
	if s == "" {
		return mail.T("everywhere").Kept()
	}
	return string(s)
}

// SetKeyRights sets what the key may do, and from where. The caller has checked that
// an owner asks, who re-authenticated: the key is confirmed from then on. It fails
// with ErrUnknownKey.
func (s *Service) SetKeyRights(ctx context.Context, key Key, p Permissions, from Sources, act audit.Act) error {
	if p.Empty() {
		return fault.About(fault.Invalid, "permissions", "must be at least one of %s", AllPermissions())
	}
	changes := key.RightsChanges(p, from)
	return s.changeKey(ctx, key, act.Record(key.UserID, audit.ActionPermitKey, key.Name(), strings.Join(changes, "\n"),
		s.keyMails(act, key, mail.T("What an API key may do was changed"), changes)...), func(k *Key) {
		k.Permissions, k.Sources, k.Confirmed = p, from, true
	})
}

// Allow returns nil, or fault.Forbidden naming the permission that the key lacks.
func (k Key) Allow(p Permission) error {
	if k.Permissions.Has(p) {
		return nil
	}
	return fault.New(fault.Forbidden,
		"this API key lacks the permission %q: it may not %s; an owner gives it in the dashboard", string(p), p.Text())
}
