package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The writers of the kill test and the size of what each does in one statement.
const (
	inserters    = 2
	loadedRows   = 400 // of each file
	updatedRows  = 50
	deletedBatch = 20
	maxColumns   = 150 // of table loads, before it is made anew
)

const createLoads = "CREATE TABLE loads (file INT, n INT, doc VARIANT) ENABLE_SCHEMA_EVOLUTION = true"

// TestKill kills the server again and again while clients write. After each restart everything acknowledged is there, a statement that was
// running is there wholly or not at all, and the directory holds no file that no table names. EBIRA_SLOW=1 makes it many rounds.
func TestKill(t *testing.T) {
	rounds := 12
	if os.Getenv("EBIRA_SLOW") == "1" {
		rounds = 200
	} else if testing.Short() {
		rounds = 4
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("EBIRA_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("EBIRA_SEED=%d", seed)
	k := &killer{t: t, dir: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 1)), loaded: map[int]bool{}}
	k.files, k.data = filepath.Join(k.dir, "files"), filepath.Join(k.dir, "data")
	if err := os.Mkdir(k.files, 0o755); err != nil {
		t.Fatal(err)
	}
	k.prepare()
	for round := range rounds {
		k.writeAndKill(round)
		if k.rand.IntN(3) == 0 {
			k.killDuringStart()
		}
		k.check(round)
		if t.Failed() {
			t.Fatalf("after round %d of %d", round, rounds)
		}
	}
	t.Logf("%d kills; acknowledged: %d inserts, %d loads, %d updates, %d deletes, %d transactions", k.kills, k.inserted[0]+k.inserted[1], len(k.loaded), k.updated, k.deleted, k.booked)
	if k.segments == 0 || k.inserted[0]+k.inserted[1] == 0 || len(k.loaded) == 0 || k.updated == 0 || k.deleted == 0 || k.booked == 0 {
		t.Error("some writer never came to an acknowledged statement, or nothing became a segment: the test shows nothing")
	}
}

// killer is the state of the kill test: what was acknowledged.
type killer struct {
	t                *testing.T
	dir, files, data string
	rand             *rand.Rand
	kills            int
	segments         int // the most segment files seen at a check

	mu       sync.Mutex // guards what follows while the writers run
	inserted [inserters]int
	loaded   map[int]bool // files whose load was acknowledged
	nextFile int          // the file of the loader's present statement
	baseFile int          // the first file of the present table loads
	updated  int          // acknowledged updates
	deleted  int          // acknowledged deletes; batch deleted+1 is the next
	booked   int          // acknowledged transactions
}

func (k *killer) launch() *daemon {
	k.t.Helper()
	return call{dir: k.dir}.launch(k.t, "--data", k.data, "--allowed-dirs", k.files, "--memory-limit", "512MiB")
}

// kill ends the server as a power cut of the process would.
func (k *killer) kill(d *daemon) {
	if err := d.cmd.Process.Kill(); err != nil {
		k.t.Fatal(err)
	}
	<-d.done
	k.kills++
}

func (k *killer) prepare() {
	d := k.launch()
	// A short interval makes flushes of small writes and compactions happen between the kills.
	d.sql(k.t, `SET GLOBAL group_commit_interval_ms = 30;
		CREATE TABLE ins (w INT, n INT, v VARIANT);
		`+createLoads+`;
		CREATE TABLE upd (id INT, n INT);
		CREATE TABLE del (batch INT, n INT);
		CREATE TABLE book (id INT, n INT);
		CREATE TABLE entries (n INT, v VARIANT);
		INSERT INTO book SELECT number::INT, 0 FROM numbers(10);
		INSERT INTO upd SELECT number::INT, 0 FROM numbers(50)`)
	d.stop(k.t)
}

