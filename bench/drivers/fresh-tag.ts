let made = 0;

/** Begins names that nothing else in this run has: benchmarks share one mesh, and its ledger forgets nobody. */
export function freshTag(): string {
  made += 1;
  return `t${made}`;
}
