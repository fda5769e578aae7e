import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT_MEMORY, whyNotStart, type CpuUse, type MachineCapacity } from './admission.ts';

const MEGABYTE = 1024 * 1024;
const GIGABYTE = 1024 * MEGABYTE;
const plenty: MachineCapacity = { memory: 64 * GIGABYTE, cpu: { kind: 'pressure', share: 0 } };
const rules = { room: 4, memory_reserve: 256 * MEGABYTE };

const cpus: fc.Arbitrary<CpuUse | null> = fc.oneof(
  fc.constant(null),
  fc.record({ kind: fc.constant('pressure' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('load' as const), per_core: fc.double({ min: 0, max: 50, noNaN: true }) }),
);
const machines: fc.Arbitrary<MachineCapacity> = fc.record({
  memory: fc.option(fc.integer({ min: 0, max: 16 * GIGABYTE })),
  cpu: cpus,
});
const allRules = fc.record({
  room: fc.integer({ min: 1, max: 20 }),
  memory_reserve: fc.integer({ min: 0, max: 8 * GIGABYTE }),
});
const counts = fc.integer({ min: 0, max: 30 });

describe('whether an agent may start', () => {
  it('one always may, whatever the machine says', () => {
    fc.assert(
      fc.property(machines, allRules, (machine, each) => {
        expect(whyNotStart(0, machine, each)).toBeUndefined();
      }),
    );
  });

  it('never more than their number, and as many when the machine is empty', () => {
    fc.assert(
      fc.property(counts, machines, allRules, (starting, machine, each) => {
        if (starting >= each.room) expect(whyNotStart(starting, machine, each)).toBeDefined();
        else expect(whyNotStart(starting, plenty, { ...each, memory_reserve: 0 })).toBeUndefined();
      }),
    );
  });

  it('those that start never take what is left to the rest of the machine, but for the one that always may', () => {
    fc.assert(
      fc.property(machines, allRules, (machine, each) => {
        let starting = 0;
        while (whyNotStart(starting, machine, each) === undefined) starting++;
        expect(starting).toBeGreaterThanOrEqual(1);
        if (starting > 1 && machine.memory !== null)
          expect(machine.memory - starting * AGENT_MEMORY).toBeGreaterThanOrEqual(each.memory_reserve);
      }),
    );
  });

  it('more memory or fewer that start never keep one from starting', () => {
    fc.assert(
      fc.property(counts, machines, allRules, (starting, machine, each) => {
        if (starting === 0 || machine.memory === null) return;
        if (whyNotStart(starting, machine, each) !== undefined) return;
        expect(whyNotStart(starting - 1, machine, each)).toBeUndefined();
        expect(whyNotStart(starting, { ...machine, memory: machine.memory * 2 }, each)).toBeUndefined();
      }),
    );
  });

  it('what is not told keeps nobody from starting', () => {
    expect(whyNotStart(3, { memory: null, cpu: null }, rules)).toBeUndefined();
  });

  it.each([
    [4, plenty, '4 of at most 4 are starting'],
    [1, { ...plenty, memory: 692 * MEGABYTE }, 'free memory 180 MB of the 256 MB an agent needs'],
    [1, { ...plenty, memory: 10 * MEGABYTE }, 'free memory 0 MB of the 256 MB an agent needs'],
    [1, { ...plenty, cpu: { kind: 'pressure', share: 0.954 } }, 'the CPU is waited for 95 % of the time'],
    [1, { ...plenty, cpu: { kind: 'load', per_core: 6.25 } }, '6.3 programs want each core'],
  ] satisfies [number, MachineCapacity, string][])('%i that start, %o: %s', (starting, machine, why) => {
    expect(whyNotStart(starting, machine, rules)).toBe(why);
  });
});
