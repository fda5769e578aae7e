import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentView } from '../../src/domain/agent.ts';
import { agentOf, idleAgent, until, type Answer, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const COMMIT =
  'git add -A; git -c user.name=A -c user.email=a@localhost commit --quiet --allow-empty -m work';
/** Does its task as a script, and a failure that comes back as it was told. */
const worker = (onFailure: string): string[] => [
  'sh',
  '-c',
  `task=$(cat); case $task in "You reported"*) ${onFailure} ;; *) eval "$task" ;; esac`,
];

/** A fleet whose projects check that state.txt is good. What a check waits for lies in the project's repository. */
export function checkedFleet(
  checks: Answer = { state: 'cat state.txt; grep -q good state.txt' },
): LocalFleet {
  return localFleet((config) => {
    Object.assign(config.projects['Setup'] ?? {}, { default_role: 'worker', checks });
    const roles: Record<string, Answer> = {
      worker: { command: worker('exit 1') },
      busy: { command: worker(`echo again >> tries.txt; ${COMMIT}`), check_retries: 2 },
      lazy: { command: worker('true'), check_retries: 3 },
      able: { command: worker(`echo good > state.txt; ${COMMIT}`), check_retries: 3 },
    };
    for (const [name, role] of Object.entries(roles)) config.roles[name] = { agent: 'command', ...role };
  });
}

/** A task that commits a state. */
export function commits(state: string): string {
  return `echo ${state} > state.txt; ${COMMIT}`;
}

/** An agent whose first task has committed a state. */
export async function agentWith(
  ask: Ask,
  name: string,
  input: Answer & { state: string },
): Promise<AgentView> {
  const { state, ...more } = input;
  return idleAgent(ask, name, { task: commits(state), ...more });
}

/** The agent, once its checks are in a state. */
export function checked(ask: Ask, name: string, state: string): Promise<AgentView> {
  return until(
    () => agentOf(ask, name),
    ({ checks }) => checks?.state === state,
  );
}

/** A check that goes on until it is let go. */
export function holding(
  { repository }: Pick<LocalFleet, 'repository'>,
  name: string,
): { readonly line: string; release(): void } {
  const file = join(repository, '.git', `go-on-${name}`);
  return {
    line: `echo held; while [ ! -e '${file}' ]; do sleep 0.02; done`,
    release: () => writeFileSync(file, ''),
  };
}
