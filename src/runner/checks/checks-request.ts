import type { Launch } from '../../domain/launch.ts';
import { mayRunCommands } from '../../domain/may-run-commands.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Check } from '../../domain/review/checks.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';

export interface ChecksRequest {
  /** Made by the caller: a repeated request finds the same run. */
  readonly run_id: string;
  /** Undefined for all of them. */
  readonly names: readonly string[] | undefined;
  readonly again: boolean;
  /** How long to wait for the end of the run. */
  readonly within_ms: number;
  readonly by: Actor;
}

export interface ChecksAnswer {
  readonly commit: string | null;
  readonly running: boolean;
  /** What it does now. */
  readonly message: string;
}

/** The checks of an agent with these names. */
export function chosenChecks(
  { name: agent, project, checks }: Pick<Launch, 'name' | 'project' | 'checks'>,
  names: readonly string[] | undefined,
): readonly Check[] {
  if (checks === undefined) throw noChecks(agent, project);
  const all = checks.all;
  const unknown = names?.find((name) => !all.some((check) => check.name === name));
  if (unknown !== undefined)
    throw new FleetError(
      'INVALID_INPUT',
      `The agent "${agent}" has no check ${quote(unknown)}. It has: ${all.map(({ name }) => name).join(', ')}.`,
      { field: 'names' },
    );
  return names === undefined || names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

export function noChecks(agent: string, project: string): FleetError {
  return new FleetError(
    'INVALID_INPUT',
    `The agent "${agent}" has no checks. Add them to fleet.yaml under projects: ${project}: checks: (such as "tests: npm test"), then restart_agent.`,
    { field: 'agent_name', reason: 'no_checks' },
  );
}

/** For an agent that asks for a run: a role that may not run commands must not gain that by its checks. */
export function checkMayRun(launch: Launch): void {
  if (mayRunCommands(launch)) return;
  throw new FleetError(
    'FORBIDDEN',
    `The agent "${launch.name}" may not run commands without asking, so that only a person can run its checks: fleet check ${launch.name}`,
    { reason: 'only_operator' },
  );
}
