import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { choiceFile, versionDirectory } from '../../src/agents/adapter-of.ts';
import { CODING_AGENTS, type CodingAgent } from '../../src/agents/catalogue.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { logOf, steps } from './acp-fleet.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/acp-agent.mjs', import.meta.url));

const it = fleetTest(() =>
  localFleet((config) => {
    const sessions = join(config.projects['Setup']?.['repository'] as string, '..', 'sessions');
    mkdirSync(sessions);
    const env = {
      SCRIPTED_SESSIONS: sessions,
      ANTHROPIC_API_KEY: 'x',
      OPENAI_API_KEY: 'x',
      GEMINI_API_KEY: 'x',
    };
    for (const { name } of CODING_AGENTS) config.roles[name] = { agent: name, env, mode: 'default' };
    config.roles['acp'] = { agent: 'acp', command: [process.execPath, PROGRAM], env };
  }),
);
it.beforeAll(({ fleet }) => {
  for (const agent of CODING_AGENTS) putScripted(agent, fleet.home);
});

describe('a role of each kind of coding agent', () => {
  it('runs its tasks, by the adapter where it has one [CFG-role-agents-run]', async ({ ask }) => {
    for (const kind of [...CODING_AGENTS.map(({ name }) => name), 'acp']) {
      await idleAgent(ask, kind, { role: kind, task: steps({ say: `I am ${kind}` }) });
      expect((await logOf(ask, kind)).at(-1)?.message).toBe(`I am ${kind}`);
    }
  });
});

/** The small scripted agent where the adapter of a real one would be. */
function putScripted(agent: CodingAgent, home: string): void {
  const directory = versionDirectory(agent, home, agent.version);
  const entry = join(directory, agent.entry);
  mkdirSync(dirname(entry), { recursive: true });
  const start = `import(${JSON.stringify(`file://${PROGRAM}`)});\n`;
  writeFileSync(
    entry,
    agent.runs === 'node' ? start : `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}'\n`,
    {
      mode: 0o755,
    },
  );
  if (agent.build !== null)
    mkdirSync(join(directory, 'node_modules', `${agent.build}here`), { recursive: true });
  writeFileSync(choiceFile(agent, home), agent.version);
}
