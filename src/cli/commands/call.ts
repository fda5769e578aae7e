import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { readStdin } from '../calls/read-text.ts';
import { openSession } from '../calls/run-operation.ts';

const INPUT_LIMIT = 4 * 1024 * 1024;

export function callCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Call an operation. Prints one JSON document: the answer, or {"error": …}. Without arguments: list the operations.',
    )
    .argument('[operation]', 'name of the operation, such as list_agents')
    .argument('[input]', 'its input as a JSON object; "-" reads it from stdin')
    .option('--json', 'has no effect: the output is always JSON');
  examples(command, [
    ['fleet call', 'list the operations'],
    ['fleet call list_agents', 'without input'],
    [`fleet call create_agent '{"project": "Setup", "task": "Write tests"}'`, 'with input'],
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
    await using session = await openSession(cli);
    const signal = operation.hints.readOnly ? { signal: cli.untilStopped() } : {};
    cli.out.json(await session.invoke(operation, input, signal));
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
