package stage

import (
	"github.com/ebira-db/ebira/jsonparse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/vfs"
)

// minPartBytes is the size below which a part of an NDJSON file is not worth a worker of its own.
const minPartBytes = 1 << 20

// Split cuts files into parts of about partBytes that several workers can read side by side, in order. Plain NDJSON is cut at lines,
// Parquet between row groups; compressed NDJSON and small files stay whole, and so do all files under ON_ERROR = SKIP_FILE, which must
// know of all rows of a file before it hands on the first. Parts are opened like files, with a report of the whole files.
func Split(fsys vfs.FS, files []File, spec *ReadSpec, partBytes int64) ([]File, error) {
	var out []File
	partBytes = max(partBytes, minPartBytes)
	for _, f := range files {
		parts := []File{f}
		if f.Size > partBytes && !f.part() && spec.OnError.Mode != SkipFile {
			var err error
			switch spec.Format.Type {
			case NDJSON:
				parts, err = splitLines(fsys, f, spec.Format.Compression, partBytes)
			case Parquet:
				parts, err = splitGroups(fsys, f, spec, partBytes)
			}
			if err != nil {
				return nil, err
			}
		}
		out = append(out, parts...)
	}
	return out, nil
}

func splitLines(fsys vfs.FS, f File, c Compression, partBytes int64) ([]File, error) {
	in, err := openInput(fsys, &f, c)
	if err != nil {
		return nil, err
	}
	defer in.close() // nothing was written
	if in.codec != None {
		return []File{f}, nil
	}
	ranges, err := jsonparse.AlignRanges(in.file, f.Size, partBytes)
	if err != nil {
		return nil, sqlerr.Wrap(sqlerr.IO, err, "read file %s", f.Name)
	}
	parts := make([]File, len(ranges))
	for i, r := range ranges {
		parts[i] = f
		parts[i].From, parts[i].To = r.From, r.To
	}
	return parts, nil
}

func splitGroups(fsys vfs.FS, f File, spec *ReadSpec, partBytes int64) ([]File, error) {
	file, parsed, err := openParquetFile(fsys, &f, spec.Format.RawIntegers, nil)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	var parts []File
	from, size := 0, int64(0)
	for g := range parsed.RowGroups() {
		size += parsed.GroupBytes(g)
		if size < partBytes && g < parsed.RowGroups()-1 {
			continue
		}
		p := f
		p.From, p.To = int64(from), int64(g+1)
		parts = append(parts, p)
		from, size = g+1, 0
	}
	if len(parts) < 2 {
		return []File{f}, nil
	}
	return parts, nil
}
