import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import {
  client,
  methods,
  ndJsonStream,
  type ClientConnection,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import type { Adapter } from '../../src/agents/adapter-of.ts';

export interface AcpClient extends AsyncDisposable {
  readonly agent: ClientConnection['agent'];
  readonly updates: readonly SessionNotification['update'][];
  readonly asked: readonly RequestPermissionRequest[];
  kill(): Promise<void>;
}

/** A real adapter, spoken to by the protocol's own library; `allow` answers its questions. */
export function startAcpClient(
  { command: [file = '', ...args] }: Adapter,
  env: Record<string, string>,
  allow: (request: RequestPermissionRequest) => boolean = () => true,
): AcpClient {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const updates: SessionNotification['update'][] = [];
  const asked: RequestPermissionRequest[] = [];
  const connection = client({ name: 'fleet-test' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return answerOf(params, allow(params));
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const ended = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { agent: connection.agent, updates, asked, kill, [Symbol.asyncDispose]: kill };
}

function answerOf({ options }: RequestPermissionRequest, allowed: boolean): RequestPermissionResponse {
  const option = options.find(({ kind }) => kind === (allowed ? 'allow_once' : 'reject_once'));
  return option === undefined
    ? { outcome: { outcome: 'cancelled' } }
    : { outcome: { outcome: 'selected', optionId: option.optionId } };
}
