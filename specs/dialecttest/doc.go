// Package dialecttest holds the dialects of package specs to the programs that
// read them, as far as these come as Go modules: robfig/cron v3, which the
// CronJob controller uses, supercronic, and actionlint for GitHub. It is a module
// of its own, so that rolecall does not depend on what only its tests need.
package dialecttest
