import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { FleetError } from '../../../domain/values/errors.ts';
import { SIGNATURE_HEADERS, signedText } from '../model/signature.ts';

/** Clocks of two machines differ; what is older may be a recording. */
const WINDOW_MS = 10 * 60_000;

/** The key that requests to this runner are signed with. */
export function fleetKeyOf(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

export interface Checked {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
  readonly workspace_id: string;
}

/** The id of a request that the fleet signed; UNAUTHORIZED for any other. */
export function checkSignature(
  key: KeyObject,
  { headers, path, body, workspace_id }: Checked,
  now: number,
): string {
  const [id, at, signature] = [SIGNATURE_HEADERS.id, SIGNATURE_HEADERS.at, SIGNATURE_HEADERS.signature].map(
    (name) => String(headers[name] ?? ''),
  );
  if (id === undefined || at === undefined || signature === undefined || id === '' || signature === '')
    throw refused('it is not signed');
  const text = signedText({ workspace_id, id, at, path, body });
  if (!verify(null, text, key, Buffer.from(signature, 'base64url'))) {
    throw refused('another fleet signed it; restart_agent makes this one its fleet');
  }
  const age = now - Date.parse(at);
  if (Math.abs(age) <= WINDOW_MS) return id;
  throw refused(`its time is ${Math.round(age / 1000)} s off: the clocks of the two machines differ`);
}

function refused(why: string): FleetError {
  return new FleetError('UNAUTHORIZED', `This runner does not accept the request: ${why}.`, {
    reason: 'runner_signature',
  });
}
