import type { Command } from 'commander';
import { FleetError, isErrorCode } from '../../domain/values/errors.ts';
import { isObject, metaOf, type JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import type { RelayClient } from '../../orchestrator/calls/relay-client.ts';
import type { Cli } from '../output/cli.ts';
import { examples, refuseInsideAgent } from '../calls/command.ts';
import { openToolsOf } from '../calls/open-tools-of.ts';
import { terminalUser } from '../calls/run-operation.ts';
import { parseInput } from './call.ts';

export function toolsCallCommand(command: Command, cli: Cli): void {
  command
    .argument('<tool>', 'name of the tool, as fleet tools shows it')
    .argument('[arguments]', 'its arguments as a JSON object')
    .option('-y, --yes', 'approve a call that needs an approval')
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
    const { makeToolService } = await import('../../orchestrator/calls/tool-service.ts');
    const { fleet, home, calls: approvals } = opened;
    using service = makeToolService({ tools, fleet, home, approvals });
    const client = personAt(cli, options.yes === true);
    const result = await service.relay.call({ name: tool, arguments: args }, client).catch(asFleetError);
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