// writeAndKill runs all writers on one server and kills it at a random moment.
func (k *killer) writeAndKill(round int) {
	d := k.launch()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	var wg sync.WaitGroup
	for i := range inserters {
		wg.Go(func() { k.write(ctx, d, func(c conn) error { return k.insert(ctx, c, i) }) })
	}
	wg.Go(func() { k.write(ctx, d, func(c conn) error { return k.load(ctx, c) }) })
	wg.Go(func() { k.write(ctx, d, func(c conn) error { return k.update(ctx, c) }) })
	wg.Go(func() { k.write(ctx, d, func(c conn) error { return k.delete(ctx, c) }) })
	wg.Go(func() { k.write(ctx, d, func(c conn) error { return k.transaction(ctx, c) }) })
	wg.Go(func() { k.write(ctx, d, func(c conn) error { return execute(ctx, c, "OPTIMIZE TABLE ins") }) })
	time.Sleep(time.Duration(100+k.rand.IntN(900)) * time.Millisecond)
	k.kill(d)
	wg.Wait()
}

// write repeats a statement until the server is gone. An answer that is an error although the server lives is a failure of the test.
func (k *killer) write(ctx context.Context, d *daemon, do func(conn) error) {
	c, err := openFlight(ctx, d.url, "", "", "")
	if err != nil {
		return
	}
	defer c.close()
	for ctx.Err() == nil {
		if err := do(c); err != nil {
			if !goneError(err) {
				k.t.Errorf("a statement failed: %v", err)
			}
			return
		}
	}
}

