package github

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// blobLimit bounds the folder of blobs, in bytes.
const blobLimit = 256 << 20

var objectName = lazy.Expression(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// isBlob says that a text is the one that git calls by a name: the hash of its
// kind, length and bytes. What was cut short on the way or spoiled on disk
// never passes.
func isBlob(name string, data []byte) bool {
	var h hash.Hash = sha1.New()
	if len(name) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == name
}

// blob is a file's text, from the cache or from GitHub.
func (r *repository) blob(sha string) ([]byte, error) {
	if !objectName().MatchString(sha) {
		return nil, failed("the listing names it by %q, which is no git object; run the audit again", sha)
	}
	if data, ok := r.blobs.get(sha); ok {
		if isBlob(sha, data) {
			return data, nil
		}
		r.blobs.remove(sha)
	}
	var data []byte
	_, err := r.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		data, resp, err = r.client.Git.GetBlobRaw(ctx, r.owner, r.name, sha)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	if !isBlob(sha, data) {
		return nil, failed("its text did not come whole; run the audit again")
	}
	r.blobs.put(sha, data)
	return data, nil
}
