package session

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/ebira-db/ebira/sql/bind"
	"github.com/ebira-db/ebira/sql/function"
	"github.com/ebira-db/ebira/sql/parse"
	"github.com/ebira-db/ebira/sql/sqlerr"
	"github.com/ebira-db/ebira/storage/catalog"
	"github.com/ebira-db/ebira/vec"
)

// Session is one client's state: user, current database, variables. It may be used by several goroutines; statements do not exclude
// each other, each sees the state at its start.
type Session struct {
	*state
	// bound is the transaction in which the statements run whatever BEGIN and COMMIT say; nil mostly.
	bound *Txn
}

// state is what all views of a session share, see Session.In.
type state struct {
	engine *Engine
	user   string

	mu       sync.Mutex
	database string
	vars     map[string]string
	closed   bool
	// open is the transaction of BEGIN; txns are all that have not ended.
	open *Txn
	txns map[*Txn]struct{}
}

// NewSession starts a session of a user; the name is empty where no login is needed.
func (e *Engine) NewSession(user string) *Session {
	e.mu.Lock()
	e.sessions++
	e.mu.Unlock()
	return &Session{state: &state{engine: e, user: user, database: catalog.DefaultDatabase, vars: map[string]string{}, txns: map[*Txn]struct{}{}}}
}

// Close ends the session and rolls back its transactions, as soon as statements that still write in them end. It may be called several
// times.
func (s *Session) Close() {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	var open []*Txn
	for t := range s.txns {
		open = append(open, t)
	}
	s.mu.Unlock()
	for _, t := range open {
		select {
		case t.turn <- struct{}{}:
			t.end(errSessionClosed())
			<-t.turn
		default:
			go t.Rollback()
		}
	}
	if !was {
		s.engine.mu.Lock()
		s.engine.sessions--
		s.engine.mu.Unlock()
	}
}

// Engine returns the engine of the session.
func (s *Session) Engine() *Engine { return s.engine }

// User returns the name of the user, "" without login.
func (s *Session) User() string { return s.user }

// Database returns the current database.
func (s *Session) Database() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.database
}

