package session

import (
	"strconv"
	"strings"

	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/stage"
)

// maxFilesPerCopy bounds the files of one load, which is one commit.
const maxFilesPerCopy = 15_000

// copyOptions are the options of COPY INTO a table.
type copyOptions struct {
	files    []string
	pattern  func(string) bool
	format   stage.Format
	given    bool // FILE_FORMAT was written
	onError  stage.OnError
	purge    bool
	force    bool
	maxFiles int

	failedOnly    bool
	nullOnBadJSON bool
	caseSensitive bool
	matchPos      int // of COLUMN_MATCH_MODE, plus one; 0 if not written

	evolution *evolutionOptions
}

// evolutionOptions are SCHEMA_EVOLUTION = (...); 0 means AUTO and -1 FULL.
type evolutionOptions struct {
	pos                   int
	files, perFile, total int
	addLate               bool
}

func (s *Session) copyOptions(opts []parse.Option) (*copyOptions, error) {
	o := &copyOptions{onError: stage.OnError{Mode: stage.Abort, Limit: 1}}
	seen := map[string]bool{}
	for _, p := range opts {
		name := strings.ToUpper(p.Name)
		if seen[name] {
			return nil, sqlerr.At(sqlerr.Bind, p.Pos(), "option %s is given twice", name)
		}
		seen[name] = true
		if err := s.copyOption(o, name, p); err != nil {
			return nil, sqlerr.WithPlace(err, p.Pos())
		}
	}
	return o, nil
}

func (s *Session) copyOption(o *copyOptions, name string, p parse.Option) (err error) {
	switch name {
	case "FILES":
		for _, v := range p.Value.List {
			o.files = append(o.files, v.Text)
		}
		if len(o.files) == 0 {
			return sqlerr.New(sqlerr.Bind, "FILES takes a list of names: FILES = ('a', 'b')")
		}
	case "PATTERN":
		o.pattern, err = stage.Match(p.Value.Text)
	case "FILE_FORMAT":
		o.given = true
		o.format, err = s.formatOf(p)
	case "ON_ERROR":
		o.onError, err = onError(p.Value.Text)
	case "PURGE":
		o.purge, err = boolOption(p)
	case "FORCE":
		o.force, err = boolOption(p)
	case "RETURN_FAILED_ONLY":
		o.failedOnly, err = boolOption(p)
	case "DISABLE_VARIANT_CHECK":
		o.nullOnBadJSON, err = boolOption(p)
	case "MAX_FILES":
		o.maxFiles, err = positive(p)
	case "SIZE_LIMIT", "SPLIT_SIZE":
		_, err = positive(p)
	case "COLUMN_MATCH_MODE":
		o.matchPos = p.Pos() + 1
		switch strings.ToUpper(p.Value.Text) {
		case "CASE_SENSITIVE":
			o.caseSensitive = true
		case "CASE_INSENSITIVE":
		default:
			return sqlerr.New(sqlerr.Bind, "COLUMN_MATCH_MODE is CASE_SENSITIVE or CASE_INSENSITIVE, not %q", p.Value.Text)
		}
	case "SCHEMA_EVOLUTION":
		o.evolution, err = evolution(p)
	default:
		known := []string{"FILES", "PATTERN", "FILE_FORMAT", "ON_ERROR", "PURGE", "FORCE", "MAX_FILES", "RETURN_FAILED_ONLY", "DISABLE_VARIANT_CHECK", "COLUMN_MATCH_MODE", "SCHEMA_EVOLUTION"}
		hint := ""
		if near := nearest(name, known); near != "" {
			hint = "; did you mean " + near + "?"
		}
		return sqlerr.New(sqlerr.Bind, "unknown COPY option %s%s", name, hint)
	}
	return err
}

func boolOption(p parse.Option) (bool, error) {
	switch strings.ToLower(p.Value.Text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, sqlerr.New(sqlerr.Bind, "%s is TRUE or FALSE, not %q", strings.ToUpper(p.Name), p.Value.Text)
}

func positive(p parse.Option) (int, error) {
	n, err := strconv.Atoi(p.Value.Text)
	if err != nil || n < 1 {
		return 0, sqlerr.New(sqlerr.Bind, "%s takes a whole number from 1, not %q", strings.ToUpper(p.Name), p.Value.Text)
	}
	return n, nil
}

func onError(word string) (stage.OnError, error) {
	w := strings.ToUpper(word)
	switch {
	case w == "ABORT":
		return stage.OnError{Mode: stage.Abort, Limit: 1}, nil
	case w == "CONTINUE":
		return stage.OnError{Mode: stage.Continue}, nil
	case w == "SKIP_FILE":
		return stage.OnError{Mode: stage.SkipFile}, nil
	case strings.HasPrefix(w, "ABORT_"):
		if n, err := strconv.Atoi(w[len("ABORT_"):]); err == nil && n >= 1 {
			return stage.OnError{Mode: stage.Abort, Limit: n}, nil
		}
	}
	return stage.OnError{}, sqlerr.New(sqlerr.Bind, "ON_ERROR is ABORT, ABORT_n, CONTINUE or SKIP_FILE, not %q", word)
}

func evolution(p parse.Option) (*evolutionOptions, error) {
	o := &evolutionOptions{pos: p.Pos()}
	if p.Value.Kind != parse.ValueOptions && len(p.Value.List) > 0 {
		return nil, sqlerr.New(sqlerr.Bind, "SCHEMA_EVOLUTION takes options: (SAMPLE_FILES = AUTO, ...)")
	}
	for _, q := range p.Value.Options {
		var to *int
		switch strings.ToUpper(q.Name) {
		case "SAMPLE_FILES":
			to = &o.files
		case "SAMPLE_RECORDS_PER_FILE":
			to = &o.perFile
		case "SAMPLE_TOTAL_RECORDS":
			to = &o.total
		case "ON_NEW_FIELD":
			switch strings.ToUpper(q.Value.Text) {
			case "ADD":
				o.addLate = true
			case "FAIL", "ERROR":
			default:
				return nil, sqlerr.At(sqlerr.Bind, q.Pos(), "ON_NEW_FIELD is FAIL or ADD, not %q", q.Value.Text)
			}
			continue
		default:
			return nil, sqlerr.At(sqlerr.Bind, q.Pos(), "unknown option %s; known are SAMPLE_FILES, SAMPLE_RECORDS_PER_FILE, SAMPLE_TOTAL_RECORDS and ON_NEW_FIELD", q.Name)
		}
		switch strings.ToUpper(q.Value.Text) {
		case "AUTO":
			*to = 0
		case "FULL":
			*to = -1
		default:
			n, err := strconv.Atoi(q.Value.Text)
			if err != nil || n < 1 {
				return nil, sqlerr.At(sqlerr.Bind, q.Pos(), "%s takes AUTO, FULL or a whole number from 1, not %q", strings.ToUpper(q.Name), q.Value.Text)
			}
			*to = n
		}
	}
	return o, nil
}
