import { realpathSync } from 'node:fs';
import { quote } from '../domain/values/errors.ts';
import { isWithin } from '../platform/processes/world.ts';
import { homeOf } from './resolve-path.ts';

/** Why agents may not be given a path to write to; undefined when they may. */
export function writeProblem(path: string, env: NodeJS.ProcessEnv): string | undefined {
  const [real, userHome] = [realOf(path), realOf(homeOf(env))];
  if (!isWithin(real, userHome)) return undefined;
  const what = real === userHome ? 'is your home directory' : 'contains your home directory';
  return `${quote(path)} ${what}: programs that an agent writes there would run as you. Name a directory inside it`;
}

/** Where a path leads to; itself when it does not exist. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
