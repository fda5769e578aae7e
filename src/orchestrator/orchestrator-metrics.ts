/** Upper ends of the latencies that are counted together, in milliseconds. */
export const LATENCY_BUCKETS = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
] as const;

const SAMPLES = 100;
/** Names come from outside: what is over this is counted together. */
const MOST_TOOLS = 2_000;
const OTHER = 'other';

export interface LatencyHistogram {
  readonly server: string;
  readonly tool: string;
  /** One for each bucket, and one for what took longer. */
  readonly counts: number[];
  sum_ms: number;
}

/** What the orchestrator counts: calls, how long they took, how they failed, and checks of health. */
export class OrchestratorMetrics {
  readonly toolExecutionCount = new Map<string, number>();
  /** The newest samples of each tool, in milliseconds. */
  readonly toolLatencies = new Map<string, number[]>();
  readonly agentHealthChecks = new Map<string, number>();
  readonly errors = new Map<string, number>();
  readonly histograms = new Map<string, LatencyHistogram>();

  countCall(server: string, tool: string, took_ms: number): void {
    const known = this.toolLatencies.has(tool) || this.toolLatencies.size < MOST_TOOLS;
    const name = known ? tool : OTHER;
    increase(this.toolExecutionCount, name);
    const samples = this.toolLatencies.get(name) ?? [];
    if (samples.length === 0) this.toolLatencies.set(name, samples);
    if (samples.length < SAMPLES) samples.push(took_ms);
    else samples[(this.toolExecutionCount.get(name) ?? 0) % SAMPLES] = took_ms;
    this.#count(known ? server : OTHER, name, took_ms);
  }

  countError(code: string): void {
    increase(this.errors, code);
  }

  countHealthCheck(agent: string): void {
    increase(this.agentHealthChecks, agent);
  }

  #count(server: string, tool: string, took_ms: number): void {
    let histogram = this.histograms.get(tool);
    if (histogram === undefined) {
      const counts = Array.from({ length: LATENCY_BUCKETS.length + 1 }, () => 0);
      histogram = { server, tool, counts, sum_ms: 0 };
      this.histograms.set(tool, histogram);
    }
    const at = LATENCY_BUCKETS.findIndex((end) => took_ms <= end);
    const bucket = at === -1 ? LATENCY_BUCKETS.length : at;
    histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
    histogram.sum_ms += took_ms;
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
