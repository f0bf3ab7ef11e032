# Targets that a person types; `make help` lists them. What needs more than a few
# lines is a Go program (test/lab) or a script in hack/.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help up clouds down wipe status build generate image release test soak conformance e2e smoke scale redeploy fmt lint verify clean

# One set of flags for all that is compiled: what tests, lint, the manager and the parts
# of the environment have in common (Kubernetes' libraries above all) is compiled once.
export CGO_ENABLED := 0
export GOFLAGS     := $(GOFLAGS) -trimpath

LAB  := go run ./test/lab
TOOL := hack/tool
E2E  := go test -tags e2e -count 1 -timeout 90m -v ./test/e2e

help: ## show this text
	@awk -F ':.*## ' '/^## /{print "\n" substr($$0, 4)} /^[a-z0-9]+:.*## /{printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## A development environment on this machine
up: ## OpenStack, management cluster and a workload cluster, ready to use
	$(LAB) up
clouds: ## like `up`, without the workload cluster
	$(LAB) clouds
status: ## what runs, where, and how to talk to it
	$(LAB) status
down: ## stop everything that `up` started; what was built stays
	$(LAB) down
wipe: ## down, and forget all state
	$(LAB) wipe

## The code
build: ## compile the programs of cmd/ into bin/
	go build -o bin/ ./cmd/...
generate: ## deepcopy code, CRDs and RBAC from the Go types and their comments
	controller_gen=$$($(TOOL) controller-gen); \
	"$$controller_gen" object paths=./api/...; \
	"$$controller_gen" crd paths=./api/... output:crd:dir=config/crd/bases; \
	"$$controller_gen" rbac:roleName=manager paths=./controllers/... output:rbac:dir=config/rbac
fmt: ## format the Go code
	"$$($(TOOL) golangci-lint)" fmt
image: ## the manager's container image as an archive, out/manager.tar: make image IMAGE=name:tag
	$(LAB) image $(or $(IMAGE),capok-manager:dev) out/manager.tar
release: ## what clusterctl installs, into out/release: make release IMAGE=name:tag RELEASE=folder
	hack/release $(RELEASE)
clean: ## remove bin/ and out/
	rm -rf bin out

## Checks
test: ## unit tests, stories on the simulator, manifests on a real API server; ends with a count
	hack/test -timeout 20m $(TESTARGS) ./...
soak: ## stories with troubles by chance on the simulator: make soak CAPOK_SOAK=1h
	FORMAT=$${FORMAT:-testname} CAPOK_SOAK=$${CAPOK_SOAK:-10m} hack/test -count 1 -timeout 0 -run TestSoak ./test/lifecycle $(TESTARGS)
conformance: ## that the simulator and the OpenStack of `up` behave alike, in all that we rely on
	go test -count 1 ./test/openstacksim/conformance
	CAPOK_CONFORMANCE_CLOUD=capok OS_CLIENT_CONFIG_FILE=$${CAPOK_STATE:-$$HOME/.local/state/capok}/openstack/clouds.yaml \
		go test -count 1 -timeout 30m ./test/openstacksim/conformance
e2e: conformance ## real clusters on what `up` started: made, scaled, disturbed, deleted; 1 hour
	$(E2E) $(TESTARGS)
smoke: ## the shortest part of `e2e`: one cluster is made and deleted; 3 minutes
	$(E2E) -ginkgo.label-filter=smoke
scale: ## what 10, 100 and 1000 clusters cost the manager, into docs/scale.md; 90 minutes
	go run ./test/scale -output docs/scale.md $(or $(SIZES),10x1 100x1 1000x1 100x13)
redeploy: ## build the manager anew and put it into the management cluster
	$(LAB) management redeploy
lint: ## golangci-lint with .golangci.yml
	"$$($(TOOL) golangci-lint)" run $(LINTARGS)
verify: generate ## generate; fail if that changed files, or if go.mod or formatting is not in order
	changed=$$(git status --porcelain -- '*zz_generated*' config/crd config/rbac); \
	[ -z "$$changed" ] || { echo "generated files are not committed:"; echo "$$changed"; exit 1; }
	go mod tidy -diff
	unformatted=$$(git ls-files '*.go' | xargs gofmt -l); \
	[ -z "$$unformatted" ] || { echo "run 'make fmt': $$unformatted"; exit 1; }
