// Never answers anything.
process.stdin.resume();
