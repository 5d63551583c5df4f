package kubernetes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

var _ providers.Repairer = (*Provider)(nil)

// fieldManager is who the server notes as having set the fields of what is
// created.
const fieldManager = providers.Maker

// Propose makes the CronJob of a role's template ready, under the template's own
// name, which makes creating it twice impossible, and with the role's marker. It
// asks the server nothing.
func (p *Provider) Propose(_ context.Context, role specs.Role, _ specs.Desired) (providers.Proposal, error) {
	cj, err := p.wanted(role)
	if err != nil {
		return providers.Proposal{}, err
	}
	text, err := manifestText(cj)
	if err != nil {
		return providers.Proposal{}, err
	}
	return providers.Proposal{
		Ref:      specs.Ref{Role: role.Key, Source: p.source},
		Part:     p.partOf(cj.Namespace),
		Place:    fmt.Sprintf("kubernetes:%s/%s/%s", p.source, cj.Namespace, cj.Name),
		Text:     text,
		After:    hashOf(text),
		Inactive: inactiveOf(cj, nil), // what a server refuses is an error of wanted
	}, nil
}

// partOf is the area in which a namespace is read.
func (p *Provider) partOf(namespace string) string {
	if len(p.namespaces) == 0 {
		return clusterPart
	}
	return namespacePrefix + namespace
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// wanted is the CronJob that a role's template states, complete with its place
// and marker.
func (p *Provider) wanted(role specs.Role) (*batchv1.CronJob, error) {
	doc := role.Statement.Template
	if role.Repair.User != "" || role.Repair.File != "" {
		return nil, fmt.Errorf("%s: repair of role %s names a crontab, and source %s is a cluster; take user and file out, and name the place in the template", role.Repair.Pos, role.Key, p.source)
	}
	if doc == nil {
		return nil, fmt.Errorf("role %s states no template, so there is no object to create; state the whole CronJob by spec: {template: FILE}", role.Key)
	}
	if _, err := p.Translate(role.Statement); err != nil {
		return nil, err
	}
	from := readManifest(doc.Data).found[0].cronJob // just one, or Translate had refused it
	namespace, err := p.namespaceFor(role, from)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", doc.Name, err)
	}
	cj := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: from.Name, Namespace: namespace, Labels: from.Labels, Annotations: maps.Clone(from.Annotations)},
		Spec:       *from.Spec.DeepCopy(),
	}
	if err := errors.Join(uncreatable(from), mark(cj, role), p.selects(cj)); err != nil {
		return nil, fmt.Errorf("template %s: %w", doc.Name, err)
	}
	return cj, nil
}

// namespaceFor is the template's namespace, or that of the role's match, or the
// only one of the source.
func (p *Provider) namespaceFor(role specs.Role, cj *batchv1.CronJob) (string, error) {
	matched := role.Match.Keys["namespace"]
	switch {
	case cj.Namespace != "":
		return cj.Namespace, nil
	case matched != "" && !strings.ContainsAny(matched, "*?"):
		return matched, nil
	case len(p.namespaces) == 1:
		return p.namespaces[0], nil
	}
	return "", errors.New("it states no namespace, and source " + p.source + " reads more than one; state metadata.namespace")
}

// uncreatable is what a template can state that must not be created from it.
func uncreatable(cj *batchv1.CronJob) error {
	switch {
	case cj.Name == "":
		return errors.New("metadata.generateName makes another object each time it is created; state metadata.name")
	case len(cj.OwnerReferences) > 0:
		return errors.New("metadata.ownerReferences would have the CronJob removed with an owner of another life; take them out")
	case len(cj.Finalizers) > 0:
		return errors.New("metadata.finalizers hold what their controllers set; take them out")
	}
	return nil
}

// mark puts the role's marker on, and refuses a template that carries another.
func mark(cj *batchv1.CronJob, role specs.Role) error {
	for name, want := range map[string]string{roleAnnotation: role.Key, versionAnnotation: role.Version} {
		have, stated := cj.Annotations[name]
		switch {
		case stated && strings.TrimSpace(have) != want:
			return fmt.Errorf("its annotation %s is %s and the ledger says %s; bring the two in line", name, quote(have), quote(want))
		case want == "":
			continue
		case cj.Annotations == nil:
			cj.Annotations = map[string]string{}
		}
		cj.Annotations[name] = want
	}
	return nil
}

