package flightsrv

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

const sneaky = "p:ä  ss:"

// handshake logs in with headers and an optional payload, and returns the tokens of headers and trailers and the answer's payloads.
func handshake(ctx context.Context, c pb.FlightServiceClient, payload []byte) (header, trailer []string, answers [][]byte, err error) {
	stream, err := c.Handshake(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if payload != nil {
		if err := stream.Send(&pb.HandshakeRequest{Payload: payload}); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, nil, nil, err
	}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, nil, err
		}
		answers = append(answers, m.Payload)
	}
	h, err := stream.Header()
	return h.Get("authorization"), stream.Trailer().Get("authorization"), answers, err
}

func with(ctx context.Context, kv ...string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, kv...)
}

func basicHeader(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func TestLogin(t *testing.T) {
	r := newRig(t, Options{})
	if err := r.engine.PutUser(r.ctx(), "ann", sneaky); err != nil {
		t.Fatal(err)
	}
	c := r.raw()
	call := func(ctx context.Context) error {
		_, err := c.GetFlightInfo(ctx, cmd([]byte("SELECT current_user()")))
		return err
	}
	ok := func(auth string) {
		t.Helper()
		if err := call(with(r.ctx(), "authorization", auth)); err != nil {
			t.Errorf("%s: %v", auth, err)
		}
	}
	refused := func(auth, part string) {
		t.Helper()
		wantCode(t, call(with(r.ctx(), "authorization", auth)), codes.Unauthenticated, part)
	}
	wantCode(t, call(r.ctx()), codes.Unauthenticated, "needs a user name")
	ok(basicHeader("ann", sneaky))
	ok("basic " + base64.RawURLEncoding.EncodeToString([]byte("ann:"+sneaky)))
	refused(basicHeader("ann", "wrong"), "wrong user name or password")
	refused(basicHeader("bob", sneaky), "wrong user name or password")
	refused("Basic !!!", "cannot be read")
	refused("Digest x", "Basic or Bearer")
	refused("Bearer guess", "log in again")

	header, trailer, answers, err := handshake(with(r.ctx(), "authorization", basicHeader("ann", sneaky)), c, nil)
	if err != nil || len(header) != 1 || !strings.HasPrefix(header[0], "Bearer ") || len(trailer) != 0 || len(answers) != 0 {
		t.Fatalf("handshake: header %q, trailer %q, answers %q, %v", header, trailer, answers, err)
	}
	ok(header[0])
	ok(strings.Replace(header[0], "Bearer", "bearer", 1))
	again, _, _, err := handshake(with(r.ctx(), "authorization", header[0]), c, nil)
	if err != nil || len(again) != 1 || again[0] != header[0] {
		t.Errorf("handshake with a token: %q, %v", again, err)
	}
	_, _, _, err = handshake(with(r.ctx(), "authorization", basicHeader("ann", "no")), c, nil)
	wantCode(t, err, codes.Unauthenticated, "wrong user")
	_, _, _, err = handshake(r.ctx(), c, nil)
	wantCode(t, err, codes.Unauthenticated, "")

	payload, err := proto.Marshal(&pb.BasicAuth{Username: "ann", Password: sneaky})
	if err != nil {
		t.Fatal(err)
	}
	_, _, answers, err = handshake(r.ctx(), c, payload)
	if err != nil || len(answers) != 1 {
		t.Fatalf("payload handshake: %q, %v", answers, err)
	}
	if err := call(with(r.ctx(), "auth-token-bin", string(answers[0]))); err != nil {
		t.Errorf("auth-token-bin: %v", err)
	}

	// A new password ends the tokens made with the old one.
	if err := r.engine.PutUser(r.ctx(), "ann", "another one"); err != nil {
		t.Fatal(err)
	}
	refused(header[0], "log in again")
}

func TestNoLoginNeeded(t *testing.T) {
	r := newRig(t, Options{})
	c := r.raw()
	for _, auth := range []string{"", basicHeader("any", "thing"), "Bearer whatever"} {
		ctx := r.ctx()
		if auth != "" {
			ctx = with(ctx, "authorization", auth)
		}
		header, _, _, err := handshake(ctx, c, nil)
		if err != nil || len(header) != 1 {
			t.Errorf("%q: %q, %v", auth, header, err)
		}
		if _, err := c.GetFlightInfo(ctx, cmd([]byte("SELECT 1"))); err != nil {
			t.Errorf("%q: %v", auth, err)
		}
	}
	// Tokens of nobody are worth nothing once there are users.
	header, _, _, err := handshake(r.ctx(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.engine.PutUser(r.ctx(), "ann", "secret-x"); err != nil {
		t.Fatal(err)
	}
	_, err = c.GetFlightInfo(with(r.ctx(), "authorization", header[0]), cmd([]byte("SELECT 1")))
	wantCode(t, err, codes.Unauthenticated, "")
}

func TestResultsBelongToTheirUser(t *testing.T) {
	r := newRig(t, Options{})
	for _, u := range []string{"ann", "bob"} {
		if err := r.engine.PutUser(r.ctx(), u, u+u+u); err != nil {
			t.Fatal(err)
		}
	}
	ann, bob := with(r.ctx(), "authorization", basicHeader("ann", "annannann")), with(r.ctx(), "authorization", basicHeader("bob", "bobbobbob"))
	c := r.client()
	i, err := c.Execute(ann, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = fetch(bob, c, i)
	wantCode(t, err, codes.NotFound, "")
	_, err = c.CancelFlightInfo(bob, &flight.CancelFlightInfoRequest{Info: i})
	wantCode(t, err, codes.NotFound, "")
	if got, err := fetch(ann, c, i); err != nil || got != "1" {
		t.Errorf("%q, %v", got, err)
	}
}

// zone reads the session's time zone, by which the test tells sessions apart.
func zone(ctx context.Context, c pb.FlightServiceClient, opts ...grpc.CallOption) (string, error) {
	i, err := c.GetFlightInfo(ctx, cmd([]byte("SELECT @@time_zone")), opts...)
	if err != nil {
		return "", err
	}
	stream, err := c.DoGet(ctx, i.Endpoint[0].Ticket)
	if err != nil {
		return "", err
	}
	rd, err := flight.NewRecordReader(stream)
	if err != nil {
		return "", err
	}
	defer rd.Release()
	if !rd.Next() {
		return "", rd.Err()
	}
	return texts(rd.RecordBatch())[0], nil
}

func TestSessions(t *testing.T) {
	r := newRig(t, Options{})
	want := func(ctx context.Context, c pb.FlightServiceClient, want string, opts ...grpc.CallOption) {
		t.Helper()
		if got, err := zone(ctx, c, opts...); err != nil || got != want {
			t.Errorf("zone %q, %v; want %s", got, err, want)
		}
	}
	set := func(ctx context.Context, c pb.FlightServiceClient, z string) {
		t.Helper()
		if _, err := c.GetFlightInfo(ctx, cmd([]byte("SET time_zone = '"+z+"'"))); err != nil {
			t.Fatal(err)
		}
	}
	// By connection.
	a, b := r.raw(), r.raw()
	set(r.ctx(), a, "Asia/Tokyo")
	want(r.ctx(), a, "Asia/Tokyo")
	want(r.ctx(), b, "UTC")

	// By token, whatever the connection.
	h1, _, _, err := handshake(r.ctx(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	h2, _, _, err := handshake(r.ctx(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	t1, t2 := with(r.ctx(), "authorization", h1[0]), with(r.ctx(), "authorization", h2[0])
	set(t1, a, "Europe/Paris")
	want(t1, b, "Europe/Paris")
	want(t2, a, "UTC")
	want(r.ctx(), a, "Asia/Tokyo")

	// By cookie before all else; foreign and unknown cookies are passed over.
	var got metadata.MD
	c := r.raw()
	want(r.ctx(), c, "UTC", grpc.Header(&got))
	line := got.Get("set-cookie")
	if len(line) != 1 || !strings.Contains(line[0], "HttpOnly") {
		t.Fatalf("set-cookie %q", line)
	}
	cookie, _, _ := strings.Cut(line[0], ";")
	set(r.ctx(), c, "America/Lima")
	jar := with(r.ctx(), "cookie", "AWSALB=x; arrow_flight_session_id=old", "cookie", cookie)
	want(jar, b, "America/Lima")
	stale := with(r.ctx(), "cookie", "arrow_flight_session_id=old")
	want(stale, r.raw(), "UTC", grpc.Header(&got))
	if len(got.Get("set-cookie")) != 1 {
		t.Error("a stale cookie was not replaced")
	}
	_, err = options(stale, r.raw(), "GetSessionOptions", nil)
	wantCode(t, err, codes.NotFound, "reconnect")
}

func TestSessionEnds(t *testing.T) {
	r := newRig(t, Options{SessionTTL: time.Hour, TokenTTL: time.Hour})
	count := func() int {
		r.server.registry.mu.Lock()
		defer r.server.registry.mu.Unlock()
		return len(r.server.registry.clients)
	}
	conn := r.dial()
	if _, err := zone(r.ctx(), pb.NewFlightServiceClient(conn)); err != nil {
		t.Fatal(err)
	}
	if count() != 1 {
		t.Fatalf("%d sessions", count())
	}
	conn.Close()
	wait(t, "the session of the closed connection to end", func() bool { return count() == 0 })

	c := r.raw()
	h, _, _, err := handshake(r.ctx(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := with(r.ctx(), "authorization", h[0])
	if _, err := zone(ctx, c); err != nil {
		t.Fatal(err)
	}
	r.server.registry.expire(time.Now().Add(30 * time.Minute))
	if count() != 1 {
		t.Errorf("a session has ended too early")
	}
	wait(t, "the idle session to end", func() bool {
		r.server.registry.expire(time.Now().Add(2 * time.Hour))
		return count() == 0
	})
	if r.server.registry.token(strings.TrimPrefix(h[0], "Bearer ")) != nil {
		t.Error("the token did not end")
	}
}

// options runs a session action.
func options(ctx context.Context, c pb.FlightServiceClient, action string, m proto.Message) ([]byte, error) {
	var body []byte
	if m != nil {
		var err error
		if body, err = proto.Marshal(m); err != nil {
			return nil, err
		}
	}
	stream, err := c.DoAction(ctx, &pb.Action{Type: action, Body: body})
	if err != nil {
		return nil, err
	}
	res, err := stream.Recv()
	return res.GetBody(), err
}

func TestSessionOptions(t *testing.T) {
	r := newRig(t, Options{})
	r.run(r.client(), "CREATE DATABASE sales")
	c := r.client()
	set := func(want string, kv ...any) {
		t.Helper()
		values := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			values[kv[i].(string)] = kv[i+1]
		}
		opts, err := flight.NewSessionOptionValues(values)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.SetSessionOptions(r.ctx(), &flight.SetSessionOptionsRequest{SessionOptions: opts})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for k, e := range res.Errors {
			got += k + ":" + e.Value.String()
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", kv, got, want)
		}
	}
	set("", "schema", "sales", "timezone", "Asia/Tokyo", "statement_timeout", int64(30), "variant_total_order", true)
	set("colour:INVALID_NAME", "colour", "blue")
	set("timezone:INVALID_VALUE", "timezone", "Mars/Olympus")
	set("variant_total_order:INVALID_VALUE", "variant_total_order", "maybe")
	set("max_cumu_compaction_threads:ERROR", "max_cumu_compaction_threads", int64(2))
	get := func(name, want string) {
		t.Helper()
		res, err := c.GetSessionOptions(r.ctx(), &flight.GetSessionOptionsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.SessionOptions[name].GetStringValue(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	get("catalog", "ebira")
	get("schema", "sales")
	get("time_zone", "Asia/Tokyo")
	get("query_timeout", "30")
	get("variant_total_order", "true")
	set("", "timezone", nil, "catalog", "ebira")
	get("time_zone", "UTC")
	bad, err := flight.NewSessionOptionValues(map[string]any{"catalog": "nope"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.SetSessionOptions(r.ctx(), &flight.SetSessionOptionsRequest{SessionOptions: bad})
	wantCode(t, err, codes.NotFound, "nope")
	for range 2 {
		if res, err := c.CloseSession(r.ctx(), &flight.CloseSessionRequest{}); err != nil || res.Status != flight.CloseSessionResultClosed {
			t.Errorf("close: %v, %v", res, err)
		}
	}
	get("schema", "default")

	ctx := with(r.ctx(), "database", "sales")
	res, err := r.client().GetSessionOptions(ctx, &flight.GetSessionOptionsRequest{})
	if err != nil || res.SessionOptions["schema"].GetStringValue() != "sales" {
		t.Errorf("database header: %v, %v", res, err)
	}
	// Asking for options makes no session, and tells no cookie.
	sessions := func() int {
		r.server.registry.mu.Lock()
		defer r.server.registry.mu.Unlock()
		return len(r.server.registry.clients)
	}
	before := sessions()
	var header metadata.MD
	if _, err := r.client().GetSessionOptions(r.ctx(), &flight.GetSessionOptionsRequest{}, grpc.Header(&header)); err != nil {
		t.Fatal(err)
	}
	if after := sessions(); after > before || len(header.Get("set-cookie")) > 0 {
		t.Errorf("%d sessions became %d, cookies %v", before, after, header.Get("set-cookie"))
	}
	_, err = r.client().Execute(with(r.ctx(), "database", "nope"), "SELECT 1")
	wantCode(t, err, codes.NotFound, "nope")
}