// SetDatabase is USE: it fails if the database does not exist.
func (s *Session) SetDatabase(name string, quoted bool) error {
	exact := name
	if !reservedDatabase(name) {
		d, err := s.snapshot().Database(name, quoted)
		if err != nil {
			return err
		}
		exact = d.Name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.database = exact
	return nil
}

// Var returns the value of a variable that exists.
func (s *Session) Var(name string) string {
	d := settings[name]
	if d.global {
		return s.engine.global(s.engine.store.Snapshot(), name)
	}
	s.mu.Lock()
	v, ok := s.vars[name]
	s.mu.Unlock()
	if ok {
		return v
	}
	if v, ok := s.engine.store.Snapshot().Setting(name); ok {
		return v
	}
	return d.initial
}

// intVar returns an integer variable.
func (s *Session) intVar(name string) int {
	n, err := strconv.Atoi(s.Var(name))
	if err != nil {
		panic("BUG: variable " + name + " holds " + s.Var(name))
	}
	return n
}

// SetVar sets a session variable; the empty value goes back to the default.
func (s *Session) SetVar(name, value string) error {
	d, err := sessionSetting(name)
	if err != nil {
		return err
	}
	if value != "" {
		if value, err = d.normal(value); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if value == "" && d.initial != "" {
		delete(s.vars, d.name)
	} else {
		s.vars[d.name] = value
	}
	return nil
}

// CheckVar returns the canonical text of a value for a session variable, or the error that SetVar would give.
func CheckVar(name, value string) (string, error) {
	d, err := sessionSetting(name)
	if err != nil {
		return "", err
	}
	return d.normal(value)
}

// setGlobal sets a variable for the server and, where it is a session variable too, for sessions that have not set it.
func (s *Session) setGlobal(ctx context.Context, name, value string) error {
	d, err := findSetting(name)
	if err != nil {
		return err
	}
	if value, err = d.normal(value); err != nil {
		return err
	}
	op := &catalog.SetGlobal{Name: d.name, Value: value}
	if _, err := s.engine.store.Commit(ctx, &catalog.Edit{Ops: []catalog.Op{op}}, nil); err != nil {
		return err
	}
	s.engine.applyGlobal(d.name, value)
	return nil
}

// applyGlobal makes a changed global setting effective.
func (e *Engine) applyGlobal(name, value string) {
	switch name {
	case "segment_cache_memory_percentage":
		percent, _ := strconv.Atoi(value)
		e.memory.SetLimits(e.cfg.MemoryLimit, percent)
		e.pages.Resize(e.memory.Pages.Limit())
		e.meta.Resize(e.memory.Metadata.Limit())
	case "max_spill_bytes":
		bytes, _ := strconv.ParseInt(value, 10, 64)
		e.spill.SetLimit(bytes)
	case "group_commit_interval_ms", "group_commit_data_bytes":
		snap := e.store.Snapshot()
		ms, _ := strconv.ParseInt(e.global(snap, "group_commit_interval_ms"), 10, 64)
		bytes, _ := strconv.ParseInt(e.global(snap, "group_commit_data_bytes"), 10, 64)
		e.store.SetFlush(time.Duration(ms)*time.Millisecond, bytes)
	}
}

// call is the state of one execution.
type call struct {
	s    *Session
	view *View
	snap *catalog.Snapshot // of view
	fn   *function.Ctx
	env  *bind.Env
	// load is the COPY whose query is being bound, nil otherwise.
	load *load
	// running ends when the statement's plan is to stop; set before it runs.
	running context.Context
	// form is the form of the result's values.
	form Form
}

// newCall fixes what one statement sees: the state, the time, the variables.
func (s *Session) newCall(v *View, params []*vec.Vector) *call {
	zone, err := loadZone(s.Var("time_zone"))
	if err != nil {
		zone = time.UTC
	}
	c := &call{s: s, view: v, snap: v.snap, fn: &function.Ctx{
		Now: time.Now().UnixMicro(), Zone: zone, User: s.user, Catalog: catalog.CatalogName, Database: s.Database(),
		VariantTotalOrder: s.Var("variant_total_order") == "true", Rounding: s.Var("numeric_cast_option") == "rounding",
		KeepInvalidJSON: s.Var("variant_invalid_json") == "string",
	}}
	c.env = &bind.Env{Tables: &tables{c}, Ctx: c.fn, Params: params, Variable: c.variable}
	return c
}

// variable answers @@name.
func (c *call) variable(name string, _ bool) (string, bool) {
	d, err := findSetting(name)
	if err != nil {
		return "", false
	}
	return c.s.Var(d.name), true
}

// bindEnv is what expressions outside of queries (DEFAULT, SET) are bound against.
func (s *Session) bindEnv(params []*vec.Vector) *bind.Env {
	return s.newCall(s.present(), params).env
}

func (s *Session) set(ctx context.Context, st *parse.Set) (*Result, error) {
	for _, it := range st.Items {
		value, err := s.settingText(it.Value)
		if err != nil {
			return nil, err
		}
		if it.Scope == parse.ScopeGlobal {
			err = s.setGlobal(ctx, it.Name, value)
		} else {
			err = s.SetVar(it.Name, value)
		}
		if err != nil {
			return nil, sqlerr.WithPlace(err, it.Pos())
		}
	}
	return &Result{}, nil
}

// settingText turns the value of SET into text: a bare word stands for itself, DEFAULT for the initial value.
func (s *Session) settingText(e parse.Expr) (string, error) {
	switch e := e.(type) {
	case *parse.ColumnRef:
		return e.Parts[0].Name, nil
	case *parse.DefaultValue:
		return "", nil
	}
	v, err := bind.Constant(s.bindEnv(nil), e)
	if err != nil {
		return "", err
	}
	if v.IsNull(0) {
		return "", sqlerr.At(sqlerr.Conversion, e.Pos(), "a variable cannot be NULL; use DEFAULT")
	}
	return cellText(v, 0)
}

func (s *Session) use(st *parse.Use) (*Result, error) {
	id := st.Name.Last()
	if st.Catalog || len(st.Name.Parts) == 2 {
		c := st.Name.Parts[0]
		if c.Name != catalog.CatalogName {
			return nil, sqlerr.At(sqlerr.NotFound, c.Pos(), "catalog %s does not exist; there is one, %s", c.Name, catalog.CatalogName)
		}
		if len(st.Name.Parts) == 1 {
			return &Result{}, nil
		}
	}
	return &Result{}, sqlerr.WithPlace(s.SetDatabase(id.Name, id.Quoted), id.Pos())
}
