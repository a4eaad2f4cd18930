package flightsrv

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// output writes record batches to a client and keeps messages small.
type output struct {
	stream pb.FlightService_DoGetServer
	schema *arrow.Schema
	wire   *wireOptions
	w      *flight.Writer
	// rows is the length of the batch that is being written; 0 for the schema message.
	rows int64
	// refused says that the message just encoded was too large and has not been sent.
	refused bool
}

func newOutput(stream pb.FlightService_DoGetServer, schema *arrow.Schema, wire *wireOptions) *output {
	o := &output{stream: stream, schema: schema, wire: wire}
	opts := []ipc.Option{ipc.WithSchema(schema)}
	if wire.compression != nil {
		opts = append(opts, wire.compression)
	}
	o.w = flight.NewRecordWriter(o, opts...)
	return o
}

// Send passes on an encoded message unless it is too large and can be split.
func (o *output) Send(d *flight.FlightData) error {
	if o.rows > 1 && int64(len(d.DataHeader)+len(d.DataBody)) > o.wire.batchBytes {
		o.refused = true
		return nil
	}
	return o.stream.Send(d)
}

// batch sends the rows of a batch.
func (o *output) batch(b *vec.Batch) error {
	if b.Len == 0 {
		return nil
	}
	if !o.wire.arrow.Sliceable() {
		return o.pieces(b)
	}
	rec, err := arrowvec.Record(o.schema, b)
	if err != nil {
		return err
	}
	defer rec.Release()
	return o.record(rec)
}

// pieces sends the rows of a batch whose record batches cannot be sliced: the rows are chosen before they are encoded.
func (o *output) pieces(b *vec.Batch) error {
	limit := o.wire.batchBytes * 9 / 10
	for from, step := 0, b.Len; from < b.Len; {
		to := min(from+step, b.Len)
		rec, err := arrowvec.Record(o.schema, b.Slice(from, to))
		if err != nil {
			return err
		}
		if size := recordBytes(rec); size > limit && to-from > 1 {
			rec.Release()
			step = max(1, min((to-from)/2, int(int64(to-from)*limit/size)))
			continue
		}
		err = o.w.Write(rec)
		rec.Release()
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// record sends a record batch in as many messages as needed. The number of rows that fit is guessed from the buffers and corrected by
// what the encoded message really measures.
func (o *output) record(rec arrow.RecordBatch) error {
	n := rec.NumRows()
	step := n
	if size := recordBytes(rec); size > o.wire.batchBytes {
		step = max(1, n*(o.wire.batchBytes*9/10)/size)
	}
	for from := int64(0); from < n; {
		to := min(n, from+step)
		piece := rec.NewSlice(from, to)
		err := o.piece(piece)
		piece.Release()
		if err != nil {
			return err
		}
		if o.refused {
			step = max(1, (to-from)/2)
			continue
		}
		from = to
	}
	return nil
}

// piece encodes and sends one message; see refused.
func (o *output) piece(rec arrow.RecordBatch) error {
	o.rows, o.refused = rec.NumRows(), false
	err := o.w.Write(rec)
	o.rows = 0
	return err
}

// close ends the stream; a result without rows has sent its schema then.
func (o *output) close() error { return o.w.Close() }

func recordBytes(rec arrow.RecordBatch) int64 {
	var n int64
	for _, c := range rec.Columns() {
		n += dataBytes(c.Data())
		if d, ok := c.(*array.Dictionary); ok {
			n += dataBytes(d.Dictionary().Data())
		}
	}
	return n
}

func dataBytes(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += dataBytes(c)
	}
	return n
}
