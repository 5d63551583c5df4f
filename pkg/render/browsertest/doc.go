// Package browsertest opens the HTML form of a report in a real browser, from
// disk, and holds it to what a person with a mouse, a keyboard, a printer or a
// screen reader needs. It is a module of its own, so that nobody who builds the
// program needs a browser.
package browsertest
