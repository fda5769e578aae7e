import type { ConnectionStatus, McpConnection } from '../servers/mcp-connection.ts';

/** How a server is at this moment, as others are shown it. */
export class UpstreamState {
  readonly #onChange: () => void;
  #status: ConnectionStatus = 'disconnected';
  #offered: boolean;
  #error: string | undefined;

  constructor(offered: boolean, onChange: () => void) {
    this.#offered = offered;
    this.#onChange = onChange;
  }

  get shown(): Pick<McpConnection, 'status' | 'offered' | 'error'> {
    const error = this.#error === undefined ? {} : { error: this.#error };
    return { status: this.#status, offered: this.#offered, ...error };
  }

  get error(): string | undefined {
    return this.#error;
  }

  /** True when it is not connected because nobody needs it. */
  get isAsleep(): boolean {
    return this.#status === 'disconnected' && this.#error === undefined;
  }

  become(status: ConnectionStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#onChange();
  }

  ready(): void {
    this.#error = undefined;
    this.#offered = true;
    this.become('ready');
  }

  /** It is brought back at once: clients that read their lists meanwhile keep its tools. */
  lost(reason: string): void {
    this.#error = reason;
    this.become('error');
    this.become('disconnected');
  }

  /** It did not come, or did not come back. */
  failed(reason: string): void {
    this.#offered = false;
    this.lost(reason);
  }

  /** Of one that is connected: its lists were read again, or could not be. */
  listed(problem?: string): void {
    this.#error = problem;
    this.#onChange();
  }
}
