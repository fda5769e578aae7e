import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/errors.ts';
import { nearest } from '../../domain/text.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { readStdin } from '../read-text.ts';
import { openSession } from '../run-operation.ts';

const INPUT_LIMIT = 4 * 1024 * 1024;

export function callCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Do any operation: one JSON document on stdout, the answer or {"error": …}. Without words: the operations there are.',
    )
    .argument('[operation]', 'name of the operation, such as list_agents')
    .argument('[input]', 'its input as a JSON object; "-": from stdin')
    .option('--json', 'as always');
  examples(command, [
    ['fleet call', 'the operations there are'],
    ['fleet call list_agents', 'one without input'],
    [`fleet call create_agent '{"project": "Setup", "task": "Write tests"}'`, 'one with input'],
    ['fleet call start_agent_task - < input.json', 'input from stdin'],
  ]);
  command.action(async (name: string | undefined, text: string | undefined) => {
    cli.json = true;
    const { OPERATIONS, findOperation } = await import('../../operations/table.ts');
    if (name === undefined) return cli.out.json({ operations: OPERATIONS.map(describe) });
    const operation = findOperation(name);
    if (operation === undefined)
      throw unknownOperation(
        name,
        OPERATIONS.map((each) => each.name),
      );
    const input = parseInput(
      text === '-' ? await readStdin(cli, { field: 'input', limit: INPUT_LIMIT, code: 'TOO_LARGE' }) : text,
    );
    const { invoke } = await import('../../operations/invoke.ts');
    await using session = await openSession(cli);
    const { fleet, caller } = session;
    const signal = operation.hints.readOnly ? { signal: cli.untilStopped() } : {};
    cli.out.json(await invoke(operation, input, { fleet, caller, ...signal }));
  });
}

export function parseInput(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError(
      'INVALID_INPUT',
      `The input is not JSON: ${quote(why)}. Give one JSON object.`,
      { field: 'input' },
      cause,
    );
  }
}

export function unknownOperation(name: string, known: readonly string[]): FleetError {
  const hint = nearest(name, known);
  const meant = hint === undefined ? '' : ` Did you mean "${hint}"?`;
  return new FleetError(
    'NOT_FOUND',
    `There is no operation ${quote(name)}.${meant} There are: ${known.join(', ')}.`,
    {
      field: 'operation',
      operations: known,
      ...(hint === undefined ? {} : { nearest: hint }),
    },
  );
}

function describe({ name, title, description, input, scopes, route }: Operation) {
  const inputs = Object.entries(input.shape).map(([key, schema]) => (isOptional(schema) ? `${key}?` : key));
  return { name, title, description, inputs, scopes, route: `${route.method} /api/v1${route.path}` };
}

function isOptional(schema: Operation['input']['shape'][string]): boolean {
  return (
    'safeParse' in schema &&
    typeof schema.safeParse === 'function' &&
    schema.safeParse(undefined).success === true
  );
}
