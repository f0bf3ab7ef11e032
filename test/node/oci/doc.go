// Package oci writes container images without a builder or a registry: one
// layer from scratch, as an OCI archive that `ctr images import` takes.
//
// The same input gives the same bytes: the archive holds no times and no
// owners of the machine. A file that is a dynamic program or library brings
// along the libraries it names. It does not read, push or pull images, and it
// knows amd64 Linux only.
package oci
