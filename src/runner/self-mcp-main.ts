import { randomUUID } from 'node:crypto';
import { FleetError } from '../domain/errors.ts';
import { REPORT_STATES } from '../domain/task.ts';
import { isFields, JsonRpcPeer, methodNotFound, RpcError, type Fields } from './acp/json-rpc.ts';
import { callRunner, RunnerAbsent } from './http-runner-client.ts';

/** An MCP server on stdio by which an agent speaks of itself. One is started beside each agent, so that it is small: it
 *  knows three tools and the way to the runner. */
const TOOLS = [
  {
    name: 'report_task',
    description:
      'Record a milestone, a result or a failure in your history, where people look. state "failure" asks a human for help.',
    inputSchema: schema(
      {
        message: { type: 'string', minLength: 1, maxLength: 65_536 },
        uri: { type: 'string', description: 'http or https: what you made, such as a pull request' },
        state: { type: 'string', enum: REPORT_STATES },
      },
      ['message'],
    ),
  },
  {
    name: 'set_agent_metadata',
    description: 'Set one of your key-values, which others look up; a null value removes it.',
    inputSchema: schema(
      {
        key: { type: 'string', pattern: '^fleet_mcp_' },
        value: { type: ['string', 'null'], maxLength: 4096 },
      },
      ['key', 'value'],
    ),
  },
  {
    name: 'start_agent_task',
    description: 'Queue a task for yourself: it runs when those before it have ended.',
    inputSchema: schema({ task_description: { type: 'string', minLength: 1, maxLength: 65_536 } }, [
      'task_description',
    ]),
  },
];

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const socket = process.env['FLEET_SELF_SOCKET'] ?? '';

const peer = new JsonRpcPeer({
  input: process.stdin,
  output: process.stdout,
  onRequest: answer,
  onNotification: () => {},
  onNoise: () => {},
});
process.stdin.on('end', () => {
  peer.close('its client is gone');
  process.exit(0);
});

async function answer(method: string, params: Fields): Promise<object> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: VERSIONS.find((version) => version === params['protocolVersion']) ?? VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: 'fleet', version: '1' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: TOOLS };
    case 'tools/call':
      return await call(String(params['name']), isFields(params['arguments']) ? params['arguments'] : {});
    default:
      throw methodNotFound(method);
  }
}

async function call(name: string, input: Fields): Promise<object> {
  try {
    const text = JSON.stringify(await perform(name, input));
    return { content: [{ type: 'text', text }] };
  } catch (thrown) {
    if (thrown instanceof RpcError) throw thrown;
    const error =
      thrown instanceof RunnerAbsent
        ? new FleetError('SERVICE_UNAVAILABLE', 'The runner of this agent cannot be reached.')
        : thrown;
    if (!(error instanceof FleetError)) throw error;
    return { content: [{ type: 'text', text: JSON.stringify(error.toBody()) }], isError: true };
  }
}

async function perform(name: string, input: Fields): Promise<unknown> {
  switch (name) {
    case 'report_task':
      return await callRunner({ socket }, 'reports', {
        state: 'working',
        uri: null,
        ...input,
        report_id: randomUUID(),
      });
    case 'set_agent_metadata':
      return await callRunner({ socket }, 'metadata', input);
    case 'start_agent_task':
      return await callRunner({ socket }, 'tasks', {
        task_id: randomUUID(),
        message: input['task_description'],
      });
    default:
      throw new RpcError(-32_602, `There is no tool ${name}.`);
  }
}

function schema(properties: object, required: readonly string[]): object {
  return { type: 'object', properties, required, additionalProperties: false };
}
