import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processesNaming } from '../../support/fleets/local-fleet.ts';
import { Random } from '../random.ts';
import type { CallersParts } from './callers.ts';

const LONGEST_PEACE_MS = 1_200;
const VICTIMS = ['runner', 'runner', 'program', 'server'] as const;

/** Kills servers, runners and programs at moments that the seed alone decides. */
export async function runKiller({ stage, server, seed, signal, tell }: CallersParts): Promise<number> {
  const random = new Random(seed * 31);
  let kills = 0;
  for (;;) {
    const [peace, victim, which] = [random.below(LONGEST_PEACE_MS), random.pick(VICTIMS), random.next()];
    await delay(peace, undefined, { signal }).catch(() => {});
    if (signal.aborted) return kills;
    tell(`killer: a ${victim} after ${peace} ms`);
    if (victim === 'server') await server.killAndStartAgain();
    else {
      const found = processesNaming(stage.directory).filter((pid) => kindOf(pid) === victim);
      const pid = found[Math.floor(which * found.length)];
      if (pid === undefined) continue;
      kill(pid);
    }
    kills++;
  }
}

/** A runner by its arguments; a program, and what is around it, by the marker in its environment. */
function kindOf(pid: number): 'runner' | 'program' | undefined {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('runner-main')) return 'runner';
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes('FLEET_RUN_MARKER=') ? 'program' : undefined;
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
