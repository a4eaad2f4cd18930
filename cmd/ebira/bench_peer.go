package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ebira-db/ebira/bench"
)

// benchPeer is another database, driven by bench/peer.py.
type benchPeer struct {
	opts   *benchOptions
	engine string
	path   string
	cmd    *exec.Cmd
	in     *json.Encoder
	out    *bufio.Reader
	close  func() error
	most   int64
	number string // version
}

func newBenchPeer(o *benchOptions, engine, part string) *benchPeer {
	return &benchPeer{opts: o, engine: engine, path: filepath.Join(o.work, engine+"-"+part)}
}

func (p *benchPeer) name() string    { return p.engine }
func (p *benchPeer) version() string { return p.number }
func (p *benchPeer) clear() error {
	return errors.Join(os.RemoveAll(p.path), os.RemoveAll(p.path+".wal"))
}

// peerReply is a line of the script.
type peerReply struct {
	Error   string    `json:"error"`
	Missing string    `json:"missing"`
	Version string    `json:"version"`
	Seconds float64   `json:"seconds"`
	Bytes   int64     `json:"bytes"`
	Rows    benchRows `json:"rows"`
}

func (p *benchPeer) start(ctx context.Context) error {
	p.cmd = exec.Command(p.opts.python, "-u", "-c", bench.PeerScript)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return fmt.Errorf("start %s: %w; the peers need Python 3: name it with --python", p.opts.python, err)
	}
	p.in, p.close, p.out = json.NewEncoder(in), in.Close, bufio.NewReaderSize(out, 1<<20)
	r, err := p.ask(ctx, map[string]any{"op": "open", "engine": p.engine, "path": p.path, "threads": p.opts.threads, "memory": int64(p.opts.memory)})
	if err != nil {
		if r.Missing != "" {
			err = fmt.Errorf("%s has no package %s: make one with\n  python3 -m venv .venv && .venv/bin/pip install %s\nand name it with --python .venv/bin/python, or leave the peer out with --peers",
				p.opts.python, p.engine, strings.Join(strings.Fields(bench.Requirements), " "))
		}
		return errors.Join(err, p.stop())
	}
	p.number = r.Version
	return nil
}

// ask sends a request and waits for the answer. A peer that takes longer than the context allows is killed.
func (p *benchPeer) ask(ctx context.Context, request map[string]any) (peerReply, error) {
	var r peerReply
	process := p.cmd.Process
	defer context.AfterFunc(ctx, func() { _ = process.Kill() })()
	if err := p.in.Encode(request); err != nil {
		return r, fmt.Errorf("%s has ended: %w", p.engine, err)
	}
	line, err := p.out.ReadBytes('\n')
	if ctx.Err() != nil {
		return r, fmt.Errorf("%s: %w", p.engine, ctx.Err())
	}
	if err != nil {
		return r, fmt.Errorf("%s has ended: %w", p.engine, err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("%s: %w", p.engine, err)
	}
	if r.Error != "" {
		return r, fmt.Errorf("%s: %s", p.engine, r.Error)
	}
	return r, nil
}

func (p *benchPeer) run(ctx context.Context, sql string, rows bool) (time.Duration, benchRows, error) {
	r, err := p.ask(ctx, map[string]any{"op": "run", "sql": sql, "rows": rows})
	return time.Duration(r.Seconds * float64(time.Second)), r.Rows, err
}

func (p *benchPeer) bytes(ctx context.Context) (int64, error) {
	r, err := p.ask(ctx, map[string]any{"op": "bytes"})
	return r.Bytes, err
}

func (p *benchPeer) peak() int64 {
	if p.cmd != nil {
		p.most = max(p.most, peakMemory(p.cmd.Process.Pid))
	}
	return p.most
}

func (p *benchPeer) stop() error {
	if p.cmd == nil {
		return nil
	}
	p.peak()
	_ = p.close()    // the end of its input ends the script
	_ = p.cmd.Wait() // how a peer ends says nothing about its answers
	p.cmd = nil
	return nil
}

// findPeers starts each peer once, so that a missing package is told before hours of work.
func findPeers(ctx context.Context, o *benchOptions, peers []string) error {
	for _, name := range peers {
		p := newBenchPeer(o, name, "probe")
		if err := errors.Join(p.start(ctx), p.stop(), p.clear()); err != nil {
			return err
		}
	}
	return nil
}

// findPython returns the Python of --python, or the one of a virtual environment in the current folder, or that of the machine.
func findPython(given string) string {
	if given != "" {
		return given
	}
	if venv := filepath.Join(".venv", "bin", "python"); exists(venv) {
		return venv
	}
	return "python3"
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
