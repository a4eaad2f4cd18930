package flightsrv

import (
	"errors"
	"io"
	"sync/atomic"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/sql/types"
	"github.com/ebira-db/ebira/variant"
	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// maxDecoded bounds the memory that decoding may take beyond the messages themselves: compressed buffers say how large they become.
const maxDecoded = 2 << 30

// input reads the record batches of an upload.
type input struct {
	// first is the message that held the descriptor, nil once consumed; it may hold the schema too.
	first  *pb.FlightData
	stream pb.FlightService_DoPutServer
	guard  headerGuard
	r      *flight.Reader
}

func newInput(first *pb.FlightData, stream pb.FlightService_DoPutServer) *input {
	return &input{first: first, stream: stream}
}

// Recv returns the next message that holds Arrow data.
func (in *input) Recv() (*flight.FlightData, error) {
	for {
		d := in.first
		in.first = nil
		if d == nil {
			var err error
			if d, err = in.stream.Recv(); err != nil {
				return nil, err
			}
		}
		if len(d.DataHeader) > 0 {
			return d, in.guard.check(d.DataHeader)
		}
	}
}

// open reads the schema of the upload; nil if it has no data at all.
func (in *input) open() (schema *arrow.Schema, err error) {
	defer func() { recoveredInput(recover(), &err) }()
	head, err := in.Recv()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	in.first = head
	r, err := flight.NewRecordReader(in, ipc.WithAllocator(&boundedAllocator{}))
	if err != nil {
		return nil, unreadable(err)
	}
	in.r = r
	return r.Schema(), nil
}

// record returns the next batch, which is valid until the call after; nil at the end. It never panics, so that it may be called on
// goroutines of the engine.
func (in *input) record() (rec arrow.RecordBatch, err error) {
	defer func() { recoveredInput(recover(), &err) }()
	if in.r == nil || !in.r.Next() {
		if in.r != nil && in.r.Err() != nil && !errors.Is(in.r.Err(), io.EOF) {
			return nil, unreadable(in.r.Err())
		}
		return nil, nil
	}
	rec = in.r.RecordBatch()
	for i, c := range rec.Columns() {
		if err := checkArray(c); err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "column %s: %s", clip(rec.ColumnName(i)), err)
		}
	}
	return rec, nil
}

// batch returns the next batch as vectors whose values have been checked; nil at the end.
func (in *input) batch() (b *vec.Batch, err error) {
	defer func() { recoveredInput(recover(), &err) }()
	rec, err := in.record()
	if rec == nil || err != nil {
		return nil, err
	}
	if b, err = arrowvec.Batch(rec); err != nil {
		return nil, err
	}
	for i, v := range b.Cols {
		if err := checkValues(v); err != nil {
			return nil, sqlerr.New(sqlerr.Conversion, "column %s: %s", rec.ColumnName(i), err)
		}
	}
	return b, nil
}

func (in *input) close() {
	if in.r != nil {
		in.r.Release()
	}
}

// unreadable is the error for data that is no Arrow stream. Errors of the connection pass unchanged.
func unreadable(err error) error {
	if st, ok := status.FromError(err); ok && st.Code() != codes.OK {
		return st.Err()
	}
	return status.Errorf(codes.InvalidArgument, "the Arrow data cannot be read: %s", clip(err.Error()))
}

// recoveredInput turns a panic over hostile data into its sender's error: the Arrow library checks offsets only by use.
func recoveredInput(bug any, err *error) {
	if bug == nil {
		return
	}
	if e, ok := bug.(*sqlerr.Error); ok {
		*err = e
		return
	}
	*err = status.Error(codes.InvalidArgument, "the Arrow data is damaged")
}

var errText = errors.New("text is not valid UTF-8")

// checkValues makes sure that values from outside are what their type says: texts are UTF-8, variants are well formed.
func checkValues(v *vec.Vector) error {
	for _, c := range v.Children {
		if err := checkValues(c); err != nil {
			return err
		}
	}
	switch v.Type.Kind {
	case types.Varchar:
		for i := range v.Len {
			if !v.IsNull(i) && !utf8.Valid(v.Bytes(i)) {
				return errText
			}
		}
	case types.Variant, types.JSON:
		for i := range v.Len {
			if v.IsNull(i) {
				continue
			}
			meta, value := v.VariantAt(i)
			if err := variant.Validate(meta, value, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// boundedAllocator refuses to allocate more than maxDecoded at a time, by a panic that the reader turns into an error.
type boundedAllocator struct {
	memory.GoAllocator
	used atomic.Int64
}

// Allocate returns a buffer of size bytes.
func (a *boundedAllocator) Allocate(size int) []byte {
	a.reserve(size)
	return a.GoAllocator.Allocate(size)
}

// Reallocate grows or shrinks a buffer.
func (a *boundedAllocator) Reallocate(size int, b []byte) []byte {
	a.reserve(size - len(b))
	return a.GoAllocator.Reallocate(size, b)
}

// Free gives a buffer back.
func (a *boundedAllocator) Free(b []byte) {
	a.used.Add(-int64(len(b)))
	a.GoAllocator.Free(b)
}

func (a *boundedAllocator) reserve(size int) {
	if a.used.Add(int64(size)) > maxDecoded {
		panic(sqlerr.New(sqlerr.Resource, "a batch needs more than %d bytes of memory", maxDecoded))
	}
}
