import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codingAgent, type CodingAgent } from './catalogue.ts';

/** An installed adapter: the program that speaks ACP for a coding agent. */
export interface Adapter {
  readonly command: readonly string[];
  readonly version: string;
}

/** The adapter of a coding agent that is installed here: that of this version, else the one that was chosen last. */
export function adapterOf(kind: string, home: string, version?: string): Adapter | undefined {
  const agent = codingAgent(kind);
  if (agent === undefined) return undefined;
  const wanted = [...(version === undefined ? [] : [version]), ...chosenVersion(agent, home)];
  const found = wanted.find((each) => isWhole(agent, versionDirectory(agent, home, each)));
  if (found === undefined) return undefined;
  const entry = join(versionDirectory(agent, home, found), agent.entry);
  const program = agent.runs === 'node' ? [process.execPath, entry] : [entry];
  return { command: [...program, ...agent.args], version: found };
}

/** Agents see it, and cannot write in it. */
export function adaptersDirectory(home: string): string {
  return join(home, 'adapters');
}

export function agentDirectory({ name }: CodingAgent, home: string): string {
  return join(adaptersDirectory(home), name);
}

export function versionDirectory(agent: CodingAgent, home: string, version: string): string {
  return join(agentDirectory(agent, home), version);
}

/** The file that holds the version that was installed last. */
export function choiceFile(agent: CodingAgent, home: string): string {
  return join(agentDirectory(agent, home), 'current');
}

/** Whether all is there that the agent needs to start. */
export function isWhole({ entry, build }: CodingAgent, directory: string): boolean {
  return existsSync(join(directory, entry)) && (build === null || hasBuild(build, directory));
}

/** Npm leaves a build out where there is none for this machine, and succeeds all the same. */
function hasBuild(build: string, directory: string): boolean {
  const [scope = '', prefix = ''] = build.split('/');
  const folder = join(directory, 'node_modules', scope);
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(prefix));
}

function chosenVersion(agent: CodingAgent, home: string): readonly string[] {
  const file = choiceFile(agent, home);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}