// selects refuses what the source would not list once it is there.
func (p *Provider) selects(cj *batchv1.CronJob) error {
	s, err := labels.Parse(p.selector)
	if err == nil && !s.Matches(labels.Set(cj.Labels)) {
		return fmt.Errorf("its labels do not fit the selector %s of source %s, which would not see it; add them to metadata.labels", quote(p.selector), p.source)
	}
	return err
}

func manifestText(cj *batchv1.CronJob) ([]byte, error) {
	return yaml.Marshal(manifest{APIVersion: "batch/v1", Kind: "CronJob", Spec: cj.Spec,
		Metadata: manifestMeta{Name: cj.Name, Namespace: cj.Namespace, Labels: cj.Labels, Annotations: cj.Annotations}})
}

// Create asks the server in a dry run whether it would take the proposal's
// manifest, and then creates it. An object of that name that is there already is
// left as it is.
func (p *Provider) Create(ctx context.Context, proposal providers.Proposal) (made providers.Created, err error) {
	defer recovered(&err)
	cj := &batchv1.CronJob{}
	if err := yaml.UnmarshalStrict(proposal.Text, cj); err != nil {
		return made, fmt.Errorf("%w: the proposal is no manifest: %s; make the plan anew", providers.ErrRefused, shorten(err.Error()))
	}
	made.ID = proposal.Place
	if _, err := p.post(ctx, cj, true); err != nil {
		if apierrors.IsAlreadyExists(err) {
			made.Existed = true
			return made, nil
		}
		return made, fmt.Errorf("%w: the dry run: %s", providers.ErrRefused, creationReason(ctx, err, cj.Namespace))
	}
	uid, err := p.post(ctx, cj, false)
	switch {
	case err == nil:
		made.UID = uid
		return made, nil
	case apierrors.IsAlreadyExists(err):
		made.Existed = true
		return made, nil
	case turnedDown(err):
		return made, fmt.Errorf("%w: %s", providers.ErrRefused, creationReason(ctx, err, cj.Namespace))
	}
	return made, errors.New("the answer to the creation was lost: " + creationReason(ctx, err, cj.Namespace))
}

// post sends the creation once: a request that is sent again by itself could meet
// what it made before.
func (p *Provider) post(ctx context.Context, cj *batchv1.CronJob, dry bool) (uid string, err error) {
	req := p.client.Post().AbsPath(jobsPath(cj.Namespace)).MaxRetries(0).
		Param("fieldManager", fieldManager).Param("fieldValidation", "Strict")
	if dry {
		req = req.Param("dryRun", metav1.DryRunAll)
	}
	var out batchv1.CronJob
	err = req.Body(cj).Do(ctx).Into(&out)
	return string(out.UID), err
}

// turnedDown says that the server itself said no, before anything was stored. Of
// its errors from 500 on that cannot be known.
func turnedDown(err error) bool {
	s := statusOf(err)
	return s != nil && ownAnswer(err) && s.Code >= 400 && s.Code < 500 && !apierrors.IsTimeout(err) && s.Code != 408
}

// creationReason says in a person's words why a creation did not come about.
func creationReason(ctx context.Context, err error, namespace string) string {
	status := statusOf(err)
	switch {
	case ctx.Err() != nil:
		return "interrupted, or the time ran out; look whether the CronJob is there"
	case apierrors.IsForbidden(err) && strings.Contains(status.Message, "cannot create resource"):
		return fmt.Sprintf("the user may not create cronjobs.batch in namespace %s (403%s); grant create on cronjobs.batch there, as deploy/kubernetes/rbac-repair.yaml does", namespace, serverSays(err))
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("the server forbids it (403%s); look at the quota and the admission policies of namespace %s", serverSays(err), namespace)
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("namespace %s is not there (404%s); create it first, or correct metadata.namespace of the template", namespace, serverSays(err))
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return fmt.Sprintf("the server does not take it (%d%s); correct the template", status.Code, serverSays(err))
	case apierrors.IsUnauthorized(err), apierrors.IsTooManyRequests(err):
		return reasonOf(ctx, err, "cronjobs.batch", namespace)
	case status != nil:
		return fmt.Sprintf("the server failed (%s%s); look at its health, and run it again", code(status), serverSays(err))
	}
	return shorten(hideTokens(bare(err).Error())) + "; check the connection to the server, and run it again"
}
