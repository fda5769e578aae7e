import { randomUUID } from 'node:crypto';
import { FleetError } from '../domain/values/errors.ts';
import { isObject, type JsonObject } from '../wire/json-rpc.ts';
import { methodNotFound, RpcError } from '../wire/rpc-error.ts';
import { RpcPeer } from '../wire/rpc-peer.ts';
import { StreamChannel } from '../wire/stream-channel.ts';
import { callRunner, RunnerAbsent } from './api/http-runner-client.ts';
import schemas from './self-schemas.json' with { type: 'json' };

/** An MCP server on stdio by which an agent speaks of itself. One is started beside each agent, so that it is small: it
 *  knows three tools and the way to the runner. */
const TOOLS = [
  {
    name: 'report_task',
    description:
      'Record a milestone, a result or a failure in your history, which people read. state "failure" asks a human for help.',
    inputSchema: schemas.report_task,
  },
  {
    name: 'set_agent_metadata',
    description: 'Set one of your key-values, which others can read; a null value removes it.',
    inputSchema: schemas.set_agent_metadata,
  },
  {
    name: 'start_agent_task',
    description: 'Queue a task for yourself: it runs after the tasks before it.',
    inputSchema: schemas.start_agent_task,
  },
];

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const socket = process.env['FLEET_SELF_SOCKET'] ?? '';

const peer = new RpcPeer(new StreamChannel({ input: process.stdin, output: process.stdout }), {
  onRequest: ({ method, params }) => answer(method, params),
  onNotification: () => {},
  onClose: () => {},
});
process.stdin.on('end', () => void peer.close().then(() => process.exit(0)));

async function answer(method: string, params: JsonObject): Promise<JsonObject> {
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
      return await call(String(params['name']), isObject(params['arguments']) ? params['arguments'] : {});
    default:
      throw methodNotFound(method);
  }
}

async function call(name: string, input: JsonObject): Promise<JsonObject> {
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

async function perform(name: string, input: JsonObject): Promise<unknown> {
  switch (name) {
    case 'report_task':
      return await callRunner({ socket }, 'reports', {
        uri: null,
        ...input,
        state: input['state'] ?? 'working',
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
