import type { Command } from 'commander';
import { FleetError, isErrorCode } from '../../domain/errors.ts';
import { isObject, metaOf, type JsonObject } from '../../orchestrator/json-rpc.ts';
import { RpcError } from '../../orchestrator/rpc-error.ts';
import type { RelayClient } from '../../server/relay-client.ts';
import type { Cli } from '../cli.ts';
import { examples, refuseInsideAgent } from '../command.ts';
import { openToolsOf } from '../open-tools-of.ts';
import { terminalUser } from '../run-operation.ts';
import { parseInput } from './call.ts';

export function toolsCallCommand(command: Command, cli: Cli): void {
  command
    .argument('<tool>', 'name of the tool, as fleet tools shows it')
    .argument('[arguments]', 'its arguments as a JSON object')
    .option('-y, --yes', 'allow a call that asks a person first: you are one')
    .option('--json', 'as always');
  examples(command, [[`fleet tools call files__read '{"path": "README.md"}'`, 'one with arguments']]);
  command.action(async (tool: string, text: string | undefined, options: { readonly yes?: boolean }) => {
    refuseInsideAgent(cli, 'fleet tools call');
    cli.json = true;
    const args = parseInput(text);
    if (!isObject(args)) {
      throw new FleetError('INVALID_INPUT', 'The arguments must be one JSON object.', { field: 'arguments' });
    }
    await using used = await openToolsOf(cli);
    const { opened, tools } = used;
    const { makeToolDoor } = await import('../../server/tool-door.ts');
    const { fleet, home, calls: book } = opened;
    using door = makeToolDoor({ tools, fleet, home, book });
    const client = personAt(cli, options.yes === true);
    const result = await door.relay.call({ name: tool, arguments: args }, client).catch(asFleetError);
    const error = metaOf(result)['fleet-mcp/error'];
    if (isObject(error) && isErrorCode(error['code'])) {
      const details = isObject(error['details']) ? error['details'] : {};
      throw new FleetError(error['code'], String(error['message']), details);
    }
    if (result['isError'] === true) cli.exitCode = 1;
    cli.out.json(result);
  });
}

/** Who says --yes is the person who is asked. */
function personAt(cli: Cli, yes: boolean): RelayClient {
  return {
    caller: terminalUser(cli.env),
    era: 'legacy',
    capabilities: yes ? { elicitation: {} } : {},
    signal: cli.untilStopped(),
    tell: () => {},
    ...(yes ? { ask: allowing } : {}),
  };
}

async function allowing(method: string, params: JsonObject): Promise<JsonObject> {
  const message = params['message'];
  const isOurs =
    method === 'elicitation/create' && typeof message === 'string' && message.startsWith('Allow ');
  return isOurs ? { action: 'accept', content: { allow: true } } : { action: 'cancel' };
}

function asFleetError(thrown: unknown): never {
  if (!(thrown instanceof RpcError)) throw thrown;
  throw new FleetError('SERVICE_UNAVAILABLE', `The MCP server answered with an error: ${thrown.message}`, {
    reason: 'TOOL_EXECUTION_FAILED',
    rpc_code: thrown.code,
    ...(isObject(thrown.data) ? { correlation_id: thrown.data['correlation_id'] } : {}),
  });
}
