import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fillStore } from '../../bench/fill-store.ts';
import type { AgentListView } from '../../src/domain/agent.ts';
import { callFleet } from '../support/fleets/fleet-process.ts';
import { askAs, agentsOf } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('promises with a number', () => {
  it('a thousand agents are listed in one call [NUM-list-1000]', async () => {
    await using fleet = localFleet();
    const place = { home: fleet.home, cwd: fleet.directory, config: fleet.configFile, env: {} };
    fillStore(place, { agents: 1000, journals: 0, repository: fleet.repository });
    const names = Array.from({ length: 1000 }, (_, index) => `agent-${String(index).padStart(4, '0')}`);
    const answer = await callFleet('list_agents', {}, fleet.env);
    expect(answer['total_count']).toBe(1000);
    const agents = answer['agents'] as AgentListView[];
    expect(agents.map(({ name }) => name)).toEqual(names);
    expect(Object.groupBy(agents, ({ status }) => status)).toMatchObject({
      busy: { length: 50 },
      idle: { length: 950 },
    });
    expect(await agentsOf(askAs(fleet.fleet), { status_filter: 'busy' })).toHaveLength(50);
  });

  it('are measured by npm run bench, which prints them as a table [NUM-bench]', async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const [program, ...args] = scripts['bench']?.split(' ') ?? [];
    expect(program).toBe('node');
    const bench = async (measure: string) => {
      const child = spawn(process.execPath, [...args, measure], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { stdout, stderr, code: child.exitCode };
    };
    const [table, unknown] = await Promise.all([bench('list-1000'), bench('no-such-measure')]);
    expect(table.code).toBe(0);
    const [header, ...rows] = table.stdout.trim().split('\n');
    expect(header).toMatch(/^measure +ours +against +ratio +target$/);
    expect(rows).toEqual([
      expect.stringMatching(/^list_agents, 1000 agents +[\d.]+ (µs|ms) .*[\d.]+ × +–$/),
      expect.stringMatching(/^show_agent, of 1000 agents +[\d.]+ (µs|ms) .*[\d.]+ × +–$/),
    ]);
    for (const promise of [
      /create/,
      /status|visible/,
      /delete/,
      /list-1000/,
      /history-100000/,
      /discovery|projects/,
    ])
      expect(unknown.stderr.replace(/.*There are:/s, '')).toMatch(promise);
  });
});
