// busy.js - a wall time and a heap profile of a few functions: time.pb.gz, heap.pb.gz.
const pprof = require('@datadog/pprof');
const fs = require('fs');

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

class Rows {
	constructor(n) { this.v = Array.from({length: n}, (_, i) => String(i * 7919 % n)); }
	sorted() { return [...this.v].sort(); }
}

const kept = [];
pprof.heap.start(1024, 64);
pprof.time.start({intervalMicros: 1000, durationMillis: 1000});
for (let i = 0; i < 8; i++) {
	fib(28);
	kept.push(new Rows(20000).sorted());
}
const time = pprof.time.stop();
const heap = pprof.heap.profile();
pprof.encode(time).then(b => fs.writeFileSync('time.pb.gz', b));
pprof.encode(heap).then(b => fs.writeFileSync('heap.pb.gz', b));
