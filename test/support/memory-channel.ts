import type { Channel } from '../../src/wire/channel.ts';
import type { RpcMessage } from '../../src/wire/json-rpc.ts';

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
}
