package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// benchServer is Ebira as a user runs it: a server process and a client over Flight SQL.
type benchServer struct {
	opts *benchOptions
	data string
	cmd  *exec.Cmd
	conn *flightConn
	most int64
}

func newBenchServer(o *benchOptions, part string) *benchServer {
	return &benchServer{opts: o, data: filepath.Join(o.work, ours+"-"+part)}
}

func (s *benchServer) name() string    { return ours }
func (s *benchServer) version() string { return version }

func (s *benchServer) clear() error { return os.RemoveAll(s.data) }

var connectURL = regexp.MustCompile(`connect\("([^"]+)"\)`)

func (s *benchServer) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"serve", "--data", s.data, "--listen", "127.0.0.1:0", "--allowed-dirs", strings.Join(append([]string{s.opts.work}, s.opts.allowed...), ","), "--threads", strconv.Itoa(s.opts.threads)}
	if s.opts.memory > 0 {
		args = append(args, "--memory-limit", s.opts.memory.String())
	}
	s.cmd = exec.Command(self, args...)
	s.cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(s.opts.threads))
	var complaints strings.Builder
	s.cmd.Stderr = &complaints
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	url := connectURL.FindStringSubmatch(line)
	if url == nil {
		_ = s.cmd.Wait()
		return fmt.Errorf("the server did not start: %s", strings.TrimSpace(complaints.String()))
	}
	if s.conn, err = openFlight(ctx, url[1], "", "", ""); err != nil {
		return errors.Join(err, s.stop())
	}
	return nil
}

func (s *benchServer) run(ctx context.Context, sql string, want bool) (time.Duration, benchRows, error) {
	start := time.Now()
	r, err := s.conn.run(ctx, sql)
	if err != nil {
		return 0, nil, err
	}
	defer r.close()
	var out benchRows
	for {
		b, err := r.next(ctx)
		if err != nil {
			return 0, nil, err
		}
		if b == nil {
			return time.Since(start), out, nil
		}
		if want {
			t, err := texts(b)
			if err != nil {
				return 0, nil, err
			}
			out = append(out, t...)
		}
	}
}

// bytes counts the files of the data directory.
func (s *benchServer) bytes(context.Context) (int64, error) {
	sum := int64(0)
	err := filepath.WalkDir(s.data, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

func (s *benchServer) peak() int64 {
	if s.cmd != nil {
		s.most = max(s.most, peakMemory(s.cmd.Process.Pid))
	}
	return s.most
}

func (s *benchServer) stop() error {
	if s.cmd == nil {
		return nil
	}
	s.peak()
	var err error
	if s.conn != nil {
		err = s.conn.close()
		s.conn = nil
	}
	err = errors.Join(err, s.cmd.Process.Signal(syscall.SIGTERM), s.cmd.Wait())
	s.cmd = nil
	return err
}

// peakMemory is the most memory that a running process has had, 0 where the system does not tell.
func peakMemory(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(b), "\n") {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
