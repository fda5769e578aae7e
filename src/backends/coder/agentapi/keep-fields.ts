import { isDeepStrictEqual } from 'node:util';
import { listedFields } from '../../../domain/metadata/taskfile-metadata.ts';
import { runInTerminal } from '../client/run-in-terminal.ts';
import type { CoderContext } from '../model/coder-context.ts';
import type { MirroredAgent } from '../model/mirror.ts';
import { terminalFields } from './terminal-fields.ts';

const LIMIT_MS = 5_000;
const MAX_WAIT_MS = 2_000;

/** Makes what the Taskfile of an agent says new, over the terminal of its workspace. */
export async function keepFields(
  { client, mirror, clock }: CoderContext,
  agent: MirroredAgent,
  agentId: string,
): Promise<void> {
  const fields = await terminalFields((script) =>
    runInTerminal(client, agentId, { script, limit_ms: LIMIT_MS }),
  );
  const before = mirror.read(agent.workspace_id, (reader) => reader.fields()) ?? {};
  const same = isDeepStrictEqual(before, fields ?? {});
  if (fields === undefined && same) return;
  const now = new Date(clock.now().at).toISOString();
  await mirror.write(agent, {
    lock_wait_ms: MAX_WAIT_MS,
    work: (journal) => {
      const changed_at = same ? journal.listed().changed_at : now;
      const collected_at = fields === undefined ? null : now;
      journal.setFields(
        same ? null : (fields ?? {}),
        listedFields(fields ?? {}, { collected_at, changed_at }),
      );
    },
  });
}
