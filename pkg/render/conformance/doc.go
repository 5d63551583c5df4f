// Package conformance holds the formats of reports to the schemas, parsers and
// linters of those who read them. It is a module of its own, so that nobody who
// builds the program needs them.
package conformance
