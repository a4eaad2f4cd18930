package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServeAndStop(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "d")
	d := call{}.launch(t, "--data", data)
	if !strings.HasPrefix(d.ready, "ready: data "+data+", Python ") || !strings.Contains(d.ready, "useEncryption=false") {
		t.Errorf("ready line is %q", d.ready)
	}
	equal(t, d.sql(t, "CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2); SELECT sum(a) AS s FROM t"), "s\n3\n")
	equal(t, d.sql(t, "SET variant_total_order = true; SHOW VARIABLES LIKE 'variant_total_order'")[:5], "Varia")

	// The directory belongs to this process until it ends.
	inUse := fmt.Sprintf("is in use by process %d; end it, or connect to it with: ebira sql --url %s", d.cmd.Process.Pid, d.url)
	call{env: []string{"EBIRA_LISTEN=127.0.0.1:0"}}.fails(t, []string{inUse}, "serve", "--data", data)
	call{}.fails(t, []string{inUse}, "sql", "--data", data, "-c", "SELECT 1")
	call{}.fails(t, []string{inUse}, "load", "--data", data, "--table", "t", filepath.Join(dir, "rows.ndjson"))
	// The address too.
	call{}.fails(t, []string{"address already in use"}, "serve", "--data", filepath.Join(dir, "d2"), "--listen", strings.TrimPrefix(d.url, "grpc://"))

	d.stop(t)
	equal(t, call{}.ok(t, "sql", "--data", data, "--format", "csv", "-c", "SELECT sum(a) AS s FROM t"), "s\n3\n")

	interrupted := call{}.launch(t, "--data", data)
	if err := interrupted.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := <-interrupted.done; err != nil {
		t.Errorf("after SIGINT: %v", err)
	}
}

// TestEmbeddedHolder lets a client without a server have the directory: nobody else is told to connect to it.
func TestEmbeddedHolder(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(binary, "sql", "--data", "d", "-c", strings.TrimSuffix(endless, "\r"))
	cmd.Dir, cmd.Env = dir, cleanEnv(dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	waitFor(t, "the client to have the directory", func() bool {
		pid, _ := os.ReadFile(filepath.Join(dir, "d", "LOCK"))
		return string(pid) == fmt.Sprintln(cmd.Process.Pid)
	})
	c := call{dir: dir, env: []string{"EBIRA_LISTEN=127.0.0.1:0"}}
	want := []string{fmt.Sprintf("data directory d is in use by process %d, which is no server that could be connected to, or not yet; wait until it ends, or end it\n", cmd.Process.Pid)}
	c.fails(t, want, "serve", "--data", "d")
	c.fails(t, want, "sql", "--data", "d", "-c", "SELECT 1")
}

// TestStopDuringQuery stops a server while a statement runs: it still ends with status 0, and the client gets an error.
func TestStopDuringQuery(t *testing.T) {
	d := call{}.launch(t, "--data", filepath.Join(t.TempDir(), "d"))
	ended := make(chan int)
	go func() {
		_, _, code := call{}.run(t, "sql", "--url", d.url, "-c", strings.TrimSuffix(endless, "\r"))
		ended <- code
	}()
	waitFor(t, "the query to run", func() bool {
		return d.sql(t, "SELECT count(*) AS n FROM system.queries WHERE state = 'running' AND query LIKE '%100000000%' AND query NOT LIKE '%system%'") == "n\n1\n"
	})
	d.stop(t)
	if code := <-ended; code != 1 {
		t.Errorf("the client ended with status %d, want 1", code)
	}
}

// TestInterruptScript sends SIGINT to a client whose statement runs: it ends with status 1, and the server stops the statement.
func TestInterruptScript(t *testing.T) {
	d := call{}.launch(t, "--data", filepath.Join(t.TempDir(), "d"))
	cmd := exec.Command(binary, "sql", "--url", d.url, "-c", strings.TrimSuffix(endless, "\r"))
	cmd.Env = cleanEnv(t.TempDir())
	var errs safeBuffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		return d.sql(t, "SELECT state FROM system.queries WHERE query LIKE '%100000000%' AND query NOT LIKE '%system%' UNION ALL SELECT state FROM system.query_log WHERE query LIKE '%100000000%' AND query NOT LIKE '%system%'")
	}
	waitFor(t, "the statement to run", func() bool { return state() == "state\nrunning\n" })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the client ended with %v", err)
	}
	equal(t, errs.String(), "error: canceled\n")
	waitFor(t, "the statement to end", func() bool { return state() != "state\nrunning\n" })
	d.stop(t)
}

// waitFor polls until a condition holds.
func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Fatalf("gave up waiting for %s", what)
}

