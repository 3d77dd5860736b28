package hashlane_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

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
	// What is wrong is told at once, and what to do.
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	old := web.Listener.Addr().String()
	secureWeb := httptest.NewUnstartedServer(http.NotFoundHandler())
	pair, err := tls.X509KeyPair(served.certificate, served.key)
	if err != nil {
		t.Fatal(err)
	}
	secureWeb.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	secureWeb.StartTLS()
	t.Cleanup(secureWeb.Close)
	for name, wrong := range map[string]struct {
		endpoints []string
		options   []hashlane.Option
		advice    string
	}{
		"an unknown authority":  {endpoint, []hashlane.Option{hashlane.WithCA(stranger.certificate), own}, "WithCA"},
		"the system's roots":    {endpoint, []hashlane.Option{own}, "WithCA"},
		"no client certificate": {endpoint, []hashlane.Option{hashlane.WithCA(ca.certificate)}, "WithCertificate"},
		"HTTP/1.1":              {[]string{old}, nil, "gRPC port"},
		"two of HTTP/1.1":       {[]string{old, old}, nil, "gRPC port"},
		"no TLS":                {[]string{"https://" + old}, nil, "http://"},
		"TLS with HTTP/1.1": {[]string{"https://" + secureWeb.Listener.Addr().String()},
			[]hashlane.Option{hashlane.WithCA(ca.certificate)}, "gRPC port"},
	} {
		client, ctx := connect(t, wrong.endpoints, append(wrong.options, hashlane.WithRetryTime(time.Hour))...), soon(t)
		_, err := client.Digest(ctx, hashlane.Bytes(data))
		var known *hashlane.Error
		if !errors.As(err, &known) || known.Code != codes.Unavailable || known.Retryable() || ctx.Err() != nil ||
			!strings.Contains(known.Error(), wrong.advice) {
			t.Error(name, err)
		}
	}
	// One wrong endpoint does not keep the others from being tried.
	answer, err = connect(t, []string{old, address}).Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	// An end of the connection has causes that pass, too.
	briefly := connect(t, []string{secure}, hashlane.WithRetryTime(0))
	_, err = briefly.Digest(soon(t), hashlane.Bytes(data))
	var known *hashlane.Error
	if !errors.As(err, &known) || !known.Retryable() {
		t.Error("no TLS to a port that has it", err)
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
