/** Why a forge did not say; its message is one sentence without a secret. */
export class ForgeProblem extends Error {
  override readonly name = 'ForgeProblem';
}
