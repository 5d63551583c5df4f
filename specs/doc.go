// Package specs holds the words that both sides of a comparison share: what a
// role is, what an object will run and when, and the one canonical form by
// which two of them are the same.
//
// Two duties are kept apart. Translation, native object to Spec, is each
// provider's and is pure there: equal meaning gives an equal Spec, with
// defaults already taken out. Canonicalisation is here alone: equal Spec gives
// equal bytes, and unequal Spec unequal bytes. Nothing else in the program
// hashes anything that is compared.
//
// The package does no I/O and knows no scheduler's library.
package specs
