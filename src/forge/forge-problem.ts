/** Why a forge did not answer a request, or refused it; its message is one sentence without a secret. */
export class ForgeProblem extends Error {
  override readonly name = 'ForgeProblem';
  /** The HTTP status of a refusal; undefined when there was no answer that could be read. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}
