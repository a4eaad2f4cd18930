package flightsrv

import (
	"context"
	"strings"

	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// actionTypes are the actions that ListActions names (FS-4).
var actionTypes = []*pb.ActionType{
	{Type: "CreatePreparedStatement", Description: "check a statement; takes ActionCreatePreparedStatementRequest, returns ActionCreatePreparedStatementResult"},
	{Type: "ClosePreparedStatement", Description: "forget a prepared statement; takes ActionClosePreparedStatementRequest, returns nothing"},
	{Type: "BeginTransaction", Description: "begin a transaction; takes ActionBeginTransactionRequest, returns ActionBeginTransactionResult"},
	{Type: "EndTransaction", Description: "commit a transaction or roll it back; takes ActionEndTransactionRequest, returns nothing"},
	{Type: "CancelFlightInfo", Description: "stop a query and drop its result; takes CancelFlightInfoRequest, returns CancelFlightInfoResult"},
	{Type: "CancelQuery", Description: "the deprecated form of CancelFlightInfo; takes ActionCancelQueryRequest, returns ActionCancelQueryResult"},
	{Type: "RenewFlightEndpoint", Description: "prolong the life of a result; takes RenewFlightEndpointRequest, returns FlightEndpoint"},
	{Type: "SetSessionOptions", Description: "set catalog, schema and variables; takes SetSessionOptionsRequest, returns SetSessionOptionsResult"},
	{Type: "GetSessionOptions", Description: "read catalog, schema and variables; takes GetSessionOptionsRequest, returns GetSessionOptionsResult"},
	{Type: "CloseSession", Description: "end the session; takes CloseSessionRequest, returns CloseSessionResult"},
}

// ListActions lists the actions.
func (service) ListActions(_ *pb.Empty, stream pb.FlightService_ListActionsServer) error {
	for _, a := range actionTypes {
		if err := stream.Send(a); err != nil {
			return err
		}
	}
	return nil
}

// DoAction runs an action.
func (s service) DoAction(a *pb.Action, stream pb.FlightService_DoActionServer) error {
	ctx := stream.Context()
	var answer proto.Message
	var err error
	wrap := false
	switch a.Type {
	case "CreatePreparedStatement", "ClosePreparedStatement", "CancelQuery", "BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint", "CreatePreparedSubstraitPlan":
		wrap = true
		answer, err = s.sqlAction(ctx, a)
	case "CancelFlightInfo":
		answer, err = s.cancelFlightInfo(ctx, a.Body)
	case "RenewFlightEndpoint":
		answer, err = s.renewEndpoint(ctx, a.Body)
	case "SetSessionOptions":
		answer, err = s.setSessionOptions(ctx, a.Body)
	case "GetSessionOptions":
		answer, err = s.sessionOptions(ctx)
	case "CloseSession":
		answer, err = s.closeSession(ctx)
	default:
		return status.Errorf(codes.Unimplemented, "the action %q is not supported", clip(a.Type))
	}
	if err != nil || answer == nil {
		return err
	}
	if wrap {
		return stream.Send(&pb.Result{Body: pack(answer)})
	}
	body, err := proto.Marshal(answer)
	if err != nil {
		return err
	}
	return stream.Send(&pb.Result{Body: body})
}

// sqlAction runs an action of Flight SQL, whose body is an Any. The answer is nil for actions that return nothing.
func (s *Server) sqlAction(ctx context.Context, a *pb.Action) (proto.Message, error) {
	m, isAny, err := unpack(a.Body)
	if err != nil {
		return nil, err
	}
	if !isAny {
		return nil, status.Errorf(codes.InvalidArgument, "the body of the action %s is not a Flight SQL message", a.Type)
	}
	if name := string(m.ProtoReflect().Descriptor().Name()); name != "Action"+a.Type+"Request" {
		return nil, status.Errorf(codes.InvalidArgument, "the body of the action %s is a %s", a.Type, name)
	}
	switch m := m.(type) {
	case *pb.ActionCreatePreparedStatementRequest:
		r, err := s.createPrepared(ctx, m)
		if err != nil {
			return nil, err
		}
		return r, nil
	case *pb.ActionClosePreparedStatementRequest:
		return nil, s.closePrepared(ctx, m.PreparedStatementHandle)
	case *pb.ActionBeginTransactionRequest:
		r, err := s.beginTransaction(ctx)
		if err != nil {
			return nil, err
		}
		return r, nil
	case *pb.ActionEndTransactionRequest:
		return nil, s.endTransaction(ctx, m)
	//lint:ignore SA1019 clients that know no CancelFlightInfo send it
	case *pb.ActionCancelQueryRequest:
		var i pb.FlightInfo
		if proto.Unmarshal(m.Info, &i) != nil {
			return nil, status.Error(codes.InvalidArgument, "the FlightInfo to be canceled cannot be read")
		}
		if err := s.cancelInfo(ctx, &i); err != nil {
			return nil, err
		}
		//lint:ignore SA1019 see above
		return &pb.ActionCancelQueryResult{Result: pb.ActionCancelQueryResult_CANCEL_RESULT_CANCELLED}, nil
	case *pb.ActionCreatePreparedSubstraitPlanRequest:
		return nil, status.Error(codes.Unimplemented, "Substrait plans are not supported")
	}
	return nil, status.Errorf(codes.Unimplemented, "%s: savepoints are not supported", a.Type)
}

func (s *Server) cancelFlightInfo(ctx context.Context, body []byte) (proto.Message, error) {
	var m pb.CancelFlightInfoRequest
	if proto.Unmarshal(body, &m) != nil || m.Info == nil {
		return nil, status.Error(codes.InvalidArgument, "the FlightInfo to be canceled cannot be read")
	}
	if err := s.cancelInfo(ctx, m.Info); err != nil {
		return nil, err
	}
	return &pb.CancelFlightInfoResult{Status: pb.CancelStatus_CANCEL_STATUS_CANCELLED}, nil
}

// cancelInfo stops the queries of a FlightInfo. Only who made them may do so (FS-111).
func (s *Server) cancelInfo(ctx context.Context, i *pb.FlightInfo) error {
	if len(i.Endpoint) == 0 {
		return status.Error(codes.InvalidArgument, "the FlightInfo has no endpoint")
	}
	for _, e := range i.Endpoint {
		t, err := s.endpointTicket(ctx, e)
		if err != nil {
			return err
		}
		s.tickets.remove(t)
	}
	return nil
}

func (s *Server) endpointTicket(ctx context.Context, e *pb.FlightEndpoint) (*ticket, error) {
	m, _, err := unpack(e.GetTicket().GetTicket())
	if err != nil {
		return nil, err
	}
	q, ok := m.(*pb.TicketStatementQuery)
	if !ok {
		return nil, status.Error(codes.NotFound, "the endpoint belongs to no query")
	}
	return s.tickets.find(q.StatementHandle, callerOf(ctx).user)
}

// renewEndpoint prolongs the life of a result (FS-112).
func (s *Server) renewEndpoint(ctx context.Context, body []byte) (proto.Message, error) {
	var m pb.RenewFlightEndpointRequest
	if proto.Unmarshal(body, &m) != nil || m.Endpoint == nil {
		return nil, status.Error(codes.InvalidArgument, "the endpoint to be renewed cannot be read")
	}
	t, err := s.endpointTicket(ctx, m.Endpoint)
	if err != nil {
		return nil, err
	}
	e := proto.Clone(m.Endpoint).(*pb.FlightEndpoint)
	e.ExpirationTime = timestamppb.New(s.tickets.renew(t))
	return e, nil
}

// closeSession ends the caller's session. Closing one that is gone is fine (FS-90).
func (s *Server) closeSession(ctx context.Context) (proto.Message, error) {
	c := callerOf(ctx)
	if len(c.cookies) == 0 || s.registry.known(c) {
		cl, err := s.client(ctx)
		if err != nil {
			return nil, err
		}
		s.registry.close(cl)
	}
	return &pb.CloseSessionResult{Status: pb.CloseSessionResult_CLOSED}, nil
}

// optionAliases are the names of session options that differ from those of the variables (FS-89).
var optionAliases = map[string]string{"timezone": "time_zone", "statement_timeout": "query_timeout"}

func variableName(option string) string {
	option = strings.ToLower(option)
	if v, ok := optionAliases[option]; ok {
		return v
	}
	return option
}
