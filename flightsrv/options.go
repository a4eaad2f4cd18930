package flightsrv

import (
	"context"
	"sort"
	"strconv"
	"strings"

	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
)

// Session options that are no variables.
const (
	optionCatalog = "catalog"
	optionSchema  = "schema"
)

// setSessionOptions sets options in the order of their names. An option that cannot be set is told by name and does not undo the others;
// an unknown catalog alone, or an unknown schema alone, is an error of the call, because drivers connect that way (FS-89).
func (s *Server) setSessionOptions(ctx context.Context, body []byte) (proto.Message, error) {
	var m pb.SetSessionOptionsRequest
	if proto.Unmarshal(body, &m) != nil {
		return nil, status.Error(codes.InvalidArgument, "the session options cannot be read")
	}
	cl, err := s.oldClient(ctx)
	if err != nil {
		return nil, err
	}
	s.sendCookie(ctx, cl)
	names := make([]string, 0, len(m.SessionOptions))
	for n := range m.SessionOptions {
		names = append(names, n)
	}
	sort.Strings(names)
	out := &pb.SetSessionOptionsResult{Errors: map[string]*pb.SetSessionOptionsResult_Error{}}
	for _, n := range names {
		err := cl.setOption(n, m.SessionOptions[n])
		if err == nil {
			continue
		}
		if lower := strings.ToLower(n); len(names) == 1 && (lower == optionCatalog || lower == optionSchema) && sqlerr.KindOf(err) == sqlerr.NotFound {
			return nil, err
		}
		out.Errors[n] = &pb.SetSessionOptionsResult_Error{Value: optionError(n, err)}
	}
	return out, nil
}

// optionError says what is wrong with an option. The name of a time zone is a value that may not exist.
func optionError(name string, err error) pb.SetSessionOptionsResult_ErrorValue {
	lower := variableName(name)
	switch sqlerr.KindOf(err) {
	case sqlerr.NotFound:
		if lower == optionCatalog || lower == optionSchema || lower == "time_zone" {
			return pb.SetSessionOptionsResult_INVALID_VALUE
		}
		return pb.SetSessionOptionsResult_INVALID_NAME
	case sqlerr.Conversion, sqlerr.OutOfRange, sqlerr.Type:
		return pb.SetSessionOptionsResult_INVALID_VALUE
	}
	return pb.SetSessionOptionsResult_ERROR
}

// setOption sets one option; one without a value goes back to its default.
func (c *client) setOption(name string, v *pb.SessionOptionValue) error {
	text, err := optionText(v)
	if err != nil {
		return err
	}
	switch strings.ToLower(name) {
	case optionCatalog:
		if text != "" && text != catalog.CatalogName {
			return sqlerr.New(sqlerr.NotFound, "catalog %s does not exist; there is one, %s", text, catalog.CatalogName)
		}
		return nil
	case optionSchema:
		if text == "" {
			text = catalog.DefaultDatabase
		}
		return c.sess.SetDatabase(text, false)
	}
	return c.sess.SetVar(variableName(name), text)
}

// optionText prints the value of an option as SET would take it.
func optionText(v *pb.SessionOptionValue) (string, error) {
	switch x := v.GetOptionValue().(type) {
	case nil:
		return "", nil
	case *pb.SessionOptionValue_StringValue:
		return x.StringValue, nil
	case *pb.SessionOptionValue_BoolValue:
		return strconv.FormatBool(x.BoolValue), nil
	case *pb.SessionOptionValue_Int64Value:
		return strconv.FormatInt(x.Int64Value, 10), nil
	case *pb.SessionOptionValue_DoubleValue:
		return strconv.FormatFloat(x.DoubleValue, 'g', -1, 64), nil
	case *pb.SessionOptionValue_StringListValue_:
		return strings.Join(x.StringListValue.GetValues(), ","), nil
	}
	return "", sqlerr.New(sqlerr.Type, "the value of a session option has an unknown form")
}

// sessionOptions reads catalog, schema and all variables as texts (FS-90). It makes no session: clients ask only to see whether the
// server lives.
func (s *Server) sessionOptions(ctx context.Context) (proto.Message, error) {
	c := callerOf(ctx)
	var cl *client
	var err error
	if len(c.cookies) > 0 || s.registry.has(c) {
		cl, err = s.oldClient(ctx)
	} else {
		cl = newClient(s.engine.NewSession(c.user), c.user)
		defer cl.sess.Close()
		err = cl.start(c.md)
	}
	if err != nil {
		return nil, err
	}
	out := &pb.GetSessionOptionsResult{SessionOptions: map[string]*pb.SessionOptionValue{}}
	put := func(name, v string) {
		out.SessionOptions[name] = &pb.SessionOptionValue{OptionValue: &pb.SessionOptionValue_StringValue{StringValue: v}}
	}
	put(optionCatalog, catalog.CatalogName)
	put(optionSchema, cl.sess.Database())
	r, err := cl.sess.Exec(ctx, "SHOW VARIABLES")
	if err != nil {
		return nil, err
	}
	batches, err := r.All(ctx)
	for _, b := range batches {
		for i := range b.Len {
			put(string(b.Cols[0].Bytes(i)), string(b.Cols[1].Bytes(i)))
		}
	}
	return out, err
}
