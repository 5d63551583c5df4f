package kubernetes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// reading is what was seen of one area.
type reading struct {
	objects  []providers.Object
	notes    []providers.Note
	area     providers.Area
	requests int
	known    *repeated
}

func (r *reading) whole() bool { return r.area.State == providers.Read }

func (r *reading) addTo(o *providers.Observation) {
	if o.Objects == nil { // the whole cluster: thousands, that need no copy
		o.Objects = r.objects
	} else {
		o.Objects = append(o.Objects, r.objects...)
	}
	o.Notes = append(o.Notes, r.notes...)
	o.Areas = append(o.Areas, r.area)
	o.Requests += r.requests
}

// readJobs lists the CronJobs of a namespace, or of all where it is empty. Each
// is translated as it arrives and then dropped.
func (p *Provider) readJobs(ctx context.Context, namespace string, literals bool) reading {
	part := clusterPart
	if namespace != "" {
		part = namespacePrefix + namespace
	}
	r := reading{area: providers.Area{Part: part, State: providers.Read}, known: newRepeated()}
	l := &lister{client: p.client, path: jobsPath(namespace), kind: "CronJobList", selector: p.selector, pageSize: p.pageSize}
	var job liveJob
	var s *spine
	if !literals { // which need all of the spec
		s = newSpine()
	}
	l.item = func(form form, data []byte) error {
		if err := decodeJob(form, data, &job, s); err != nil {
			return err
		}
		return r.add(&job, p.source, literals)
	}
	l.follow = func(items int64) {
		r.objects = slices.Grow(r.objects, int(min(max(items, 0), mostExpected)))
	}
	var before reading
	l.restart = func() { before, r.objects, r.notes = r, nil, nil }
	err := l.all(ctx)
	if err != nil {
		r.keep(before)
	}
	r.requests = l.requests
	if err != nil {
		r.area.State, r.area.Reason = judge(ctx, err, l.pages > 0 || len(r.objects) > 0, namespace)
	}
	return r
}

// mostExpected bounds the room that is made for objects on the server's word.
const mostExpected = 50_000

// add translates one CronJob, which is not used again. A panic in a library on
// hostile data is an error.
func (r *reading) add(job *liveJob, source string, literal bool) (err error) {
	defer recovered(&err)
	cj := &job.CronJob
	if cj.Name == "" || cj.Namespace == "" {
		return errors.New("it has no name or no namespace")
	}
	var manifest []byte
	if literal {
		if manifest, err = literalOf(cj); err != nil {
			return err
		}
	}
	if !job.read {
		job.body = specs.Pack(bodyFrom(&cj.Spec))
	}
	o, problems := objectFrom(cj, job.body, source, r.area.Part, specs.Pos{}, true, r.known)
	if manifest != nil {
		o.Extra().Literal = manifest
	}
	r.objects = append(r.objects, o)
	r.notes = append(r.notes, notesAbout(cj, problems, specs.Pos{})...)
	return nil
}

// keep adds what was read before the list was begun again and was not reached
// since.
func (r *reading) keep(before reading) {
	seen := map[string]bool{}
	for _, o := range r.objects {
		seen[o.ID] = true
	}
	for _, o := range before.objects {
		if !seen[o.ID] {
			r.objects = append(r.objects, o)
		}
	}
}

func jobsPath(namespace string) string {
	if namespace == "" {
		return "/apis/batch/v1/cronjobs"
	}
	return "/apis/batch/v1/namespaces/" + namespace + "/cronjobs"
}

// listNamespaces are the names of all namespaces, or of those before an error.
func (p *Provider) listNamespaces(ctx context.Context) ([]string, int, error) {
	var names []string
	l := &lister{client: p.client, path: "/api/v1/namespaces", kind: "NamespaceList", pageSize: p.pageSize}
	l.item = func(form form, data []byte) error {
		var ns corev1.Namespace
		if err := form.decode(data, &ns); err != nil {
			return err
		}
		names = append(names, strings.Clone(ns.Name))
		return nil
	}
	l.restart = func() { names = nil }
	err := l.all(ctx)
	return names, l.requests, err
}

