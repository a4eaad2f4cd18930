package flightsrv

import (
	"context"
	"sort"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ebira-db/ebira/session"
	"github.com/ebira-db/ebira/vec/arrowvec"
)

// wireHeader is the beginning of the request headers that set a wire option for one call; the name of the variable follows, with - or _
// between its words.
const wireHeader = "x-ebira-"

// wireOptions are the forms in which the results of one call travel.
type wireOptions struct {
	arrow arrowvec.Options
	form  session.Form
	// compression is nil for none.
	compression ipc.Option
	// batchBytes is the largest message with more than one row that is sent.
	batchBytes int64
}

// maxMessage is the default of batch_bytes: several clients take no more than 4 MiB (FS-31).
const maxMessage = 2 << 20

// plainWire is the form of metadata results, which is fixed.
var plainWire = &wireOptions{batchBytes: maxMessage}

// wireSetters apply the value of each wire option, which is a session variable of that name and has been checked by the session.
var wireSetters = map[string]func(o *wireOptions, value string){
	"variant_encoding": func(o *wireOptions, v string) {
		o.arrow.Variant = map[string]arrowvec.VariantForm{"arrow_json": arrowvec.VariantJSON, "parquet_variant": arrowvec.VariantBinary}[v]
		o.form.JSON, o.form.Variants = v == "arrow_json", v == "parquet_variant"
	},
	"largeint_encoding":   func(o *wireOptions, v string) { o.arrow.LargeIntDecimal = v == "decimal256" },
	"decimal256_encoding": func(o *wireOptions, v string) { o.arrow.WideDecimalText = v == "utf8" },
	"string_encoding": func(o *wireOptions, v string) {
		o.arrow.Text = map[string]arrowvec.TextForm{"large_utf8": arrowvec.TextLargeUtf8, "utf8_view": arrowvec.TextView}[v]
	},
	"ip_encoding":   func(o *wireOptions, v string) { o.arrow.NativeIP = v == "native" },
	"uuid_encoding": func(o *wireOptions, v string) { o.arrow.NativeUUID = v == "arrow_uuid" },
	"timestamp_unit": func(o *wireOptions, v string) {
		o.arrow.Unit = map[string]arrow.TimeUnit{"us": arrow.Microsecond, "ms": arrow.Millisecond, "ns": arrow.Nanosecond}[v]
	},
	"interval_encoding": func(o *wireOptions, v string) {
		o.arrow.NativeInterval = v == "native"
		o.form.Intervals = v == "native"
	},
	"nested_encoding": func(o *wireOptions, v string) {
		o.arrow.NestedText = v == "json_text"
		o.form.NestedText = v == "json_text"
	},
	"dictionary": func(o *wireOptions, v string) { o.arrow.Dictionary = v == "true" },
	"ipc_compression": func(o *wireOptions, v string) {
		o.compression = map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()}[v]
	},
	"batch_bytes": func(o *wireOptions, v string) { o.batchBytes, _ = strconv.ParseInt(v, 10, 64) },
	// The zone itself is another variable; see wire.
	"timestamptz_zone": func(*wireOptions, string) {},
}

// transportOptions are the wire options that do not change the schema: they follow the call that fetches.
var transportOptions = map[string]bool{"ipc_compression": true, "batch_bytes": true}

// wireNames lists the wire options.
func wireNames() []string {
	names := make([]string, 0, len(wireSetters))
	for n := range wireSetters {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// wireHeaders reads the wire options among the headers of a call.
func wireHeaders(md metadata.MD) (map[string]string, error) {
	var out map[string]string
	for key, values := range md {
		name, ok := strings.CutPrefix(key, wireHeader)
		if !ok || len(values) == 0 {
			continue
		}
		name = strings.ReplaceAll(name, "-", "_")
		if wireSetters[name] == nil {
			return nil, status.Errorf(codes.InvalidArgument, "header %s: there is no such wire option; the options are %s", clip(key), strings.Join(wireNames(), ", "))
		}
		value, err := session.CheckVar(name, values[len(values)-1])
		if err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "header %s: %s", key, clip(err.Error()))
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// wire returns the forms for results of a call: what its headers say, else the variables of its session.
func (c *client) wire(ctx context.Context) (*wireOptions, error) {
	headers, err := wireHeaders(callerOf(ctx).md)
	if err != nil {
		return nil, err
	}
	o := &wireOptions{}
	for name, set := range wireSetters {
		value, ok := headers[name]
		if !ok {
			value = c.sess.Var(name)
		}
		set(o, value)
		if name == "timestamptz_zone" && value == "session" {
			o.arrow.Zone = c.sess.Var("time_zone")
		}
	}
	return o, nil
}

// transport returns o with the transport options that the headers of a fetching call set.
func (o *wireOptions) transport(md metadata.MD) (*wireOptions, error) {
	headers, err := wireHeaders(md)
	if err != nil {
		return nil, err
	}
	out := *o
	for name, value := range headers {
		if transportOptions[name] {
			wireSetters[name](&out, value)
		}
	}
	return &out, nil
}
