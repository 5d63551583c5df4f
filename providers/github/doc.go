// Package github looks at the schedules of GitHub Actions workflows: offline in
// a checkout (NewCheckout), live over the REST API (New). Both read a workflow
// file by the same pure translation.
//
// # What is asked, live
//
// A repository is described by the file on its default branch, which is the
// truth about schedules, by GitHub's registration of the workflow, which holds
// its state, and by its runs of the event schedule. The requests:
//
//	owner pattern   GET /orgs/O/repos, or /users/O/repos and /user/repos: a page for each 100 repositories,
//	                which also say whether each is archived
//	exact name      GET /repos/O/R
//	both            GET /repos/O/R/contents/.github/workflows
//	                GET /repos/O/R/git/blobs/SHA, for a file whose blob is not in the cache
//	with a schedule GET /repos/O/R/actions/workflows
//	                GET /repos/O/R/actions/runs?event=schedule, for repositories that a pattern names, and
//	                for exact ones with Config.Runs
//	                GET /repos/O/R/actions/workflows/ID/runs?event=schedule, once or twice for each workflow
//	                whose last success is not among the latest 100 runs of the repository
//	with Config.Permissions
//	                GET /repos/O/R/actions/permissions
//	no folder       GET /repos/O/R/contents, for a private repository: only a listing of
//	                something else proves that a 404 means absence and not a lack of rights
//
// That is at most three for a repository beside the blobs, unless Runs or
// Permissions ask for more or a repository has more than 100 registrations.
// Under NewTransport a repeat of all this is answered by 304s, which cost no
// quota, except that blobs are not asked for again at all.
//
// From Config.BulkFrom repositories on, the folders of a hundred of them and 250
// blobs at a time are asked for by POST /graphql, whose quota is another one, so
// that of all this only the lists of registrations and runs remain: two requests
// for a repository, and 50 queries for a thousand of them with ten workflows each.
// See bulk.go.
//
// Who changed a workflow last takes a request for each file, and is asked only
// where there is a finding about it: see Attribute. So is why its runs do not
// come or do not succeed, by six requests at most: see Explain.
//
// # What a run proves
//
// Only runs of the event schedule count. One was executed when it was made: a run
// that is started again by hand is no start of the schedule, but its success is
// one. A startup failure is a start that failed. A run does not say which of a
// workflow's schedules it is for, so all objects of a workflow have the same runs.
// Runs that could not be read are unreadable evidence and no gap of the
// repository, whose objects were all seen.
//
// # What is compared
//
// A workflow is its schedules and what its jobs do, by what GitHub's own parser
// makes of the text: see the rules in body.go. The names of the workflow, its
// jobs and its steps and its other triggers are cosmetic. A called workflow of
// the same repository is part of it; one of another repository, and every
// action, is compared by its reference. See called.go.
//
// A workflow that GitHub's parser surely refuses is inactive: see grammar.go.
package github
