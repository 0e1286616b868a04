#!/usr/bin/env bash
# Software: Go package go-minhash (golang-github-dgryski-go-minhash-dev 0.0~git20190315.ad340ca-2 of Debian 12), type BottomK.
# Guess: with k above the number of elements a bottom-k sketch has seen everything, so Similarity() is the Jaccard index.
# Seen: it divides by the size of the larger sketch, not by that of the union: 1/2 for sets of 100 that share 50, whose Jaccard
#   index is 1/3. An element that is pushed twice is kept twice: a set and the same set, each element pushed twice, get 1/2.
# Why it matters: pairs at .8 of this package have a Jaccard index of .67, and texts repeat words. Push each element once, and
#   compare with 2 t / (1 + t) for a threshold t.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download golang-github-dgryski-go-minhash-dev=0.0~git20190315.ad340ca-2 \
	golang-1.19-go golang-1.19-src
for deb in *.deb; do dpkg-deb -x "$deb" .; done
export GOROOT=$dir/usr/lib/go-1.19 GOPATH=$dir/usr/share/gocode GOCACHE=$dir/cache GO111MODULE=off CGO_ENABLED=0
cat >main.go <<'GO'
package main

import (
	"fmt"
	"hash/fnv"

	"github.com/dgryski/go-minhash"
)

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

func sketch(first, last, times int) *minhash.BottomK {
	s := minhash.NewBottomK(hash, 1000)
	for i := first; i < last; i++ {
		for j := 0; j < times; j++ {
			s.Push([]byte(fmt.Sprint("word ", i)))
		}
	}
	return s
}

func main() {
	fmt.Println("100 elements, 50 of them and 50 others:", sketch(0, 100, 1).Similarity(sketch(50, 150, 1)))
	fmt.Println("100 elements, the same pushed twice:", sketch(0, 100, 1).Similarity(sketch(0, 100, 2)))
}
GO
"$GOROOT/bin/go" run main.go >seen
cat seen
diff seen - <<'END'
100 elements, 50 of them and 50 others: 0.5
100 elements, the same pushed twice: 0.5
END
