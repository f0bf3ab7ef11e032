// Package secgroup decides which rules the security groups of a cluster have.
//
// [Desired] gives the rules of the two managed groups, [Diff] what has to be
// made and deleted so that a group has them. Both are pure. Rules are compared
// in the form in which Neutron compares them: tcp is 6, and any address is the
// same as none.
//
// Not for groups that users bring along: those are never changed.
package secgroup
