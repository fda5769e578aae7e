import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { choiceFile, versionDirectory } from './adapter-of.ts';
import { agentProblem } from './agent-problem.ts';
import { CODING_AGENTS, type CodingAgent } from './catalogue.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-agents-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const place = (env: NodeJS.ProcessEnv = {}) => ({
  home: join(directory, 'home'),
  env: { HOME: join(directory, 'user'), ...env },
  sandboxed: false,
});

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** What an install leaves. */
function install(agent: CodingAgent): void {
  const installed = versionDirectory(agent, place().home, agent.version);
  write(join(installed, agent.entry), '');
  if (agent.build !== null)
    write(join(installed, 'node_modules', `${agent.build}some-machine`, 'program'), '');
  write(choiceFile(agent, place().home), `${agent.version}\n`);
}

describe.each(CODING_AGENTS.map((agent) => [agent.name, agent] as const))('%s', (name, agent) => {
  it('that is not installed is reported with the command to type [ST-agent-not-installed-command]', () => {
    const problem = agentProblem(agent, place());
    expect(problem).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'agent_not_installed' },
    });
    expect(problem?.message).toContain(`fleet agents install ${name}`);
  });

  it('that is installed and has no build for this machine is not installed', () => {
    install(agent);
    rmSync(join(versionDirectory(agent, place().home, agent.version), 'node_modules'), { recursive: true });
    expect(agentProblem(agent, place())?.details.reason).toBe('agent_not_installed');
  });

  it('that is not logged in is reported with the command to type, unless it needs no login', () => {
    install(agent);
    const problem = agentProblem(agent, place());
    if (agent.login === null) return expect(problem).toBeUndefined();
    expect(problem).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'agent_not_logged_in' },
    });
    expect(problem?.message).toContain(`fleet agents login ${name}`);
  });

  it('is usable by each way to log in, and by no empty variable or file without the word', () => {
    install(agent);
    if (agent.login === null) return;
    for (const variable of agent.login.variables) {
      expect(agentProblem(agent, place({ [variable]: 'x' }))).toBeUndefined();
      expect(agentProblem(agent, place({ [variable]: '' }))).toBeDefined();
    }
    const { otherwise, variable } = agent.login.directory;
    for (const { file, with: word } of agent.login.files) {
      const path = join(place().env.HOME, otherwise, file);
      write(path, word === undefined ? '' : 'something else');
      if (word !== undefined) expect(agentProblem(agent, place())).toBeDefined();
      write(path, `{"${word}": 1}`);
      expect(agentProblem(agent, place())).toBeUndefined();
      expect(agentProblem(agent, place({ [variable]: directory }))).toBeDefined();
      rmSync(path);
    }
  });

  it('runs on the oldest Node that Fleet runs on', () => {
    expect(agent.node).toBeLessThanOrEqual(22);
  });

  it('in the sandbox is logged in by a variable, or by a directory that its role names, and never by files of the user', () => {
    install(agent);
    if (agent.login === null) return;
    const sandboxed = (env: NodeJS.ProcessEnv = {}) => ({ ...place(env), sandboxed: true });
    const { otherwise, variable } = agent.login.directory;
    const [first] = agent.login.files;
    write(join(place().env.HOME, otherwise, first?.file ?? ''), `{"${first?.with}": 1}`);
    expect(agentProblem(agent, place())).toBeUndefined();
    expect(agentProblem(agent, sandboxed())?.message).toContain(
      agent.login.token === undefined
        ? `Set ${agent.login.variables[0]}`
        : `fleet agents login ${agent.name} (or set ${agent.login.variables[0]})`,
    );
    for (const each of agent.login.variables)
      expect(agentProblem(agent, sandboxed({ [each]: 'x' }))).toBeUndefined();
    const named = join(place().env.HOME, otherwise);
    expect(agentProblem(agent, sandboxed({ [variable]: named }))).toBeUndefined();
  });
});
