package oci

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// libraryFolders are where Debian's dynamic linker looks on amd64.
var libraryFolders = []string{"/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib", "/lib64"}

// maxLinks ends a circle of symbolic links.
const maxLinks = 40

// needed lists what a dynamic ELF file asks for: its linker and its
// libraries, as absolute paths in root. For any other file it is empty.
func needed(file io.ReaderAt, root string) ([]string, error) {
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := file.ReadAt(magic, 0); err != nil || string(magic) != elf.ELFMAG {
		return nil, nil
	}
	program, err := elf.NewFile(file)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, part := range program.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		linker, err := io.ReadAll(part.Open())
		if err != nil {
			return nil, err
		}
		paths = append(paths, string(bytes.TrimRight(linker, "\x00")))
	}
	names, err := program.ImportedLibraries()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		found, err := findLibrary(root, name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found)
	}
	return paths, nil
}

func findLibrary(root, name string) (string, error) {
	for _, folder := range libraryFolders {
		if _, err := resolve(root, path.Join(folder, name)); err == nil {
			return path.Join(folder, name), nil
		}
	}
	return "", fmt.Errorf("library %s is in none of %s below %q", name, strings.Join(libraryFolders, " "), root)
}

// resolve follows the symbolic links of an absolute path inside root, where
// an absolute link starts at root again, and returns the real file.
func resolve(root, name string) (string, error) {
	left, real := strings.Split(strings.Trim(name, "/"), "/"), "/"
	for links := 0; len(left) > 0; {
		next := path.Join(real, left[0])
		left = left[1:]
		target, err := os.Readlink(root + next)
		if err != nil { // not a link, or missing: the last Stat tells
			real = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many symbolic links: " + name)
		}
		if path.IsAbs(target) {
			real = "/"
		}
		left = append(strings.Split(strings.Trim(target, "/"), "/"), left...)
	}
	_, err := os.Stat(root + real)
	return root + real, err
}
