/** What a machine has left, as far as it tells. */
export interface MachineCapacity {
  /** Bytes that programs can still have. */
  readonly memory: number | null;
  readonly cpu: CpuUse | null;
}

/** The share of time in which somebody waited for the CPU; or, where that is not told, how many want each core. */
export type CpuUse =
  | { readonly kind: 'pressure'; readonly share: number }
  | { readonly kind: 'load'; readonly per_core: number };

export interface StartRules {
  /** How many may start at the same time. */
  readonly room: number;
  /** Bytes of memory that are left to all else on the machine. */
  readonly memory_reserve: number;
}

export const DEFAULT_MEMORY_RESERVE = 256 * 1024 * 1024;
/** What an agent that starts is going to take. */
export const AGENT_MEMORY = 256 * 1024 * 1024;
const PRESSURE_LIMIT = 0.9;
const LOAD_LIMIT = 4;

/** Why no further agent may start now, beside so many that are starting; undefined when one may. One at a time always
 *  may: a machine that is full for good would never start any. */
export function whyNotStart(
  starting: number,
  { memory, cpu }: MachineCapacity,
  { room, memory_reserve }: StartRules,
): string | undefined {
  if (starting === 0) return undefined;
  if (starting >= room) return `${starting} of at most ${room} are starting`;
  // Those that are starting have not taken theirs yet.
  const free = memory === null ? AGENT_MEMORY : memory - memory_reserve - starting * AGENT_MEMORY;
  if (free < AGENT_MEMORY)
    return `free memory ${megabytes(Math.max(0, free))} of the ${megabytes(AGENT_MEMORY)} an agent needs`;
  if (cpu?.kind === 'pressure' && cpu.share >= PRESSURE_LIMIT)
    return `the CPU is waited for ${Math.round(cpu.share * 100)} % of the time`;
  if (cpu?.kind === 'load' && cpu.per_core >= LOAD_LIMIT)
    return `${cpu.per_core.toFixed(1)} programs want each core`;
  return undefined;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}