// namespaceGone says that the server denies the existence of a namespace.
func (p *Provider) namespaceGone(ctx context.Context, name string) bool {
	body, err := p.client.Get().AbsPath("/api/v1/namespaces", name).MaxRetries(retries).Stream(ctx)
	if err == nil {
		_ = body.Close()
	}
	return apierrors.IsNotFound(err) && ownAnswer(err)
}

// retries bounds how often client-go asks again where the server says when to.
const retries = 3

// lister reads a list of one kind page by page.
type lister struct {
	client   rest.Interface
	path     string
	kind     string
	selector string
	fields   string // a field selector
	pageSize int64
	most     int // pages that are read at most; 0 is all
	// item is called for each item. Its error does not end the list, which then
	// is not whole.
	item func(form form, data []byte) error
	// follow is told how many items follow a page, where the server says so. It may
	// be nil.
	follow func(items int64)
	// restart is called before the list is read again from its beginning.
	restart func()

	requests int
	pages    int // read to their end
	items    int
	more     bool  // pages were left off
	bad      error // of the first item that could not be read
}

// all reads the list to its end. The server's continue token makes all pages
// those of one moment. If the token expires on the way (410 Gone) the list is
// read once more from the beginning, in a single page, which cannot expire.
func (l *lister) all(ctx context.Context) error {
	err := l.paged(ctx)
	if apierrors.IsResourceExpired(err) && l.pages > 0 && l.pageSize > 0 {
		l.restart()
		l.pageSize, l.pages, l.items, l.bad = -1, 0, 0, nil
		if err = l.paged(ctx); err != nil {
			err = fmt.Errorf("the list expired on the way and was begun again: %w", err)
		}
	}
	return errors.Join(err, l.bad)
}

func (l *lister) paged(ctx context.Context) error {
	token := ""
	for {
		meta, err := l.page(ctx, token)
		if err != nil {
			return err
		}
		l.pages++
		if l.follow != nil && meta.RemainingItemCount != nil {
			l.follow(*meta.RemainingItemCount)
		}
		switch {
		case meta.Continue == "" && meta.RemainingItemCount != nil && *meta.RemainingItemCount > 0:
			return fmt.Errorf("the server says that %d more follow and not how to ask for them", *meta.RemainingItemCount)
		case meta.Continue == "":
			return nil
		case meta.Continue == token:
			return errors.New("the server repeats the same page")
		}
		token = meta.Continue
		if l.more = l.most > 0 && l.pages >= l.most; l.more {
			return nil
		}
	}
}

func (l *lister) page(ctx context.Context, token string) (meta listMeta, err error) {
	defer recovered(&err)
	req := l.client.Get().AbsPath(l.path).MaxRetries(retries)
	if l.pageSize > 0 {
		req = req.Param("limit", fmt.Sprint(l.pageSize))
	}
	if token != "" {
		req = req.Param("continue", token)
	}
	if l.selector != "" {
		req = req.Param("labelSelector", l.selector)
	}
	if l.fields != "" {
		req = req.Param("fieldSelector", l.fields)
	}
	l.requests++
	body, err := req.Stream(ctx)
	if err != nil {
		return listMeta{}, err
	}
	defer body.Close()
	return decodeList(bufio.NewReaderSize(body, 64<<10), l.kind, l.each)
}

// each hands an item on and keeps the first error for the end.
func (l *lister) each(form form, data []byte) {
	l.items++
	err := func() (err error) {
		defer recovered(&err)
		return l.item(form, data)
	}()
	if err != nil && l.bad == nil {
		l.bad = fmt.Errorf("item %d of the list could not be read: %w", l.items, err)
	}
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("unreadable data: %v", p)
	}
}
