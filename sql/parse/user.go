package parse

import "strings"

// userName reads name, 'name' or 'name'@'host'.
func (p *parser) userName() UserName {
	u := UserName{Place: p.place()}
	switch {
	case p.isString(p.tok):
		u.Name = p.stringValue(p.tok)
		p.advance()
	default:
		u.Name = p.ident("a user name").Name
	}
	if p.tok.kind == tokStage && p.tok.start == p.prev.end {
		u.Host = p.host()
	}
	if u.Name == "" && p.err == nil {
		p.failf("a user name cannot be empty")
	}
	return u
}

// host reads the @host behind a user's name, which has the shape of a stage.
func (p *parser) host() string {
	t := p.tok
	p.advance()
	if t.end > t.start+2 && p.src[t.start+1] == '\'' {
		return p.quotedValue(token{start: t.start + 1, end: t.end, rewrite: t.rewrite})
	}
	host, path, ok := splitStage(p.text(t)[1:])
	if !ok || path != "" {
		p.expected("a host")
	}
	return host.Name
}

// createUser reads what follows CREATE USER.
func (p *parser) createUser(f createFlags) Statement {
	f.refuse(p, "USER", true, false)
	if p.acceptKw(kwOr) {
		p.expectWord("REPLACE")
		f.orReplace = true
	}
	p.notExists(&f)
	s := &CreateUser{OrReplace: f.orReplace, IfNotExists: f.ifNotExists, User: p.userName()}
	s.Method, s.Password = p.identified()
	s.Options = p.userOptions()
	return s
}

// alterUser reads what follows ALTER USER.
func (p *parser) alterUser() Statement {
	s := &AlterUser{IfExists: p.ifExists(), User: p.userName()}
	s.Method, s.Password = p.identified()
	s.Options = p.userOptions()
	if s.Password == nil && s.Method == "" && s.Options == nil {
		p.expected("IDENTIFIED BY or WITH")
	}
	return s
}

// identified reads [IDENTIFIED [WITH method] [BY 'password']].
func (p *parser) identified() (method string, password *StringLit) {
	if !p.acceptWord("IDENTIFIED") {
		return "", nil
	}
	if p.acceptKw(kwWith) {
		method = strings.ToLower(p.ident("a method name").Name)
	}
	if p.acceptKw(kwBy) {
		password = p.stringLit("the password as a string")
	} else if method == "" {
		p.expected("BY and the password as a string")
	}
	return method, password
}

// userOptions reads [WITH NAME = value, ...].
func (p *parser) userOptions() []Option {
	if !p.acceptKw(kwWith) {
		return nil
	}
	list := p.freeOptions(nil)
	if list == nil {
		p.expected("an option of the user")
	}
	return list
}