func TestUsers(t *testing.T) {
	dir := t.TempDir()
	data, pw, wrong := filepath.Join(dir, "d"), filepath.Join(dir, "pw"), filepath.Join(dir, "wrong")
	write(t, pw, "s3cret-word\n")
	write(t, wrong, "other-word")
	c := call{dir: dir}
	c.fails(t, []string{"can be reached from other machines, and there is no user yet", "--user NAME --password-file FILE"}, "serve", "--data", data, "--listen", "0.0.0.0:0")
	c.fails(t, []string{"can be reached from other machines"}, "serve", "--data", data, "--listen", ":0")
	c.fails(t, []string{"--user and --password-file go together"}, "serve", "--data", data, "--listen", "127.0.0.1:0", "--user", "ann")
	c.fails(t, []string{"--password-file", "no such file"}, "serve", "--data", data, "--listen", "127.0.0.1:0", "--user", "ann", "--password-file", "nothing")

	d := c.launch(t, "--data", data, "--user", "ann", "--password-file", pw)
	equal(t, c.ok(t, "sql", "--url", d.url, "--user", "ann", "--password-file", pw, "--format", "csv", "-c", "SELECT current_user() AS u"), "u\nann\n")
	c.fails(t, []string{"connect to " + d.url}, "sql", "--url", d.url, "-c", "SELECT 1")
	c.fails(t, []string{"connect to " + d.url}, "sql", "--url", d.url, "--user", "ann", "--password-file", wrong, "-c", "SELECT 1")
	c.fails(t, []string{"connect to " + d.url}, "sql", "--url", d.url, "--user", "bob", "--password-file", pw, "-c", "SELECT 1")
	d.stop(t)
	if strings.Contains(d.log.String(), "s3cret") {
		t.Error("the password is in the log")
	}

	// The user stays: now other machines may be served, and --user is not needed again.
	d = c.launch(t, "--data", data, "--listen", "0.0.0.0:0")
	equal(t, c.ok(t, "sql", "--url", d.url, "--user", "ann", "--password-file", pw, "--format", "csv", "-c", "SELECT 1 AS x"), "x\n1\n")
	d.stop(t)

	// --user again changes the password.
	d = c.launch(t, "--data", data, "--user", "ann", "--password-file", wrong)
	c.fails(t, []string{"connect to " + d.url}, "sql", "--url", d.url, "--user", "ann", "--password-file", pw, "-c", "SELECT 1")
	c.ok(t, "sql", "--url", d.url, "--user", "ann", "--password-file", wrong, "-c", "SELECT 1")
	d.stop(t)
}

// certificate makes a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ebira test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})))
	return cert, key
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir)
	c := call{dir: dir}
	c.fails(t, []string{"--tls-cert and --tls-key go together"}, "serve", "--data", "d", "--listen", "127.0.0.1:0", "--tls-cert", cert)
	c.fails(t, []string{"TLS certificate"}, "serve", "--data", "d", "--listen", "127.0.0.1:0", "--tls-cert", key, "--tls-key", cert)
	d := c.launch(t, "--data", "d", "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(d.url, "grpc+tls://127.0.0.1:") || !strings.Contains(d.ready, "useEncryption=true") {
		t.Errorf("ready line is %q", d.ready)
	}
	equal(t, c.ok(t, "sql", "--url", d.url, "--tls-ca", cert, "--format", "csv", "-c", "SELECT 1 AS x"), "x\n1\n")
	c.fails(t, []string{"certificate"}, "sql", "--url", d.url, "-c", "SELECT 1")
	c.fails(t, []string{"connect to grpc://"}, "sql", "--url", strings.Replace(d.url, "+tls", "", 1), "-c", "SELECT 1")
	c.fails(t, []string{"in use by process", "connect to it with: ebira sql --url " + d.url + "\n"}, "sql", "--data", "d", "-c", "SELECT 1")
	c.fails(t, []string{"--tls-ca: no certificate in PEM form"}, "sql", "--url", d.url, "--tls-ca", key, "-c", "SELECT 1")
	d.stop(t)
}

