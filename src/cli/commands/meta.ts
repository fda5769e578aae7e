import type { Command } from 'commander';
import type { AgentView } from '../../domain/agent.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, usageError } from '../calls/command.ts';
import { printable, printableLine } from '../output/printable.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import { selfName } from '../calls/self-name.ts';
import { fields } from '../output/table.ts';
import { taskfilePairs } from './show.ts';

export type MetaRequest =
  | { readonly act: 'show'; readonly name: string | undefined }
  | {
      readonly act: 'set';
      readonly name: string | undefined;
      readonly key: string;
      readonly value: string | null;
    };

export function metaCommand(command: Command, cli: Cli): void {
  command
    .description("Show an agent's metadata; set or remove one of its fleet_mcp_… values.")
    .usage(
      '[options] NAME\n       fleet meta set [options] [NAME] KEY VALUE\n       fleet meta unset [options] [NAME] KEY',
    )
    .argument(
      '[words...]',
      'name of the agent; or set or unset with their arguments (inside an agent without NAME)',
    );
  examples(jsonOption(command), [
    ['fleet meta sony', 'all metadata of sony'],
    ['fleet meta set sony fleet_mcp_pull_request_url https://…', 'the pull request of its work'],
    ['fleet meta unset sony fleet_mcp_note', 'remove a value'],
    ['fleet meta set fleet_mcp_step tests', 'inside an agent, about itself'],
  ]);
  command.action(async (words: readonly string[], options: { readonly json?: boolean }) => {
    const request = parseMeta(words, cli.insideAgent);
    if (request === undefined) throw usageError('The arguments are not valid', command);
    await using session = await openSession(cli);
    const name = request.name ?? selfName(session, 'fleet meta without a name');
    if (request.act === 'show') return await show(cli, session, { name, json: options.json === true });
    const { key, value } = request;
    const answer = await session.call('set_agent_metadata', { agent_name: name, key, value });
    if (options.json === true) cli.out.json(answer);
    else cli.out.line(`${answer.agent_name}: ${printableLine(key)} ${value === null ? 'removed' : 'set'}`);
  });
}

/** Which of the forms the words are; inside an agent the name may be left out. */
export function parseMeta(words: readonly string[], inside: boolean): MetaRequest | undefined {
  const [act, ...rest] = words;
  if (act === 'set' && rest.length > 0) return parseSet(rest, inside);
  if (act === 'unset' && rest.length > 0) return parseUnset(rest, inside);
  if (words.length === 0) return inside ? { act: 'show', name: undefined } : undefined;
  return words.length === 1 ? { act: 'show', name: act } : undefined;
}

function parseSet(words: readonly string[], inside: boolean): MetaRequest | undefined {
  const [key, value] = words.slice(-2);
  if (key === undefined || value === undefined) return undefined;
  if (words.length === 3) return { act: 'set', name: words[0], key, value };
  return words.length === 2 && inside ? { act: 'set', name: undefined, key, value } : undefined;
}

function parseUnset(words: readonly string[], inside: boolean): MetaRequest | undefined {
  const key = words.at(-1);
  if (key === undefined) return undefined;
  if (words.length === 2) return { act: 'set', name: words[0], key, value: null };
  return words.length === 1 && inside ? { act: 'set', name: undefined, key, value: null } : undefined;
}

async function show(
  cli: Cli,
  session: Session,
  { name, json }: { name: string; json: boolean },
): Promise<void> {
  const { agent } = await session.call('show_agent', { agent_name: name });
  if (json) {
    const { metadata, fleet_metadata } = agent;
    return cli.out.json({ agent_name: agent.name, metadata, fleet_metadata });
  }
  cli.out.write(metadataText(agent));
}

export function metadataText({
  fleet_metadata,
  metadata,
}: Pick<AgentView, 'fleet_metadata' | 'metadata'>): string {
  const all = [...Object.entries(fleet_metadata), ...taskfilePairs(metadata, (value) => value)];
  return fields(all.map(([key, value]) => [printableLine(key), printable(value)]));
}
