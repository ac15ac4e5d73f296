package test_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
)

func codeRules() []rule {
	return []rule{
		{
			name: "no init functions", check: noInit,
			why: "registration by side effect hides the table of contents; app calls constructors in one list",
			bad: map[string]string{"internal/identity/users.go": "package identity\n\nfunc init() {}\n"},
		},
		{
			name: "package variables are fixed", check: fixedVariables,
			why: "two worlds in one process share nothing; allowed are error sentinels, embedded files, compiled expressions, " +
				"pools, interface assertions, what the linker sets, and tables whose comment says immutable or read-only",
			bad: map[string]string{"internal/identity/users.go": "package identity\n\nvar cache = map[string]int{}\n"},
		},
		{
			name: "package variables are never assigned", check: assignedVariables,
			why: "a table called immutable that is written to is shared state",
			bad: map[string]string{
				"internal/identity/users.go": "package identity\n\n// words is an immutable table.\nvar words = " +
					"map[string]int{}\n\nfunc put() { words[\"a\"] = 1 }\n",
			},
		},
		{
			name: "connections begin in outbound", check: connections,
			why: "a dialer or transport made elsewhere does not know whether the server is offline; take world.Outbound's",
			bad: map[string]string{
				"internal/service/tasks/http.go": "package tasks\n\nimport \"net/http\"\n\nvar _ = &http.Client{Timeout: 1}\n",
			},
		},
		{
			name: "no dot imports", check: noDotImports,
			why: "a reader must see where a name comes from",
			bad: map[string]string{
				"internal/identity/users.go": "package identity\n\nimport . \"strings\"\n\nvar _ = ToUpper\n",
			},
		},
		{
			name: "nothing panics on a request", check: noPanic,
			why: "no input ends the process; a panic is for a table that is wrong when the service is built",
			bad: map[string]string{"internal/service/tasks/service.go": "package tasks\n\nfunc f() { panic(1) }\n"},
		},
		{
			name: "comments carry no to-do", check: noToDo,
			why: "what is missing is an issue; what is here is finished",
			bad: map[string]string{"internal/identity/users.go": "package identity\n\n// TO" + "DO: later\n"},
		},
	}
}

func noInit(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		for _, d := range s.AST.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && !s.generated() {
				bad = append(bad, s.at(f)+" is an init function")
			}
		}
	}
	return bad
}

// packageVars calls see for every package-level variable with its comment.
func packageVars(s *source, see func(g *ast.GenDecl, v *ast.ValueSpec, comment string)) {
	for _, d := range s.AST.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			see(g, v, g.Doc.Text()+v.Doc.Text()+v.Comment.Text())
		}
	}
}

func fixedVariables(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if outside(s.Dir) || processWide()[s.Dir] != "" {
			continue
		}
		packageVars(s, func(g *ast.GenDecl, v *ast.ValueSpec, comment string) {
			if !fixed(v, directives(g.Doc)+directives(v.Doc), strings.ToLower(comment)) {
				bad = append(bad, fmt.Sprintf("%s declares the package variable %s", s.at(v), v.Names[0].Name))
			}
		})
	}
	return bad
}

// processWide are packages whose variables belong to the process, each for its reason.
func processWide() map[string]string {
	return map[string]string{
		"internal/platform/database/sqliteheap": "SQLite has one allocator a process, whichever world opens a file first",
	}
}

// directives returns the raw comment text; Text drops lines such as go:embed.
func directives(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	var raw strings.Builder
	for _, c := range doc.List {
		raw.WriteString(c.Text + "\n")
	}
	return raw.String()
}

// fixed tells variables that cannot carry state between two worlds.
func fixed(v *ast.ValueSpec, directive, comment string) bool {
	name := v.Names[0].Name
	if name == "_" || strings.Contains(directive, "//go:embed") ||
		strings.Contains(comment, "immutable") || strings.Contains(comment, "read-only") ||
		strings.Contains(comment, "set by the linker") {
		return true
	}
	if pool, ok := v.Type.(*ast.SelectorExpr); ok && pool.Sel.Name == "Pool" {
		return true
	}
	for _, value := range v.Values {
		if !fixedValue(name, value) {
			return false
		}
	}
	return len(v.Values) > 0
}

