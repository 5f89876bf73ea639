// busy.go - CPU, heap and mutex profiles of a few functions: busy DIRECTORY.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

type shape interface{ area() float64 }
type box struct{ side float64 }

func (b *box) area() float64 { return b.side * b.side }

func rows(n int) []string {
	v := make([]string, n)
	for i := range v {
		v[i] = strings.Repeat("x", i*7919%97)
	}
	sort.Slice(v, func(i, k int) bool { return v[i] < v[k] })
	return v
}

var kept [][]string
var lock sync.Mutex

func work() {
	for i := 0; i < 30; i++ {
		fib(27)
		lock.Lock()
		r := rows(20000)
		kept = append(kept, r[:100])
		var s shape = &box{float64(i)}
		s.area()
		lock.Unlock()
	}
}

func main() {
	dir := os.Args[1]
	runtime.MemProfileRate = 1
	runtime.SetMutexProfileFraction(1)
	cpu, _ := os.Create(dir + "/cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	var all sync.WaitGroup
	for i := 0; i < 2; i++ {
		all.Add(1)
		go func() { defer all.Done(); work() }()
	}
	all.Wait()
	pprof.StopCPUProfile()
	cpu.Close()
	for _, name := range []string{"heap", "mutex"} {
		f, _ := os.Create(dir + "/" + name + ".pb.gz")
		pprof.Lookup(name).WriteTo(f, 0)
		f.Close()
	}
}
