package kubetest

import (
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// auditPolicy logs who asked for what, without bodies and without the health
// checks.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, nonResourceURLs: ["/healthz*", "/livez*", "/readyz*"]}
- {level: Metadata}
`

// writeFiles makes all that the programs read.
func (c *Cluster) writeFiles() error {
	c.api, c.db = freePort(), freePort()
	var err error
	if c.pki, err = newPKI(c.dir); err != nil {
		return err
	}
	for _, id := range [][]string{
		{Admin, "kubetest-admin", "system:masters"},
		{"controllers", "system:kube-controller-manager"},
		{"node", "kubetest-node", "system:masters"},
	} {
		if err := c.pki.client(id[0], id[1], id[2:]...); err != nil {
			return err
		}
	}
	tokens := fmt.Sprintf("%s,alice,1,\n%s,bob,2,\n", c.tokens[Alice], c.tokens[Bob])
	if err := os.WriteFile(c.path("tokens.csv"), []byte(tokens), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(c.path("audit-policy.yaml"), []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	for _, user := range []string{Admin, Alice, Bob, "controllers", "node"} {
		if err := c.writeKubeconfig(user); err != nil {
			return err
		}
	}
	c.http, err = rest.HTTPClientFor(c.Config(Admin))
	return err
}

func (c *Cluster) writeKubeconfig(user string) error {
	k := clientcmdapi.NewConfig()
	k.CurrentContext = user
	k.Clusters["kubetest"] = &clientcmdapi.Cluster{Server: "https://" + c.api, CertificateAuthority: c.pki.path("ca.crt")}
	for _, name := range []string{Admin, Alice, Bob, user} {
		cfg := c.Config(name)
		k.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken, ClientCertificate: cfg.CertFile, ClientKey: cfg.KeyFile}
		k.Contexts[name] = &clientcmdapi.Context{Cluster: "kubetest", AuthInfo: name}
	}
	return clientcmd.WriteToFile(*k, c.Kubeconfig(user))
}
