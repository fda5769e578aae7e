import { existsSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ResolvedRole } from '../../config/built-in-roles.ts';
import { homeOf } from '../../config/resolve-path.ts';
import { isWithin } from '../../platform/processes/world.ts';
import type { Check } from '../../domain/check.ts';

/** Where programs of the user keep what they run later, from the home directory on. */
const CACHES = ['.cache', '.npm', '.cargo', '.rustup', 'go', '.m2', '.gradle', '.pyenv', '.nvm', '.bun'];

/** Paths that a role lets its agents write to, and by which they could do more than write. */
export function writeChecks(role: ResolvedRole, env: NodeJS.ProcessEnv): readonly Check[] {
  return role.write.flatMap((path) => {
    const problem = problemOf(path, env);
    return problem === undefined ? [] : [{ name: `role ${role.name}`, state: 'warn' as const, ...problem }];
  });
}

function problemOf(path: string, env: NodeJS.ProcessEnv): Pick<Check, 'message' | 'fix'> | undefined {
  if (!existsSync(path))
    return {
      message: `write has ${path}, which does not exist: agents cannot write to it`,
      fix: `mkdir -p ${path}`,
    };
  const programs = (env['PATH'] ?? '').split(delimiter).filter((each) => isAbsolute(each));
  const onPath = programs.find((each) => overlap(path, each));
  if (onPath !== undefined) {
    return {
      message: `write has ${path}, so agents can replace programs of ${onPath}, which is on your PATH: you would run them`,
      fix: 'name a directory that holds no programs',
    };
  }
  const cache = CACHES.map((each) => join(homeOf(env), each)).find((each) => overlap(path, each));
  if (cache === undefined) return undefined;
  return {
    message: `write has ${path}, so agents can change packages in ${cache} that your own builds use`,
    fix: 'leave it out: agents have caches of their own',
  };
}

function overlap(path: string, other: string): boolean {
  if (!existsSync(other)) return false;
  const [one, two] = [realpathSync(path), realpathSync(other)];
  return isWithin(one, two) || isWithin(two, one);
}
