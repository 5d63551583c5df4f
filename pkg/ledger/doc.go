// Package ledger reads roles: the YAML in which people state which scheduled
// jobs must be there. It keeps the place of everything that it reads, finds all
// errors of a file in one go, and opens no file itself: templates come from a
// function that is handed in.
package ledger
