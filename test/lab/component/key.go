package component

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// buildEnv makes the binaries static. All components use the same
// environment and flags, else none would share compiled packages with
// another in Go's build cache.
var buildEnv = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}

func buildFlags(how recipe) []string {
	return []string{"-trimpath", "-mod=readonly", "-buildvcs=false", "-ldflags", how.ldflags}
}

// cacheKey hashes what decides about a binary: every file of its module's
// folder (go.mod, go.sum, our own sources), the flags and Go's version.
func cacheKey(source string, how recipe, goVersion string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%q\n%q\n", goVersion, buildEnv, buildFlags(how))
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(content))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:12], err
}
