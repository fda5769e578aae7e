import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { SIGNATURE_HEADERS, signedText, type SignedParts } from './signature.ts';

const FILE = 'fleet-key.pem';

/** The key of this fleet: requests to runners are signed with it. Made when it is first needed. */
export class FleetKey {
  readonly #private: KeyObject;
  /** What a runner is told, as a parameter of its build. */
  readonly public_text: string;

  constructor(directory: string) {
    this.#private = createPrivateKey(readOrMake(directory));
    this.public_text = String(createPublicKey(this.#private).export({ format: 'jwk' }).x);
  }

  headers(parts: SignedParts): Record<string, string> {
    return {
      [SIGNATURE_HEADERS.id]: parts.id,
      [SIGNATURE_HEADERS.at]: parts.at,
      [SIGNATURE_HEADERS.signature]: sign(null, signedText(parts), this.#private).toString('base64url'),
    };
  }
}

function readOrMake(directory: string): string {
  const file = join(directory, FILE);
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (!isCode(thrown, 'ENOENT')) throw thrown;
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  const made = `${file}.${process.pid}`;
  writeFileAtomic(made, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  try {
    linkSync(made, file);
  } catch (thrown) {
    // Another process made one at the same time: the first stands.
    if (!isCode(thrown, 'EEXIST')) throw thrown;
  } finally {
    rmSync(made, { force: true });
  }
  return readFileSync(file, 'utf8');
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