// goneError tells whether an error says that the connection broke, which a killed server leaves its clients with.
func goneError(err error) bool {
	for _, s := range []string{"error reading from server", "connection error", "connection refused", "connection reset", "EOF", "transport is closing", "broken pipe"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

func (k *killer) insert(ctx context.Context, c conn, w int) error {
	k.mu.Lock()
	n := k.inserted[w] + 1
	k.mu.Unlock()
	err := execute(ctx, c, fmt.Sprintf(`INSERT INTO ins VALUES (%d, %d, '{"n":%d,"t":"row %d"}')`, w, n, n, n))
	if err == nil {
		k.mu.Lock()
		k.inserted[w] = n
		k.mu.Unlock()
	}
	return err
}

// load loads a new file whose records have a column that no other file has.
func (k *killer) load(ctx context.Context, c conn) error {
	k.mu.Lock()
	file := k.nextFile
	k.mu.Unlock()
	if err := k.writeFile(file); err != nil {
		return err
	}
	err := execute(ctx, c, k.copySQL(file))
	if err == nil {
		k.mu.Lock()
		k.loaded[file] = true
		k.nextFile++
		k.mu.Unlock()
	}
	return err
}

func (k *killer) writeFile(file int) error {
	var b strings.Builder
	for n := range loadedRows {
		fmt.Fprintf(&b, `{"file":%d,"n":%d,"doc":{"n":%d,"s":"text %d"},"c%d":%d}`+"\n", file, n, n, n, file, n*2)
	}
	return os.WriteFile(k.path(file), []byte(b.String()), 0o644)
}

func (k *killer) path(file int) string {
	return filepath.Join(k.files, fmt.Sprintf("f%d.ndjson", file))
}

func (k *killer) copySQL(file int) string {
	return "COPY INTO loads FROM " + quote(k.path(file)) + " FILE_FORMAT = (TYPE = NDJSON MISSING_FIELD_AS = NULL)"
}

func (k *killer) update(ctx context.Context, c conn) error {
	err := execute(ctx, c, "UPDATE upd SET n = n + 1")
	if err == nil {
		k.mu.Lock()
		k.updated++
		k.mu.Unlock()
	}
	return err
}

// delete inserts a batch with one statement and deletes it with another.
func (k *killer) delete(ctx context.Context, c conn) error {
	k.mu.Lock()
	batch := k.deleted + 1
	k.mu.Unlock()
	// The batch is there already if the kill came between the two statements, or before the answer to the first.
	err := execute(ctx, c, fmt.Sprintf("INSERT INTO del SELECT %d, number::INT FROM numbers(%d) WHERE NOT EXISTS (SELECT 1 FROM del WHERE batch = %d)", batch, deletedBatch, batch))
	if err == nil {
		err = execute(ctx, c, fmt.Sprintf("DELETE FROM del WHERE batch = %d", batch))
	}
	if err == nil {
		k.mu.Lock()
		k.deleted = batch
		k.mu.Unlock()
	}
	return err
}

// transaction changes two tables in one transaction; a column of the second comes and goes with it.
func (k *killer) transaction(ctx context.Context, c conn) error {
	k.mu.Lock()
	n := k.booked + 1
	k.mu.Unlock()
	for _, sql := range []string{
		"BEGIN",
		"UPDATE book SET n = n + 1",
		fmt.Sprintf(`INSERT INTO entries VALUES (%d, '{"n":%d}')`, n, n),
		"ALTER TABLE entries ADD COLUMN x INT DEFAULT 1",
		"ALTER TABLE entries DROP COLUMN x",
		"COMMIT",
	} {
		if err := execute(ctx, c, sql); err != nil {
			return err
		}
	}
	k.mu.Lock()
	k.booked = n
	k.mu.Unlock()
	return nil
}

// checkTransactions: both tables have all of each transaction or nothing of it.
func (k *killer) checkTransactions(d *daemon, round int) {
	book := k.ints(d, "SELECT count(*), count(DISTINCT id), min(n), max(n) FROM book")
	n := book[3]
	entries := k.ints(d, "SELECT count(*), coalesce(max(n), 0), coalesce(sum(v['n']::BIGINT), 0) FROM entries")
	columns := d.sql(k.t, "DESC entries")
	if book[0] != 10 || book[1] != 10 || book[2] != n || n < k.booked || n > k.booked+1 || fmt.Sprint(entries) != fmt.Sprint([]int{n, n, n * (n + 1) / 2}) || strings.Contains(columns, "\nx,") {
		k.t.Errorf("round %d: %d acknowledged transactions; count, distinct, min, max of the first table are %v, count, max, sum of the second %v, its columns %q", round, k.booked, book, entries, columns)
	}
	k.booked = n
}

// killDuringStart kills a server that may not have recovered yet: it does not wait for the ready line.
func (k *killer) killDuringStart() {
	cmd := exec.Command(binary, "serve", "--data", k.data, "--listen", "127.0.0.1:0")
	cmd.Env = cleanEnv(k.dir)
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	time.Sleep(time.Duration(k.rand.IntN(60)) * time.Millisecond)
	if err := cmd.Process.Kill(); err != nil {
		k.t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was killed
	k.kills++
}

// check restarts the server and compares the tables with what was acknowledged.
func (k *killer) check(round int) {
	t := k.t
	d := k.launch()
	for w := range inserters {
		rows := k.ints(d, fmt.Sprintf("SELECT count(*), count(DISTINCT n), coalesce(min(n), 1), coalesce(max(n), 0), coalesce(sum(v['n']::BIGINT), 0), count(v['t']) FROM ins WHERE w = %d", w))
		n := rows[3]
		if want := []int{n, n, 1, n, n * (n + 1) / 2, n}; fmt.Sprint(rows) != fmt.Sprint(want) || n < k.inserted[w] || n > k.inserted[w]+1 {
			t.Errorf("round %d: writer %d has %d acknowledged inserts; count, distinct, min, max, sum, texts are %v", round, w, k.inserted[w], rows)
		}
		k.inserted[w] = n
	}
	k.checkLoads(d, round)
	upd := k.ints(d, "SELECT count(*), count(DISTINCT id), min(n), max(n) FROM upd")
	if upd[0] != updatedRows || upd[1] != updatedRows || upd[2] != upd[3] || upd[2] < k.updated || upd[2] > k.updated+1 {
		t.Errorf("round %d: %d acknowledged updates; count, distinct, min, max are %v", round, k.updated, upd)
	}
	k.updated = upd[2]
	del := k.ints(d, fmt.Sprintf("SELECT count(*), count(DISTINCT n), coalesce(min(batch), %d), coalesce(max(batch), %d) FROM del", k.deleted+1, k.deleted+1))
	if del[0] != 0 && del[0] != deletedBatch || del[0] != del[1] || del[2] != k.deleted+1 || del[3] != k.deleted+1 {
		t.Errorf("round %d: %d acknowledged deletes; count, distinct, min and max of the batch are %v", round, k.deleted, del)
	}
	k.checkTransactions(d, round)
	k.checkFiles(d, round)
	d.stop(t)
}

// checkLoads looks at each file that was ever loaded: its rows, its column and its history go together.
func (k *killer) checkLoads(d *daemon, round int) {
	t := k.t
	columns := d.sql(t, "DESC loads")
	history := d.sql(t, "SELECT file_name FROM system.load_history ORDER BY 1")
	counts := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(d.sql(t, "SELECT file, count(*), sum(n), sum(doc['n']::BIGINT), count(DISTINCT doc['s']::STRING) FROM loads GROUP BY file")), "\n")[1:] {
		file, rest, _ := strings.Cut(line, ",")
		counts[file] = rest
	}
	sum := loadedRows * (loadedRows - 1) / 2
	whole := fmt.Sprintf("%d,%d,%d,%d", loadedRows, sum, sum, loadedRows)
	for file := k.baseFile; file <= k.nextFile; file++ {
		got, there := counts[strconv.Itoa(file)]
		delete(counts, strconv.Itoa(file))
		column := strings.Contains(columns, fmt.Sprintf("\nc%d,", file))
		recorded := strings.Contains(history, fmt.Sprintf("f%d.ndjson\n", file))
		if there != column || there != recorded || there && got != whole || k.loaded[file] && !there {
			t.Errorf("round %d: file %d (acknowledged %t): rows %q, its column is there: %t, its history is there: %t", round, file, k.loaded[file], got, column, recorded)
		}
		if there && !k.loaded[file] {
			k.loaded[file] = true
			k.nextFile = file + 1
		}
	}
	if len(counts) > 0 {
		t.Errorf("round %d: rows of files that were never loaded: %v", round, counts)
	}
	if k.nextFile == k.baseFile {
		return
	}
	last := k.nextFile - 1
	if got := k.ints(d, fmt.Sprintf("SELECT count(c%d), sum(c%d) FROM loads", last, last)); got[0] != loadedRows || got[1] != 2*sum {
		t.Errorf("round %d: column c%d has %v values and sum", round, last, got)
	}
	// The history keeps a loaded file from being loaded twice.
	if out := d.sql(t, k.copySQL(last)); !strings.Contains(out, "SKIPPED") {
		t.Errorf("round %d: file %d loads again: %s", round, last, out)
	}
	if k.nextFile-k.baseFile > maxColumns {
		d.sql(t, strings.Replace(createLoads, "CREATE", "CREATE OR REPLACE", 1))
		k.baseFile = k.nextFile
	}
}

// checkFiles waits until background work has ended and compares the files with those that the tables name.
func (k *killer) checkFiles(d *daemon, round int) {
	k.t.Helper()
	var named, onDisk []string
	end := time.Now().Add(20 * time.Second)
	for {
		named = named[:0]
		for _, line := range strings.Split(strings.TrimSpace(d.sql(k.t, "SELECT file_name FROM system.segments")), "\n")[1:] {
			named = append(named, filepath.Base(line))
		}
		sort.Strings(named)
		onDisk = onDisk[:0]
		for _, dir := range []string{"segments", "tmp", "."} {
			entries, err := os.ReadDir(filepath.Join(k.data, dir))
			if err != nil {
				k.t.Fatal(err)
			}
			for _, e := range entries {
				if name := e.Name(); dir != "." || strings.HasSuffix(name, ".tmp") {
					onDisk = append(onDisk, name)
				}
			}
		}
		sort.Strings(onDisk)
		k.segments = max(k.segments, len(named))
		if fmt.Sprint(named) == fmt.Sprint(onDisk) {
			return
		}
		if time.Now().After(end) {
			k.t.Errorf("round %d: the tables name the files %v, the directory has %v", round, named, onDisk)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// ints runs a query that yields one row of integers.
func (k *killer) ints(d *daemon, sql string) []int {
	k.t.Helper()
	lines := strings.Split(strings.TrimSpace(d.sql(k.t, sql)), "\n")
	if len(lines) != 2 {
		k.t.Fatalf("%s: %q", sql, lines)
	}
	var out []int
	for _, s := range strings.Split(lines[1], ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			k.t.Fatalf("%s: %v", sql, err)
		}
		out = append(out, n)
	}
	return out
}
