import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Approval } from '../../src/domain/approvals/approval.ts';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import { until, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/acp-agent.mjs', import.meta.url));

/** A real fleet whose agents are the small scripted one that speaks ACP. */
export function acpFleet(
  roles: Readonly<Record<string, object>> = {},
  settings: Readonly<Record<string, unknown>> = {},
): LocalFleet {
  return localFleet((config) => {
    const sessions = join(config.projects['Setup']?.['repository'] as string, '..', 'sessions');
    mkdirSync(sessions);
    const role = {
      agent: 'acp',
      command: [process.execPath, PROGRAM],
      env: { SCRIPTED_SESSIONS: sessions },
      retry: { wait: '1s', tries: 2 },
    };
    config.roles['acp'] = role;
    for (const [name, extra] of Object.entries(roles)) config.roles[name] = { ...role, ...extra };
    for (const project of Object.values(config.projects))
      Object.assign(project, { default_role: 'acp', ...settings });
  });
}

export function steps(...each: readonly object[]): string {
  return `SCRIPT:${JSON.stringify(each)}`;
}

/** The first question of an agent, once there is one. */
export async function questionOf(ask: Ask, agent_name: string): Promise<Approval> {
  const [question] = await until(
    async () => (await ask('list_approvals', { agent_name }))['approvals'] as Approval[],
    (open) => open.length > 0,
  );
  if (question === undefined) throw new Error(`${agent_name} asks nothing`);
  return question;
}

export interface LogLine {
  readonly level: string;
  readonly type: string;
  readonly message: string;
}

/** Oldest first. */
export async function logOf(ask: Ask, agent_name: string): Promise<readonly LogLine[]> {
  const { logs } = await ask('show_agent_log', { agent_name, page_size: 100 });
  return (logs as LogLine[]).toReversed();
}

/** What an agent was told, oldest first, from its session's own file. */
export function promptsOf({ home, directory }: LocalFleet, workspace: string): readonly string[] {
  using reader = JournalReader.open(join(home, 'agents', workspace, 'journal.db'));
  const opened = reader?.facts().find(({ body }) => body.kind === 'session.opened')?.body;
  const id = opened?.kind === 'session.opened' ? opened.session_id : '';
  return readFileSync(join(directory, 'sessions', `${id}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { prompt, before } = JSON.parse(line) as { prompt?: string; before?: string };
      return prompt === undefined ? [] : [`${before ?? ''}${prompt}`];
    });
}
