import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { FleetError, quote } from '../domain/errors.ts';
import { configSchema, type FleetConfig } from './config-schema.ts';
import type { ConfigLocation } from './find-config.ts';
import { parseConfig } from './parse-config.ts';
import { readTextFile, stampFile, type Stamp } from './read-text-file.ts';
import { trustCommand } from './trust.ts';

export interface LoadedConfig {
  /** Null when there is no file: then nothing is configured. */
  readonly path: string | null;
  readonly directory: string;
  readonly hash: string;
  readonly trusted: boolean;
  readonly config: FleetConfig;
  readonly warnings: readonly string[];
}

export interface ConfigSourceOptions {
  /** A function is asked again each time, so that a file that appears later takes hold as well. */
  readonly location: ConfigLocation | undefined | (() => ConfigLocation | undefined);
  readonly env: NodeJS.ProcessEnv;
  isTrusted(path: string, hash: string): boolean;
}

interface Reading {
  readonly loaded: Omit<LoadedConfig, 'trusted'> & { readonly path: string };
  /** Of the configuration and the files that it was made from. */
  readonly stamps: ReadonlyMap<string, Stamp | undefined>;
  readonly read_at: number;
}

/** A file may change twice within one tick of its clock: a stamp this young proves nothing. */
const YOUNG_MS = 2000;

/** The configuration as it is now: a changed file takes hold at the next look. */
export class ConfigSource {
  readonly #find: () => ConfigLocation | undefined;
  readonly #env: NodeJS.ProcessEnv;
  readonly #isTrusted: (path: string, hash: string) => boolean;
  #last: Reading | undefined;

  constructor({ location, env, isTrusted }: ConfigSourceOptions) {
    this.#find = typeof location === 'function' ? location : () => location;
    this.#env = env;
    this.#isTrusted = isTrusted;
  }

  current(): LoadedConfig {
    const location = this.#find();
    if (location === undefined) return noFile();
    if (this.#last === undefined || !isFresh(this.#last, location.path)) {
      this.#last = read(location.path, { env: this.#env, last: this.#last });
    }
    const { loaded } = this.#last;
    return { ...loaded, trusted: location.named || this.#isTrusted(loaded.path, loaded.hash) };
  }
}

/** Before anything that the configuration says is started. */
export function requireTrust({ path, trusted }: Pick<LoadedConfig, 'path' | 'trusted'>): void {
  if (trusted || path === null) return;
  const command = trustCommand(path);
  throw new FleetError(
    'FORBIDDEN',
    `The configuration ${quote(path)} lay in this directory, can start programs, and is not trusted as it is now. Read it, then type: ${command}`,
    { reason: 'config_not_trusted', file: path, command },
  );
}

/** What trust stands on: the same bytes have the same hash. */
export function hashConfig(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function noFile(): LoadedConfig {
  const config = { ...configSchema.parse({ version: 1 }), projects: {}, mcpServers: {} };
  return { path: null, directory: process.cwd(), hash: hashConfig(''), trusted: true, config, warnings: [] };
}

function isFresh({ loaded, stamps, read_at }: Reading, path: string): boolean {
  if (loaded.path !== path) return false;
  return [...stamps].every(([file, stamp]) => {
    const now = stampFile(file);
    return now !== undefined && now.identity === stamp?.identity && read_at - now.changed_ms > YOUNG_MS;
  });
}

function read(path: string, { env, last }: { env: NodeJS.ProcessEnv; last: Reading | undefined }): Reading {
  const read_at = Date.now();
  const file = readTextFile(path);
  if ('problem' in file) {
    throw new FleetError('INVALID_INPUT', `The configuration ${quote(path)} ${file.problem}.`, {
      file: path,
    });
  }
  const { text, bytes, stamp } = file;
  const hash = hashConfig(bytes);
  if (
    last !== undefined &&
    last.loaded.path === path &&
    last.loaded.hash === hash &&
    last.stamps.size === 1
  ) {
    return { ...last, stamps: new Map([[path, stamp]]), read_at };
  }
  const { config, warnings, files } = parseConfig({ text, path, env });
  const stamps = new Map([[path, stamp], ...files.map((each) => [each, stampFile(each)] as const)]);
  return { loaded: { path, directory: dirname(path), hash, config, warnings }, stamps, read_at };
}