// fixedValue accepts errors.New and fmt.Errorf under an error's name,
// regexp.MustCompile and sync.Pool literals.
func fixedValue(name string, value ast.Expr) bool {
	sentinel := strings.HasPrefix(name, "Err") || strings.HasPrefix(name, "err")
	if lit, ok := value.(*ast.CompositeLit); ok {
		sel, ok := lit.Type.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Pool"
	}
	if unary, ok := value.(*ast.UnaryExpr); ok {
		return sentinel && unary.Op == token.AND
	}
	if _, ok := value.(*ast.SelectorExpr); ok {
		return sentinel // of an inner package
	}
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return sentinel
	}
	switch sel.Sel.Name {
	case "New", "Errorf":
		return sentinel
	case "MustCompile":
		return true
	}
	return false
}

// assignedVariables finds writes to package variables by name, per package;
// a local variable of the same name is told apart by its own declaration.
func assignedVariables(h *repository) []string {
	var bad []string
	for _, p := range h.packages() {
		if outside(p.Dir) {
			continue
		}
		names := map[string]bool{}
		for _, s := range p.Files {
			if !s.Test && !s.generated() {
				packageVars(s, func(_ *ast.GenDecl, v *ast.ValueSpec, _ string) {
					for _, n := range v.Names {
						names[n.Name] = true
					}
				})
			}
		}
		delete(names, "_")
		for _, s := range p.Files {
			if !s.generated() {
				bad = append(bad, assignments(s, names)...)
			}
		}
	}
	return bad
}

func assignments(s *source, names map[string]bool) []string {
	var bad []string
	for _, d := range s.AST.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		local := locals(f)
		ast.Inspect(f.Body, func(n ast.Node) bool {
			for _, target := range written(n) {
				if id := rootName(target); id != "" && names[id] && !local[id] {
					bad = append(bad, fmt.Sprintf("%s writes to the package variable %s", s.at(n), id))
				}
			}
			return true
		})
	}
	return bad
}

// written returns the expressions a statement stores into.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (id.Name == "delete" || id.Name == "clear") {
			return n.Args[:1]
		}
	}
	return nil
}

// rootName strips indexes and dereferences: the variable that is changed.
func rootName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// locals collects every name a function declares: receiver, parameters,
// results, short variable declarations and var statements.
func locals(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, n := range field.Names {
				names[n.Name] = true
			}
		}
	}
	add(f.Recv)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			add(n.Params)
			add(n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					names[rootName(e)] = true
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				names[rootName(n.Key)] = true
				names[rootName(n.Value)] = true
			}
		}
		return true
	})
	return names
}

func noDotImports(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		for _, spec := range s.AST.Imports {
			if spec.Name != nil && spec.Name.Name == "." {
				bad = append(bad, s.at(spec)+" is a dot import")
			}
		}
	}
	return bad
}

// onRequestPath tells the files whose code runs for every request or job: those of
// a service itself but for shapes, which may be encoded once, and in its inner
// packages the roles that stand at the edge.
func onRequestPath(dir, name string) bool {
	if path.Dir(dir) == "internal/service" && !strings.HasSuffix(name, "wire.go") {
		return true
	}
	for _, role := range []string{"service.go", "http.go", "store.go", "jobs.go", "rpc.go"} {
		if strings.HasSuffix(name, role) {
			return true
		}
	}
	return false
}

// constructs tells functions that run when a service is built, by their names.
func constructs(name string) bool {
	return strings.HasPrefix(name, "New") || strings.HasPrefix(name, "new") || strings.HasPrefix(name, "must") ||
		strings.HasPrefix(strings.ToLower(name), "migration") || name == "Module"
}

