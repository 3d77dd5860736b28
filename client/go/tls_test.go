package hashlane_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// issued is a certificate and its key, in PEM.
type issued struct {
	certificate, key []byte
	parsed           *x509.Certificate
	private          *ecdsa.PrivateKey
}

// issue makes a certificate, by itself or by an authority.
func issue(t *testing.T, template *x509.Certificate, by *issued) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.parsed, by.private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	return &issued{encode("CERTIFICATE", der), encode("PRIVATE KEY", private), parsed, key}
}

func TestTLS(t *testing.T) {
	authority := func() *issued {
		return issue(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
	}
	ca, stranger := authority(), authority()
	served := issue(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, ca)
	shown := issue(t, &x509.Certificate{
		DNSNames: []string{"backup"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, ca)
	folder := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secure := freeAddress()
	ownServer(t, freeAddress(), "--tls-listen", secure,
		"--tls-certificate", file("server.pem", served.certificate), "--tls-key", file("server.key", served.key),
		"--tls-client-ca", file("ca.pem", ca.certificate), "--tls-client-certificates", "required")
	endpoint := []string{"https://" + secure}
	own := hashlane.WithCertificate(shown.certificate, shown.key)
	data := pattern(mib, 1)
	answer, err := connect(t, endpoint, hashlane.WithCA(ca.certificate), own, hashlane.WithToken("t")).
		Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	for name, options := range map[string][]hashlane.Option{
		"an unknown authority":  {hashlane.WithCA(stranger.certificate), own},
		"the system's roots":    {own},
		"no client certificate": {hashlane.WithCA(ca.certificate)},
	} {
		client := connect(t, endpoint, append(options, hashlane.WithRetryTime(0))...)
		if _, err := client.Digest(soon(t), hashlane.Bytes(data)); status.Code(err) != codes.Unavailable {
			t.Error(name, err)
		}
	}
}

// Programs log their structs.
func TestClientsPrintNoSecrets(t *testing.T) {
	own, token := issue(t, &x509.Certificate{}, nil), "0123456789"
	client := connect(t, []string{"https://hashlane.example:50052"},
		hashlane.WithCertificate(own.certificate, own.key), hashlane.WithToken(token))
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		printed := fmt.Sprintf(format, client)
		for _, secret := range [][]byte{own.key[:20], []byte(token)} {
			if strings.Contains(printed, strings.Trim(fmt.Sprintf(format, secret), "[]byte{}")) {
				t.Errorf("%s prints %s", format, secret)
			}
		}
		if strings.Contains(printed, token) {
			t.Errorf("%s prints the token", format)
		}
	}
}
