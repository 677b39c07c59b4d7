// SPDX-License-Identifier: Apache-2.0

// Command filter copies the test files of a package of client-go without what the list of exclusions names.
//
//	filter -list excluded.txt -package tools/cache -from DIR -to DIR [FILE...]
//
// Without names of files it copies all of them, and the list may name no others.
//
// It cuts whole declarations, their comments, and imports that nothing uses any more out of the text. Every other byte
// stays as it is, so that the tests which are left are client-go's own. It prints the names of the tests that are left,
// and fails if the list names something that does not exist: the list cannot outlive what it excuses.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// names are declarations of one file: "*" is all of them.
type names map[string]bool

// readList returns the declarations to drop by file. Names with a slash are subtests, which stay in the text.
func readList(file, pkg string) (map[string]names, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := map[string]names{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: no reason: %s", file, lines.Text())
		}
		if path.Dir(fields[0]) != pkg || strings.Contains(fields[1], "/") {
			continue
		}
		name := path.Base(fields[0])
		if list[name] == nil {
			list[name] = names{}
		}
		list[name][fields[1]] = true
	}
	return list, nil
}

// declared is the names that a declaration declares; a method is Type.Name.
func declared(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{receiver(d.Recv.List[0].Type) + "." + d.Name.Name}
	case *ast.GenDecl:
		var all []string
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				all = append(all, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					all = append(all, name.Name)
				}
			}
		}
		return all
	}
	return nil
}

func receiver(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// importNames is how a file may call an import: v2 of klog/v2 is klog, and v1 of core/v1 is v1.
func importNames(spec *ast.ImportSpec) []string {
	if spec.Name != nil {
		return []string{spec.Name.Name}
	}
	full, _ := strconv.Unquote(spec.Path.Value)
	base := path.Base(full)
	if strings.Trim(base, "v0123456789") == "" {
		return []string{base, path.Base(path.Dir(full))}
	}
	return []string{base, strings.TrimPrefix(base, "go-")}
}

func filterFile(from, to string, drop names) ([]string, error) {
	text, err := os.ReadFile(from)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, from, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var tests []string
	var cuts [][2]token.Pos
	used := map[string]bool{}
	for _, decl := range file.Decls {
		all := declared(decl)
		isDropped := false
		for _, name := range all {
			if drop[name] {
				isDropped = true
				delete(drop, name)
			}
		}
		if isDropped {
			begin := decl.Pos()
			if f, ok := decl.(*ast.FuncDecl); ok && f.Doc != nil {
				begin = f.Doc.Pos()
			}
			cuts = append(cuts, [2]token.Pos{begin, decl.End()})
			continue
		}
		for _, name := range all {
			if (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example")) && name != "TestMain" {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
					tests = append(tests, name)
				}
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					used[x.Name] = true
				}
			}
			return true
		})
	}
	for _, spec := range file.Imports {
		isUsed := spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".")
		for _, name := range importNames(spec) {
			isUsed = isUsed || used[name]
		}
		if !isUsed {
			cuts = append(cuts, [2]token.Pos{spec.Pos(), spec.End()})
		}
	}
	for name := range drop {
		return nil, fmt.Errorf("%s: no declaration %s", from, name)
	}
	sort.Slice(cuts, func(i, j int) bool { return cuts[i][0] > cuts[j][0] })
	for _, cut := range cuts {
		text = append(text[:files.Position(cut[0]).Offset], text[files.Position(cut[1]).Offset:]...)
	}
	return tests, os.WriteFile(to, text, 0o644)
}

func main() {
	log.SetFlags(0)
	list := flag.String("list", "", "the list of exclusions")
	pkg := flag.String("package", "", "as the list names it: tools/cache")
	from := flag.String("from", "", "the package in the module cache")
	to := flag.String("to", "", "where the copies go")
	flag.Parse()

	dropped, err := readList(*list, *pkg)
	if err != nil {
		log.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(*from, "*_test.go"))
	if err != nil {
		log.Fatal(err)
	}
	if flag.NArg() > 0 {
		found = nil
		for _, name := range flag.Args() {
			found = append(found, filepath.Join(*from, name))
		}
	}
	for _, file := range found {
		drop := dropped[filepath.Base(file)]
		delete(dropped, filepath.Base(file))
		if drop["*"] {
			continue
		}
		tests, err := filterFile(file, filepath.Join(*to, filepath.Base(file)), drop)
		if err != nil {
			log.Fatal(err)
		}
		for _, test := range tests {
			fmt.Println(test)
		}
	}
	for file := range dropped {
		log.Fatalf("%s: no file %s", *list, file)
	}
}