func noPanic(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if serviceOf(s.Dir) == "" || helper(s.Dir) || !onRequestPath(s.Dir, s.Name) {
			continue
		}
		ast.Inspect(s.AST, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncDecl); ok && constructs(f.Name.Name) {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
					bad = append(bad, s.at(call)+" panics")
				}
			}
			return true
		})
	}
	return bad
}

func noToDo(h *repository) []string {
	// The words are put together here so that this file does not find itself.
	word := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)
	var bad []string
	for _, s := range h.sources {
		for _, group := range s.AST.Comments {
			if word.MatchString(group.Text()) {
				bad = append(bad, s.at(group)+" leaves work in a comment")
			}
		}
	}
	return bad
}

// connecting is what makes connections, by import path. An http.Client is fine
// with a Transport of its own, which was made somewhere that is looked at.
func connecting() map[string][]string {
	return map[string][]string{
		"net": {"Dialer", "Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix"},
		"net/http": {
			"Transport", "DefaultTransport", "DefaultClient", "Get", "Head", "Post", "PostForm", "ProxyFromEnvironment",
		},
		"crypto/tls":              {"Dial", "DialWithDialer", "Dialer"},
		"net/smtp":                {"Dial", "SendMail"},
		"net/rpc":                 {"Dial", "DialHTTP"},
		"google.golang.org/grpc":  {"NewClient", "Dial", "DialContext"},
		"golang.org/x/net/proxy":  {"Dial", "FromEnvironment"},
		"golang.org/x/net/http2":  {"Transport"},
		"golang.org/x/oauth2":     {"NewClient"},
		"golang.org/x/crypto/ssh": {"Dial"},

		"github.com/minio/minio-go/v7":                                    {"DefaultTransport", "New"},
		"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp": {"New"},
	}
}

// connectors may make connections themselves, each for its reason.
func connectors() map[string]string {
	return map[string]string{
		"internal/platform/outbound":         "it is the gate",
		"internal/app/admin":                 "the administration socket of this machine",
		"internal/app/listen/dial_socket.go": "the sockets of this machine",
		"internal/service/kms/apicheck":      "stoa kms check calls the socket that the operator names",
		"internal/app/cli/labclient":         "commands call the lab that the operator names",
		"internal/platform/blob":             "the bucket holds the server's own data, offline too",
		"internal/platform/telemetry/traces": "the library has its own client; offline, app refuses a collector elsewhere",
	}
}

func connections(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if !under(s.Dir, "internal") && !under(s.Dir, "cmd") {
			continue
		}
		if connectors()[s.Dir] != "" || connectors()[s.Path] != "" {
			continue
		}
		for from, names := range connecting() {
			for _, n := range s.uses(from, names...) {
				if !s.onlyType(n) {
					bad = append(bad, s.at(n)+" makes a connection of its own with "+from)
				}
			}
		}
		for _, n := range s.uses("net/http", "Client") {
			if lit := s.literal(n); s.made(n) && (lit == nil || !hasKey(lit, "Transport")) {
				bad = append(bad, s.at(n)+" makes an http.Client without a Transport")
			}
		}
	}
	return bad
}

// literal is the composite literal of a type, nil when there is none.
func (s *source) literal(of ast.Node) (found *ast.CompositeLit) {
	ast.Inspect(s.AST, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && lit.Type == of {
			found = lit
		}
		return found == nil
	})
	return found
}

// made reports whether a mention of a type makes a value of it: by a literal,
// by new, or as a variable that is not a pointer.
func (s *source) made(of ast.Node) bool { return !s.onlyType(of) }

// onlyType reports whether a mention only points to a value that was made
// elsewhere: *http.Transport in a signature, a field or a type assertion.
func (s *source) onlyType(of ast.Node) bool {
	pointed := false
	ast.Inspect(s.AST, func(n ast.Node) bool {
		if star, ok := n.(*ast.StarExpr); ok && star.X == of {
			pointed = true
		}
		return !pointed
	})
	return pointed
}

func hasKey(lit *ast.CompositeLit, name string) bool {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == name {
				return true
			}
		}
	}
	return false
}
