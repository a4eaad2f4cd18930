package flightsrv

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/ebira-db/ebira/vec"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// maxMessage is the largest message with more than one row that is sent: several clients take no more than 4 MiB (FS-31).
const maxMessage = 2 << 20

// output writes record batches to a client and keeps messages small.
type output struct {
	stream pb.FlightService_DoGetServer
	schema *arrow.Schema
	w      *flight.Writer
	// rows is the length of the batch that is being written; 0 for the schema message.
	rows int64
	// refused says that the message just encoded was too large and has not been sent.
	refused bool
}

func newOutput(stream pb.FlightService_DoGetServer, schema *arrow.Schema) *output {
	o := &output{stream: stream, schema: schema}
	o.w = flight.NewRecordWriter(o, ipc.WithSchema(schema))
	return o
}

// Send passes on an encoded message unless it is too large and can be split.
func (o *output) Send(d *flight.FlightData) error {
	if o.rows > 1 && len(d.DataHeader)+len(d.DataBody) > maxMessage {
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
	rec, err := arrowvec.Record(o.schema, b)
	if err != nil {
		return err
	}
	defer rec.Release()
	return o.record(rec)
}

// record sends a record batch in as many messages as needed. The number of rows that fit is guessed from the buffers and corrected by
// what the encoded message really measures.
func (o *output) record(rec arrow.RecordBatch) error {
	n := rec.NumRows()
	step := n
	if size := recordBytes(rec); size > maxMessage {
		step = max(1, n*(maxMessage*9/10)/size)
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
