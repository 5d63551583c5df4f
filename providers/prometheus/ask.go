package prometheus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

const (
	// batchRoles and batchBytes bound what goes out in one request. Proxies in
	// front of a server commonly refuse a body over 1 MB, and escaping may make
	// three bytes of one.
	batchRoles = 200
	batchBytes = 200 << 10
	// spareRequests are those that a round may take to find out which queries
	// fail: one bad query in a full batch takes about 16.
	spareRequests = 256
	// batchLabel numbers the queries of a request.
	batchLabel = "rolecall_batch"
)

// answer is what one query gave: samples, or why there is no answer.
type answer struct {
	samples model.Vector
	err     error
}

// round is one way of asking all queries.
type round struct {
	*Witness
	texts []string
	out   []answer
	spare atomic.Int64
	// down is why the server answers nothing at all.
	down atomic.Pointer[error]
}

// ask gives the answer to each text.
func (w *Witness) ask(ctx context.Context, texts []string) []answer {
	r := &round{Witness: w, texts: texts, out: make([]answer, len(texts))}
	r.spare.Store(spareRequests)
	batches := batched(texts)
	w.cfg.Each(len(batches), func(i int) { r.batch(ctx, batches[i]) })
	return r.out
}

// batched groups the texts. What could not be told from its neighbours in one
// expression goes alone.
func batched(texts []string) [][]int {
	var out [][]int
	var open []int
	size := 0
	for i, text := range texts {
		if !selfContained(text) || len(text) > batchBytes {
			out = append(out, []int{i})
			continue
		}
		if len(open) == batchRoles || size+len(text) > batchBytes {
			out, open, size = append(out, open), nil, 0
		}
		open, size = append(open, i), size+len(text)
	}
	if len(open) > 0 {
		out = append(out, open)
	}
	return out
}

// batch asks the texts with the indexes in one request, and in halves where that
// fails for one of them.
func (r *round) batch(ctx context.Context, indexes []int) {
	if down := r.down.Load(); down != nil {
		r.fail(indexes, *down)
		return
	}
	if len(indexes) == 1 {
		samples, err := r.query(ctx, r.texts[indexes[0]])
		r.out[indexes[0]] = answer{samples, err}
		r.notice(ctx, err)
		return
	}
	samples, err := r.query(ctx, r.joined(indexes))
	if err == nil {
		err = r.hand(indexes, samples)
	}
	r.notice(ctx, err)
	switch {
	case err == nil:
	case r.down.Load() != nil:
		r.fail(indexes, *r.down.Load())
	case ctx.Err() != nil:
		r.fail(indexes, ctx.Err())
	case r.spare.Add(-2) < 0:
		r.fail(indexes, fmt.Errorf("it was asked together with others, too many of which fail: %w", err))
	default:
		half := len(indexes) / 2
		r.batch(ctx, indexes[:half])
		r.batch(ctx, indexes[half:])
	}
}

func (r *round) fail(indexes []int, err error) {
	for _, i := range indexes {
		r.out[i] = answer{err: err}
	}
}

// notice finds out whether an error is the server's, which then is asked no
// more, or that of a query. After one that took too long only a question that
// takes no time can tell.
func (r *round) notice(ctx context.Context, err error) {
	if err == nil || ofQuery(err) {
		return
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		if _, perr := r.query(ctx, "vector(1)"); perr == nil {
			return
		}
	}
	r.down.CompareAndSwap(nil, &err)
}

// ofQuery says that an error is about what was asked.
func ofQuery(err error) bool {
	var e *v1.Error
	if !errors.As(err, &e) {
		return errors.Is(err, errWarned) || errors.Is(err, errTooMuch) || errors.Is(err, errMixed) || errors.Is(err, errNoVector)
	}
	switch e.Type {
	case v1.ErrBadData, v1.ErrExec:
		return true
	case v1.ErrServer: // 503 with the API's own word for a query that took too long
		return strings.Contains(e.Detail, `"errorType":"timeout"`)
	case v1.ErrClient: // a request that is too large for something on the way
		return strings.HasSuffix(e.Msg, ": 413") || strings.HasSuffix(e.Msg, ": 414")
	}
	return false
}

// joined is one expression of several.
func (r *round) joined(indexes []int) string {
	var b strings.Builder
	for n, i := range indexes {
		if n > 0 {
			b.WriteString("\nor\n")
		}
		fmt.Fprintf(&b, `label_replace((%s`+"\n"+`), "%s", "%d", "", "")`, r.texts[i], batchLabel, n)
	}
	return b.String()
}

var errMixed = errors.New("the answer to several queries does not say which sample is whose")

// hand gives each text its samples.
func (r *round) hand(indexes []int, samples model.Vector) error {
	shares := make([]model.Vector, len(indexes))
	for _, s := range samples {
		n, err := strconv.Atoi(string(s.Metric[batchLabel]))
		if err != nil || n < 0 || n >= len(indexes) {
			return errMixed
		}
		delete(s.Metric, batchLabel)
		shares[n] = append(shares[n], s)
	}
	for n, i := range indexes {
		r.out[i] = answer{samples: shares[n]}
	}
	return nil
}

var (
	errWarned   = errors.New("the server warns that its answer may not be whole")
	errNoVector = errors.New("the query does not give one sample")
)

// shaped tells an answer that came whole and holds no samples, as that to a query
// that is a text, from one that did not come.
func shaped(err error) error {
	var api *v1.Error
	var way *url.Error
	if errors.As(err, &api) || errors.As(err, &way) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errTooMuch) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, new(net.Error)) {
		return err
	}
	return fmt.Errorf("%w: %s", errNoVector, clip(err.Error(), 200))
}

// query sends one expression. A scalar is a sample without labels.
func (w *Witness) query(ctx context.Context, text string) (samples model.Vector, err error) {
	defer func() { // the answer is parsed by others
		if p := recover(); p != nil {
			samples, err = nil, fmt.Errorf("the answer could not be read: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Timeout)
	defer cancel()
	value, warnings, err := w.api.Query(ctx, text, w.cfg.At, v1.WithTimeout(w.cfg.Timeout))
	if err != nil {
		return nil, shaped(err)
	}
	if len(warnings) > 0 {
		return nil, fmt.Errorf("%w: %s", errWarned, strings.Join(warnings, "; "))
	}
	switch v := value.(type) {
	case model.Vector:
		if slices.Contains(v, nil) {
			return nil, errors.New("the answer holds a sample that is null")
		}
		return v, nil
	case *model.Scalar:
		return model.Vector{{Metric: model.Metric{}, Value: v.Value, Timestamp: v.Timestamp}}, nil
	case model.Matrix:
		return nil, fmt.Errorf("%w: it is a range of samples; take the last one with last_over_time(…)", errNoVector)
	case nil:
		return nil, errors.New("the answer holds no result")
	}
	return nil, fmt.Errorf("%w but a %s; let it give a Unix time in seconds", errNoVector, value.Type())
}
