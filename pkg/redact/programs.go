package redact

import (
	"path"
	"slices"
	"strings"
)

// program is what is known of a program's short flags.
type program struct {
	known bool
	// secret are flags whose value is a secret, in the same word or the next.
	secret []string
	// user are flags whose value is a user and a secret, and the sign between.
	user map[string]string
	// only is a word that must have been met, since the flags mean something else
	// without it: docker run -p 80:80 and docker login -p x.
	only string
	// asks says that the flag by itself takes no value but asks for one, so that
	// the next word may be something else, such as a database.
	asks bool
	// positionals says that a word is a secret by its place.
	positionals bool
	// logon says that a word USER/PASSWORD holds a secret.
	logon bool
}

// programs are those whose short flags take a secret, by their manuals. A name
// that ends in * stands for all that begin so.
var programs = []struct {
	names []string
	is    program
}{
	{[]string{"mysql*", "mariadb*"}, program{secret: []string{"-p"}, asks: true}},
	{[]string{"htpasswd"}, program{positionals: true}},
	{[]string{"mydumper", "myloader", "xtrabackup", "innobackupex", "sshpass", "mongo*", "cqlsh", "beeline", "rabbitmqadmin", "influx*", "7z*", "rar", "unrar", "ncftp*", "nsupdate"}, program{secret: []string{"-p"}}},
	{[]string{"docker", "podman", "buildah", "skopeo", "nerdctl", "oras", "crane", "helm", "az", "oc", "cf", "argocd"}, program{secret: []string{"-p"}, only: "login"}},
	{[]string{"redis-cli", "valkey-cli", "keydb-cli"}, program{secret: []string{"-a"}}},
	{[]string{"ldap*"}, program{secret: []string{"-w"}}},
	{[]string{"mosquitto_*", "sqlcmd", "bcp", "osql", "tsql", "isql", "zip", "unzip", "ipmitool", "ipmi*"}, program{secret: []string{"-P"}}},
	{[]string{"openssl"}, program{secret: []string{"-k", "-K"}}},
	{[]string{"snmp*"}, program{secret: []string{"-c", "-A", "-X"}}},
	{[]string{"swaks"}, program{secret: []string{"-ap"}}},
	{[]string{"sendemail"}, program{secret: []string{"-xp"}}},
	{[]string{"curl"}, program{user: map[string]string{"-u": ":", "--user": ":", "-U": ":", "--proxy-user": ":", "-b": "=", "--cookie": "="}}},
	{[]string{"smbclient", "smbget", "smbmap", "rpcclient", "net"}, program{user: map[string]string{"-U": "%", "--user": "%"}}},
	{[]string{"lftp"}, program{user: map[string]string{"-u": ",", "--user": ","}}},
	{[]string{"http", "https", "xh"}, program{user: map[string]string{"-a": ":", "--auth": ":"}}},
	{[]string{"sqlplus", "sqlldr", "expdp", "impdp", "exp", "imp", "rman"}, program{logon: true}},
}

// programOf is what is known of the program that a word calls.
func programOf(w string) (program, bool) {
	w = strings.Trim(w[strings.LastIndexAny(w, ";|&(){}")+1:], quotes)
	name := strings.ToLower(path.Base(w))
	name = strings.TrimSuffix(name, ".exe")
	for _, p := range programs {
		if slices.ContainsFunc(p.names, func(n string) bool { return likeName(n, name) }) {
			p.is.known = true
			return p.is, true
		}
	}
	return program{}, false
}

func likeName(pattern, name string) bool {
	if stem, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, stem)
	}
	return pattern == name
}

// takesNext says that the word after a flag is a secret.
func (p program) takesNext(flag string) bool {
	if p.only != "" {
		return false
	}
	return slices.ContainsFunc(p.secret, func(f string) bool {
		return flag == f || len(f) == 2 && lastOfCluster(flag, f[1])
	})
}

// database says that a word after a flag that asks is rather a name than a secret.
func (p program) database(w string) bool {
	return p.asks && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// plainOfP says that what follows a lone -p of a program that is not named is a
// port, an address, a protocol or a path.
func plainOfP(v string) bool {
	if v == "" || strings.IndexByte("/.~", v[0]) >= 0 || strings.Trim(v, "0123456789.:,/-") == "" {
		return true
	}
	return slices.Contains([]string{"tcp", "udp", "icmp"}, strings.TrimLeft(v, "0123456789.:-/"))
}

// plainP are programs whose -p takes no secret, by their manuals, though what
// follows it need not be a number.
var plainP = []string{"mkdir", "rmdir", "mkfifo", "cp", "mv", "install", "tar", "rsync", "scp", "sftp", "ssh*", "sudo", "nc", "ncat", "psql", "pg_*", "ps", "pgrep", "perl", "git", "patch", "pytest", "python*", "bash", "sh", "dash", "node", "wget", "iptables", "ip6tables", "kubectl", "screen", "xargs", "make", "mvn", "tsc", "cargo", "read", "aws", "touch", "test", "declare", "export"}

// lastOfCluster says that a flag ends a group of one-letter flags: u in -su.
func lastOfCluster(flag string, letter byte) bool {
	if len(flag) < 3 || len(flag) > 5 || flag[0] != '-' || flag[len(flag)-1] != letter {
		return false
	}
	return strings.Trim(flag[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// attached is where the secret begins in a word that holds flag and secret.
func (p program) attached(w string) (int, bool) {
	if len(w) < 3 || w[0] != '-' || w[1] == '-' {
		return 0, false
	}
	if slices.Contains(p.secret, w[:2]) && p.only == "" {
		return 2, w[2:] != Mask
	}
	return 2, !p.known && w[1] == 'p' && looksSecret(w[2:])
}

// looksSecret tells -pSECRET of an unknown program from -p8080, -pvz and -print0.
func looksSecret(v string) bool {
	if len(v) < 4 || v == Mask || v == "rint0" || strings.Trim(v, "0123456789.:,/-") == "" || strings.HasSuffix(v, "/tcp") || strings.HasSuffix(v, "/udp") {
		return false
	}
	plain := strings.Trim(v, "abcdefghijklmnopqrstuvwxyz")
	return plain != "" && v[0] != '/' && v[0] != '.' && v[0] != '=' && v[0] != '$'
}
