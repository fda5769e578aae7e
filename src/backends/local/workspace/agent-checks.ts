import type { ResolvedRole } from '../../../config/built-in-roles.ts';
import type { ProjectConfig } from '../../../config/config-schema.ts';
import {
  DEFAULT_CHECK_TIMEOUT_MS,
  joinChecks,
  type AgentChecks,
  type Check,
} from '../../../domain/review/checks.ts';
import { specChecks } from '../../../domain/spec.ts';
import { agentEnvironment } from './environment.ts';

export interface ChecksOf {
  readonly project: Pick<ProjectConfig, 'checks'>;
  /** Null or empty without one. */
  readonly spec: string | null;
  /** Undefined for a role that is gone. */
  readonly role: Pick<ResolvedRole, 'check_retries'> | undefined;
  /** The environment of the agent's creator. */
  readonly starter: NodeJS.ProcessEnv;
}

/** The checks that an agent is made with; undefined when it has none. */
export function agentChecks({ project, spec, role, starter }: ChecksOf): AgentChecks | undefined {
  const all = joinChecks(projectChecks(project), checksOfSpec(spec));
  if (all.length === 0) return undefined;
  return { all, env: checkEnvironment(starter), retries: role?.check_retries ?? 0 };
}

/** The checks that a spec has; none without one. */
export function checksOfSpec(spec: string | null): readonly Check[] {
  const given = spec === null || spec === '' ? [] : specChecks(spec);
  return given.map(({ name, run }) => ({ name, command: shell(run), timeout_ms: DEFAULT_CHECK_TIMEOUT_MS }));
}

/** The checks that the configuration has for a project. */
export function projectChecks({ checks = {} }: Pick<ProjectConfig, 'checks'>): readonly Check[] {
  return Object.entries(checks).map(([name, check]) => {
    const { run, timeout } =
      typeof check === 'string' ? { run: check, timeout: DEFAULT_CHECK_TIMEOUT_MS } : check;
    return { name, command: typeof run === 'string' ? shell(run) : run, timeout_ms: timeout };
  });
}

/** The environment of checks: what every agent gets from its creator, and nothing of a role. */
export function checkEnvironment(starter: NodeJS.ProcessEnv): Record<string, string> {
  return agentEnvironment({ agent: 'command', starter, env: {}, env_from: [], sandboxed: true });
}

/** The set-up of a project as a program with its arguments. */
export function setupOf({ setup }: Pick<ProjectConfig, 'setup'>): readonly string[] | null {
  return typeof setup === 'string' ? shell(setup) : (setup ?? null);
}

function shell(line: string): readonly string[] {
  return ['sh', '-c', line];
}
