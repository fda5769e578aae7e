import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { without } from '../agents/agents-cache.ts';
import { fleetWith, upstream } from '../orchestrator/upstream-place.ts';
import { FLEET, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { startModelServer, type ModelServer } from '../support/model-server/model-server.ts';
import { claudeSession, type ClaudeSession } from './claude-session.ts';
import { openGate, type OpenGate } from './open-gate.ts';

const { missing, why } = without('claude');
const TEE = fileURLToPath(new URL('./tee.mjs', import.meta.url));
/** Each with a server of its own: one that ends again and again is waited for longer each time. */
const DOORS = [
  { era: 'legacy', over: 'stdio', lab: 'north' },
  { era: 'auto', over: 'stdio', lab: 'east' },
  { era: 'legacy', over: 'HTTP', lab: 'south' },
  { era: 'auto', over: 'HTTP', lab: 'west' },
] as const;

let fleet: LocalFleet;
let served: ServedFleet;
let gate: OpenGate;
let model: ModelServer;
let overHttp = '';
beforeAll(async () => {
  model = await startModelServer();
  fleet = fleetWith({});
  fleet.configure((config) => {
    config['mcpServers'] = Object.fromEntries(
      DOORS.map(({ lab }) => [lab, upstream('plain', { env: { LAB_LOG: logOf(lab) } })]),
    );
  });
  served = await serveFleet(fleet.env);
  gate = await openGate(served, (chunk) => (overHttp += chunk.toString('utf8')));
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const logOf = (lab: string): string => join(fleet.directory, `log-${lab}`);

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.skipIf(missing).each(DOORS)(
  `Claude Code by itself${why}: $era over $over`,
  ({ era, over, lab: name }) => {
    let claude: ClaudeSession;
    let wire: string;
    beforeAll(() => {
      wire = join(fleet.directory, `wire-${era}`);
      const stdio = { command: process.execPath, args: [TEE, wire, process.execPath, FLEET, 'mcp'] };
      const server = over === 'stdio' ? { ...stdio, env: fleet.env } : { type: 'http', url: gate.mcp_url };
      claude = claudeSession({ model, era, server });
    });
    afterAll(() => claude[Symbol.asyncDispose]());
    const lab = (tool: string, input: Record<string, unknown> = {}) => ({
      tool: `mcp__tools__${name}__${tool}`,
      input,
    });
    const timesLogged = (text: string): number => readFileSync(logOf(name), 'utf8').split(text).length - 1;
    const told = (): string =>
      over === 'HTTP' ? overHttp : existsSync(wire) ? readFileSync(wire, 'utf8') : '';

    it('receives the progress of a call, all of it and in order', async () => {
      const before = told().length;
      expect(await claude.does(lab('slow', { steps: 5, step_ms: 40 }))).toContain('done');
      expect(told().slice(before).includes('supportedVersions')).toBe(era === 'auto');
      const steps = [
        ...told()
          .slice(before)
          .matchAll(/"progress":(\d+)/g),
      ].map(([, step]) => Number(step));
      expect(steps).toEqual([1, 2, 3, 4, 5]);
    });

    it('cancels a call at the server when its user interrupts it', async () => {
      const canceled = timesLogged('canceled at');
      const before = told().length;
      const turn = claude.does(lab('slow', { steps: 10_000, step_ms: 20 }));
      await until(() => told().slice(before).includes('"progress":3'));
      claude.interrupt();
      await turn;
      await until(() => timesLogged('canceled at') > canceled);
    });

    it('puts the question of a server to its user, and passes the answer on', async () => {
      const said = await claude.does(lab('ask'));
      expect(said).toContain('accept');
      expect(said).toContain('green');
    });

    it('uses a tool that was not there before', async () => {
      expect(await claude.does(lab('grown'))).toContain('No such tool');
      await claude.does(lab('grow'));
      // It reads its lists again in its own time.
      await until(async () => (await claude.does(lab('grown'))).includes('here'));
    });

    it('works on after the server was lost in the middle of a call', async () => {
      const started = timesLogged('started');
      const said = await claude.does(lab('exit'), lab('echo', { value: 'back again' }));
      expect(said).toContain('AGENT_UNAVAILABLE');
      expect(said).toContain('back again');
      expect(timesLogged('started')).toBe(started + 1);
    });
  },
);
