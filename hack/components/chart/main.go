// Chart renders the folder of a Helm chart as plain YAML on standard output,
// custom resource definitions first, with Helm's own engine:
//
//	chart FOLDER VERSION NAME NAMESPACE [KEY=VALUE...]
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/strvals"
)

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: chart FOLDER VERSION NAME NAMESPACE [KEY=VALUE...]")
		os.Exit(2)
	}
	files, err := render(os.Args[1], os.Args[2], common.ReleaseOptions{Name: os.Args[3], Namespace: os.Args[4], Revision: 1, IsInstall: true}, os.Args[5:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
	for _, name := range ordered(files) {
		fmt.Printf("---\n# %s\n%s\n", name, strings.TrimSpace(files[name]))
	}
}

// render returns the text of each template by its name.
func render(folder, version string, release common.ReleaseOptions, settings []string) (map[string]string, error) {
	chart, err := loader.LoadDir(folder)
	if err != nil {
		return nil, err
	}
	chart.Metadata.Version, chart.Metadata.AppVersion = version, version
	values := map[string]any{}
	for _, setting := range settings {
		if err := strvals.ParseInto(setting, values); err != nil {
			return nil, fmt.Errorf("%s: %w", setting, err)
		}
	}
	all, err := util.ToRenderValuesWithSchemaValidation(chart, values, release, nil, true)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// ordered names the files that hold YAML, definitions of custom resources
// before what may use them.
func ordered(files map[string]string) []string {
	var crds, others []string
	for name, text := range files {
		switch {
		case !strings.HasSuffix(name, ".yaml") || strings.TrimSpace(text) == "":
		case strings.Contains(name, "/crd-"):
			crds = append(crds, name)
		default:
			others = append(others, name)
		}
	}
	slices.Sort(crds)
	slices.Sort(others)
	return append(crds, others...)
}
