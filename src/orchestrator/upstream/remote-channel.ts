import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Channel, SendOptions } from '../../wire/channel.ts';
import { isRpcMessage, type RpcMessage } from '../../wire/json-rpc.ts';
import { limitedFetch } from './limited-fetch.ts';
import { MESSAGE_LIMIT } from '../../wire/limited-lines.ts';
import { serverLogin } from '../oauth/oauth-provider.ts';
import type { OAuthVault } from '../oauth/oauth-vault.ts';
import { isModern } from '../servers/protocol.ts';
import { AnswerTooLarge } from '../../wire/rpc-error.ts';
import type { Redact } from '../../domain/values/redact.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';

/** A server behind an address: Streamable HTTP, or the older form with its own stream of events. */
export class RemoteChannel implements Channel {
  cancelsByStream = false;
  deliver: Channel['deliver'] = () => {};
  unreadable: Channel['unreadable'] = () => {};
  ended: Channel['ended'] = () => {};
  readonly #transport: Transport;
  #over = false;

  constructor(transport: Transport, redact: Redact) {
    this.#transport = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    transport.onmessage = (message) => {
      const whole: unknown = JSON.parse(redact(JSON.stringify(message)));
      if (isRpcMessage(whole)) this.deliver(whole);
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    transport.onclose = () => this.#end('its connection ended');
  }

  static async open(
    definition: ServerDefinition,
    { redact, vault }: { readonly redact: Redact; readonly vault: OAuthVault },
  ): Promise<RemoteChannel> {
    const { SSEClientTransport, StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/client');
    const url = new URL(definition.url ?? '');
    const opened: { channel?: RemoteChannel } = {};
    const limited = limitedFetch(fetch, (id) =>
      opened.channel?.unreadable(id, new AnswerTooLarge(MESSAGE_LIMIT)),
    );
    const login = await serverLogin(definition, { vault, fetch: limited });
    const options = {
      requestInit: { headers: { ...definition.headers } },
      ...(login === undefined ? {} : { authProvider: login.provider }),
      fetch: login?.fetch ?? limited,
    };
    const transport =
      definition.type === 'sse'
        ? new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    const hide = login === undefined ? redact : (text: string) => login.hide(redact(text));
    const channel = new RemoteChannel(transport, hide);
    opened.channel = channel;
    await transport.start();
    return channel;
  }

  async send(message: RpcMessage, { signal, onStreamEnd }: SendOptions = {}): Promise<void> {
    // The messages are of the shape that the transport wants; it reads nothing that is not there.
    await this.#transport.send(message as unknown as JSONRPCMessage, {
      requestSignal: signal,
      // What is read is given on a turn later than the end is told.
      onRequestStreamEnd: onStreamEnd === undefined ? undefined : () => setImmediate(onStreamEnd),
    });
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
    this.cancelsByStream = isModern(version);
  }

  async close(): Promise<void> {
    this.#over = true;
    await this.#transport.close();
  }

  #end(reason: string): void {
    this.ended(this.#over ? undefined : reason);
  }
}
