import type { Connection } from '../../../src/orchestrator/upstream/connection.ts';
import type { Channel } from '../../../src/wire/channel.ts';
import type { RpcMessage } from '../../../src/wire/json-rpc.ts';
import { RpcPeer, type PeerHandlers } from '../../../src/wire/rpc-peer.ts';

/** A channel whose other end is the test. */
export class MemoryChannel implements Channel {
  readonly cancelsByStream = false;
  readonly sent: RpcMessage[] = [];
  deliver: Channel['deliver'] = () => {};
  unreadable: Channel['unreadable'] = () => {};
  ended: Channel['ended'] = () => {};

  async send(message: RpcMessage): Promise<void> {
    this.sent.push(message);
  }

  async close(): Promise<void> {}

  /** Delivers what the other end says, as it comes from a wire. */
  say(message: object): void {
    this.deliver({ jsonrpc: '2.0', ...message });
  }

  /** As to a server of the old era that was greeted. */
  connect(onRequest: PeerHandlers['onRequest'] = async () => ({})): Connection {
    const greeting = {
      era: 'legacy',
      isSure: true,
      version: '2025-11-25',
      capabilities: {},
      server: {},
      instructions: undefined,
    } as const;
    const peer = new RpcPeer(this, { onRequest, onNotification: () => {}, onClose: () => {} });
    return { peer, greeting, pid: undefined, prepare: (params) => params };
  }
}
