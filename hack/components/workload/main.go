// Workload serves the Kubernetes APIs of many clusters from memory, each at a
// port of its own, with the API servers that Cluster API has for its own tests
// of scale. Nothing runs in these clusters: who uses them tells of each node.
//
//	workload 127.0.0.1:PORT
//	POST /nodes   a Node as JSON: it is in its cluster when the answer is 204
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "workload:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: workload ADDRESS")
	}
	ctrl.SetLogger(logr.Discard())
	clusters, err := newClusters(context.Background())
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /nodes", func(w http.ResponseWriter, r *http.Request) {
		var node Node
		if err := json.NewDecoder(r.Body).Decode(&node); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := clusters.join(r.Context(), node); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	server := &http.Server{Addr: os.Args[1], Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}
