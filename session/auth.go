package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/ebira-db/ebira/sql/sqlerr"
)

// Password hashing: argon2id with the parameters of RFC 9106, second recommendation, at one lane; the stored text is a PHC string.
const (
	argonTime    = 3
	argonMemKiB  = 64 << 10
	argonLanes   = 1
	argonKeyLen  = 32
	argonSaltLen = 16
)

// minPasswordBytes is the shortest password that CREATE USER takes.
const minPasswordBytes = 8

// HashPassword makes the stored form of a password.
func HashPassword(password string) (string, error) {
	if len(password) < minPasswordBytes {
		return "", sqlerr.New(sqlerr.Constraint, "a password needs at least %d bytes", minPasswordBytes)
	}
	salt := make([]byte, argonSaltLen)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make salt: %w", err)
	}
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemKiB, argonLanes, argonKeyLen)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemKiB, argonTime, argonLanes,
		enc.EncodeToString(salt), enc.EncodeToString(key)), nil
}

// checkPassword compares in constant time. A hash that cannot be read matches nothing.
func checkPassword(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var mem, rounds uint32
	var lanes uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &mem, &rounds, &lanes); err != nil || mem > 1<<20 || rounds > 100 || lanes == 0 {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	want, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, rounds, mem, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}

// dummyHash is checked for unknown users, so that they take as long as known ones.
var dummyHash = sync.OnceValue(func() string {
	h, err := HashPassword("a password nobody has")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return h
})

// authGuard bounds what guessing costs us and gains an attacker: hashing runs one at a time, failures slow down further tries for the
// same name, and a credential that was right is remembered for a while, because some clients send it with every call.
type authGuard struct {
	hashing sync.Mutex

	mu       sync.Mutex
	failures map[string]failure
	good     map[[sha256.Size]byte]time.Time
}

type failure struct {
	count int
	last  time.Time
}

// Limits of the guard.
const (
	authWindow   = time.Minute      // failures within it add up
	freeFailures = 5                // from here on each try waits longer
	maxAuthDelay = 2 * time.Second  // at most so long
	goodFor      = 10 * time.Minute // a right credential need not be hashed again for so long
	maxRemember  = 4096             // names and credentials remembered
)

// Authenticate checks name and password. It says nothing of which was wrong.
func (e *Engine) Authenticate(ctx context.Context, name, password string) error {
	g := &e.auth
	u, known := e.store.Snapshot().User(name)
	hash := dummyHash()
	if known {
		hash = u.Hash
	}
	key := sha256.Sum256([]byte(name + "\x00" + password + "\x00" + hash))
	delay, good := g.look(name, key)
	if good && known {
		return nil
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return canceled(ctx)
	}
	g.hashing.Lock()
	ok := checkPassword(hash, password)
	g.hashing.Unlock()
	ok = ok && known
	g.note(name, key, ok)
	if ok {
		return nil
	}
	e.log.Warn("login refused", "user", name)
	return sqlerr.New(sqlerr.Permission, "wrong user name or password")
}

// look returns how long a try for name must wait, and whether the credential is remembered as good.
func (g *authGuard) look(name string, key [sha256.Size]byte) (delay time.Duration, good bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until, ok := g.good[key]; ok && time.Now().Before(until) {
		return 0, true
	}
	if f := g.failures[name]; f.count > freeFailures && time.Since(f.last) < authWindow {
		delay = min(time.Duration(f.count-freeFailures)*100*time.Millisecond, maxAuthDelay)
	}
	return delay, false
}

// note remembers how a try ended.
func (g *authGuard) note(name string, key [sha256.Size]byte, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failures == nil || len(g.failures) > maxRemember {
		g.failures = map[string]failure{}
	}
	if g.good == nil || len(g.good) > maxRemember {
		g.good = map[[sha256.Size]byte]time.Time{}
	}
	if ok {
		delete(g.failures, name)
		g.good[key] = time.Now().Add(goodFor)
		return
	}
	f := g.failures[name]
	if time.Since(f.last) > authWindow {
		f.count = 0
	}
	g.failures[name] = failure{f.count + 1, time.Now()}
}

// HasUsers tells whether any user exists; without users a server listens on loopback only and asks for no password.
func (e *Engine) HasUsers() bool { return len(e.store.Snapshot().Users()) > 0 }
