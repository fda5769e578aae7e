import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterClose } from '../relay/after-close.ts';
import { withoutBadParams } from '../mcp/bad-params.ts';

/** Shorter than what clients give a server to end by itself. */
const GRACE_MS = 1_500;

export interface DrainingStdio {
  readonly wire: StdioServerTransport;
  /** Resolves when the client first asks for notifications of the new era. */
  readonly listened: Promise<void>;
  /** To be called once the server has been attached to the wire. */
  watch(): void;
}

/** Stdio that stays open for a moment after stdin has ended, while calls are being answered:
 *  `printf '…' | fleet mcp` gets its answers. */
export function drainingStdio(stdin: Readable, stdout: Writable): DrainingStdio {
  const input = withoutBadParams((answer) => stdout.write(`${JSON.stringify(answer)}\n`));
  const wire = new StdioServerTransport(input, stdout);
  const open = new Set<RequestId>();
  const listened = Promise.withResolvers<void>();
  let late: NodeJS.Timeout | undefined;
  const finish = (): void => {
    clearTimeout(late);
    input.end();
  };
  const settle = (id: RequestId | undefined): void => {
    if (id !== undefined) open.delete(id);
    if (late !== undefined && open.size === 0) finish();
  };
  const end = (): void => {
    if (late !== undefined) return;
    if (input.readableLength + input.writableLength > 0) {
      setImmediate(end);
      return;
    }
    late = setTimeout(finish, GRACE_MS);
    settle(undefined);
  };
  stdin.pipe(input, { end: false });
  // What came last may still be on its way through.
  stdin.once('end', () => setImmediate(end)).once('close', () => setImmediate(end));
  const watch = (): void => {
    // A paused stdin does not keep the process alive.
    afterClose(wire, () => {
      clearTimeout(late);
      stdin.unpipe(input).pause();
    });
    const deliver = wire.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    wire.onmessage = (message) => {
      // A subscription is open until its client goes.
      if (isJSONRPCRequest(message)) {
        if (message.method === 'subscriptions/listen') listened.resolve();
        else open.add(message.id);
      }
      deliver?.(message);
      settle(canceledId(message));
    };
    const send = wire.send.bind(wire);
    wire.send = async (message) => {
      await send(message);
      if (!('method' in message)) settle(message.id);
    };
  };
  return { wire, watch, listened: listened.promise };
}

function canceledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