// TestAllowedDirs sends COPY statements that try to leave the allowed folder.
func TestAllowedDirs(t *testing.T) {
	base := t.TempDir()
	allowed, outside, data := filepath.Join(base, "allowed"), filepath.Join(base, "outside"), filepath.Join(base, "allowed", "db")
	write(t, filepath.Join(allowed, "ok.ndjson"), "{\"id\":1,\"line\":\"a\"}\n{\"id\":2}\n")
	write(t, filepath.Join(outside, "x.ndjson"), "{\"id\":66,\"line\":\"topsecret\"}\n")
	for link, target := range map[string]string{"link.ndjson": filepath.Join(outside, "x.ndjson"), "linkdir": outside, "dangling.ndjson": filepath.Join(outside, "none.ndjson")} {
		if err := os.Symlink(target, filepath.Join(allowed, link)); err != nil {
			t.Fatal(err)
		}
	}
	const columns = " FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = FIELD_DEFAULT)"
	refused := func(d *daemon, copy string) {
		t.Helper()
		_, errs, code := call{}.run(t, "sql", "--url", d.url, "-c", copy)
		if code != 1 || !strings.Contains(errs, "permission") || !strings.Contains(errs, "--allowed-dirs") {
			t.Errorf("%s: status %d, message %q", copy, code, errs)
		}
		for _, leak := range []string{"topsecret", "root:", "no such file"} {
			if strings.Contains(errs, leak) {
				t.Errorf("%s: the message shows %q: %s", copy, leak, errs)
			}
		}
	}

	d := call{}.launch(t, "--data", data)
	d.sql(t, "CREATE TABLE r40 (line STRING, id INT)")
	refused(d, "COPY INTO r40 FROM '"+allowed+"/ok.ndjson'"+columns)
	refused(d, "COPY INTO r40 FROM '/etc/passwd'"+columns+" ON_ERROR = CONTINUE")
	d.stop(t)

	d = call{}.launch(t, "--data", data, "--allowed-dirs", allowed)
	for _, from := range []string{"/etc/passwd", "/etc/there-is-no-such-file", allowed + "/../../../../../../../etc/passwd", allowed + "/../outside/x.ndjson", "file:///etc/hostname", "fs:///etc/hostname",
		allowed + "/link.ndjson", allowed + "/linkdir/x.ndjson", allowed + "/linkdir/", allowed + "/dangling.ndjson", data + "/", data + "/FORMAT", "../outside/x.ndjson", allowed + "x/ok.ndjson"} {
		refused(d, "COPY INTO r40 FROM '"+from+"'"+columns)
	}
	for _, to := range []string{allowed + "/../out.ndjson", allowed + "/linkdir/out.ndjson", data + "/segments/", outside + "/"} {
		refused(d, "COPY INTO '"+to+"' FROM r40 FILE_FORMAT = (TYPE = NDJSON)")
	}
	refused(d, "SELECT * FROM infer_schema(location => '/etc/passwd', file_format => 'NDJSON')")
	d.sql(t, "COPY INTO r40 FROM '"+allowed+"/ok.ndjson'"+columns)
	equal(t, d.sql(t, "SELECT id, line FROM r40 ORDER BY id"), "id,line\n1,a\n2,\n")
	d.stop(t)
	if names, err := os.ReadDir(outside); err != nil || len(names) != 1 {
		t.Errorf("the outside folder has %v, error %v", names, err)
	}
}

// TestMemoryLimit runs a grouping that does not fit, which spills, and a single state that does not, of which the server says so and goes on.
func TestMemoryLimit(t *testing.T) {
	d := call{}.launch(t, "--data", filepath.Join(t.TempDir(), "d"), "--memory-limit", "32MiB", "--threads", "2")
	for range 3 {
		call{}.fails(t, []string{"resource limit: not enough memory", "--memory-limit"}, "sql", "--url", d.url, "-c",
			"SELECT array_size(array_agg(number)) FROM numbers(5000000)")
	}
	equal(t, d.sql(t, "SELECT n, count(*) AS c FROM (SELECT number AS n FROM numbers(3000000)) q GROUP BY n ORDER BY 2, 1 LIMIT 1"), "n,c\n0,1\n")
	equal(t, d.sql(t, "SELECT count(*) AS n FROM numbers(3000000)"), "n\n3000000\n")
	d.stop(t)
	call{}.fails(t, []string{"is not a size"}, "serve", "--data", "d", "--listen", "127.0.0.1:0", "--memory-limit", "much")
}

func TestHTTP(t *testing.T) {
	d := call{}.launch(t, "--data", filepath.Join(t.TempDir(), "d"), "--http", "127.0.0.1:0")
	m := regexp.MustCompile(`, HTTP (http://127\.0\.0\.1:[0-9]+), `).FindStringSubmatch(d.ready)
	if m == nil {
		t.Fatalf("no HTTP address in %q", d.ready)
	}
	fetch := func(path string) (int, string) {
		t.Helper()
		resp, err := http.Get(m[1] + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	if code, body := fetch("/health"); code != 200 || body != "ok\n" {
		t.Errorf("health answers %d %q", code, body)
	}
	if code, _ := fetch("/nothing"); code != 404 {
		t.Errorf("an unknown page answers %d", code)
	}
	d.sql(t, "CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
	code, body := fetch("/metrics")
	if lines := regexp.MustCompile(`(?m)^ebira_[a-z_]+(\{[^}]*\})? [-+0-9.e]+$`).FindAllString(body, -1); code != 200 || len(lines) < 5 {
		t.Errorf("metrics answer %d with %d figures:\n%s", code, len(lines), body)
	}
	d.stop(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	call{}.fails(t, []string{"listen on " + taken.Addr().String(), "in use"}, "serve", "--data", "d", "--listen", "127.0.0.1:0", "--http", taken.Addr().String())
}

func TestLogFormat(t *testing.T) {
	d := call{}.launch(t, "--data", filepath.Join(t.TempDir(), "d"), "--log-format", "json")
	d.stop(t)
	if !strings.Contains(d.log.String(), `"msg":"stopping"`) {
		t.Errorf("the log is %q", d.log.String())
	}
	call{}.fails(t, []string{`--log-format is text or json, not "xml"`}, "serve", "--data", "d", "--log-format", "xml")
	call{}.fails(t, []string{"--threads -1: must not be negative"}, "serve", "--data", "d", "--threads", "-1")
}
