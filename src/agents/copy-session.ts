import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodingAgent } from './catalogue.ts';

export interface SessionCopy {
  readonly session: string;
  /** The environment that the agent had when the session was made. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that is this agent's own. */
  readonly state: string;
}

/** Copies the files of one session from where the user's own are to the agent's own directory. */
export function copySession({ login, sessions, state: places }: CodingAgent, request: SessionCopy): void {
  const variable = login?.directory.variable;
  const place = variable === undefined ? undefined : places[variable];
  if (sessions === null || login === null || variable === undefined || place === undefined) return;
  const { env, session, state } = request;
  const before = env[variable] || join(env['HOME'] ?? '', login.directory.otherwise);
  const from = join(before, sessions);
  for (const file of filesNaming(from, session)) {
    const to = join(state, place, sessions, file);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    copyFileSync(join(from, file), to);
  }
}

function filesNaming(directory: string, session: string): readonly string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.includes(session))
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
  } catch {
    // Nothing was ever kept there.
    return [];
  }
}
