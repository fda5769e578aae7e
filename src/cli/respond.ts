import type { Command } from 'commander';
import type { Decision } from '../domain/approval.ts';
import { FleetError, quote } from '../domain/errors.ts';
import type { Cli } from './cli.ts';
import { jsonOption } from './command.ts';
import { printable } from './printable.ts';
import { openSession, type Session } from './run-operation.ts';

interface RespondOptions {
  readonly json?: boolean;
  readonly option?: string;
  readonly answer?: string;
  readonly note?: string;
}

/** A command that answers one question: by its id, or by the name of an agent that asks just one. */
export function respondCommand(command: Command, cli: Cli, decision: Decision): Command {
  command
    .argument('<id>', 'of the question, as fleet approvals shows it; or the name of an agent that asks one')
    .option('--option <id>', 'choose one of the options that it offers')
    .option('--note <text>', 'why: the agent is told');
  if (decision === 'allow') command.option('--answer <text>', 'what you answer to a question');
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
  if (only === undefined) return wanted;
  // Whoever named the agent meant what it asked then, and has not seen what it asks since.
  const known = asked.filter(({ asked_at }) => Date.parse(asked_at) <= performance.timeOrigin);
  if (known.length === 0) {
    throw new FleetError(
      'CONFLICT',
      `The agent ${quote(wanted)} asked this only after the command had begun: ${quote(only.tool)}. See it with fleet approvals ${wanted} --full, then answer ${only.id}.`,
      { field: 'id', reason: 'asked_since' },
    );
  }
  if (asked.length === 1) return only.id;
  throw new FleetError(
    'CONFLICT',
    `The agent ${quote(wanted)} asks ${asked.length} questions: say which one, ${asked.map(({ id }) => id).join(' or ')}.`,
    { field: 'id' },
  );
}
