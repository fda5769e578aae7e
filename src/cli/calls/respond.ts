import type { Command } from 'commander';
import type { Decision } from '../../domain/approvals/approval.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { jsonOption } from './command.ts';
import { printable } from '../output/printable.ts';
import { openSession, type Session } from './run-operation.ts';

interface RespondOptions {
  readonly json?: boolean;
  readonly option?: string;
  readonly answer?: string;
  readonly note?: string;
}

/** A command that answers one approval: by its id, or by the name of an agent that has one pending. */
export function respondCommand(command: Command, cli: Cli, decision: Decision): Command {
  command
    .argument(
      '<id>',
      'id of the approval, see fleet approvals; or the name of an agent with one pending approval',
    )
    .option('--option <id>', 'choose an option that fleet approvals lists')
    .option('--note <text>', 'a reason; the agent gets it');
  if (decision === 'allow')
    command.option('--answer <text>', 'the answer to a question; a JSON object for one with several fields');
  return jsonOption(command).action(async (wanted: string, options: RespondOptions) => {
    const { json, ...given } = options;
    await using session = await openSession(cli);
    const id = await idOf(session, wanted);
    const answer = await session.call('respond_approval', { id, decision, ...given });
    if (json === true) return cli.out.json(answer);
    cli.out.line(printable(`${decision === 'allow' ? 'Allowed' : 'Denied'} ${answer.id}`));
  });
}

async function idOf(session: Session, wanted: string): Promise<string> {
  const { approvals } = await session.call('list_approvals', {});
  if (approvals.some(({ id }) => id === wanted)) return wanted;
  const asked = approvals.filter(({ agent_name }) => agent_name?.toLowerCase() === wanted.toLowerCase());
  const [only] = asked;
  if (only === undefined) return await idOfNone(session, wanted);
  // The user named the agent for what it asked before the command started, and has not seen later requests.
  const known = asked.filter(({ asked_at }) => Date.parse(asked_at) <= performance.timeOrigin);
  if (known.length === 0) {
    throw new FleetError(
      'CONFLICT',
      `The agent ${quote(wanted)} asked for this only after the command had started: ${quote(only.tool)}. Read it with fleet approvals ${wanted}, then answer ${only.id}.`,
      { field: 'id', reason: 'asked_since' },
    );
  }
  if (asked.length === 1) return only.id;
  throw new FleetError(
    'CONFLICT',
    `The agent ${quote(wanted)} has ${asked.length} pending approvals. Name one: ${asked.map(({ id }) => id).join(' or ')}.`,
    { field: 'id' },
  );
}

/** A name without a pending approval is refused as a name; any other text is taken as an id. */
async function idOfNone(session: Session, wanted: string): Promise<string> {
  const { agents } = await session.call('list_agents', {});
  const agent = agents.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (agent === undefined) return wanted;
  throw new FleetError('NOT_FOUND', `The agent ${quote(agent.name)} has no pending approval.`, {
    field: 'id',
  });
}
