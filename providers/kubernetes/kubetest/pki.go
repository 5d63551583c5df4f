package kubetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pki is a certificate authority of one cluster, with its files in one folder.
type pki struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newPKI makes the authority, the server's certificate and the key that signs
// service accounts' tokens.
func newPKI(dir string) (*pki, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	p := &pki{dir: dir, key: key}
	p.cert = template("kubetest-ca")
	p.cert.IsCA, p.cert.BasicConstraintsValid, p.cert.KeyUsage = true, true, x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature
	if err := p.write("ca", p.cert, key); err != nil {
		return nil, err
	}
	server := template("kube-apiserver")
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)}
	if err := p.issue("apiserver", server); err != nil {
		return nil, err
	}
	return p, p.signingKey()
}

// client issues a certificate for a user in groups.
func (p *pki) client(file, user string, groups ...string) error {
	c := template(user)
	c.Subject.Organization = groups
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return p.issue(file, c)
}

func template(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
}

func (p *pki) issue(file string, c *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return p.write(file, c, key)
}

func (p *pki) write(file string, c *x509.Certificate, key *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, c, p.cert, &key.PublicKey, p.key)
	if err != nil {
		return err
	}
	if err := p.pem(file+".crt", "CERTIFICATE", der); err != nil {
		return err
	}
	return p.private(file+".key", key)
}

func (p *pki) private(file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return p.pem(file, "EC PRIVATE KEY", der)
}

func (p *pki) signingKey() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := p.pem("sa.pub", "PUBLIC KEY", der); err != nil {
		return err
	}
	return p.private("sa.key", key)
}

func (p *pki) pem(file, kind string, der []byte) error {
	return os.WriteFile(p.path(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func (p *pki) path(file string) string { return filepath.Join(p.dir, file) }
