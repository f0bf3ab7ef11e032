module github.com/capok/capok/hack/components/pause

go 1.26.0
