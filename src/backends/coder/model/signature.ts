import { createHash } from 'node:crypto';

/** The headers by which a request shows that the fleet made it. */
export const SIGNATURE_HEADERS = {
  id: 'x-fleet-request',
  at: 'x-fleet-time',
  signature: 'x-fleet-signature',
};

export interface SignedParts {
  readonly workspace_id: string;
  /** Names this request, also when it is sent again. */
  readonly id: string;
  readonly at: string;
  readonly path: string;
  readonly body: string;
}

/** What is signed: nothing of it can be changed, and it is good for no other workspace. */
export function signedText({ workspace_id, id, at, path, body }: SignedParts): Buffer {
  const hash = createHash('sha256').update(body).digest('hex');
  return Buffer.from(['fleet-runner', workspace_id, id, at, path, hash].join('\n'));
}
