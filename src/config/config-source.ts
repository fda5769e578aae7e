import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FleetError, quote } from '../domain/values/errors.ts';
import { configSchema, type FleetConfig } from './config-schema.ts';
import type { ConfigLocation } from './find-config.ts';
import { isFile, namedFiles } from './named-files.ts';
import { parseConfig } from './parse-config.ts';
import { readTextFile, stampFile, type Stamp } from './read-text-file.ts';
import { trustCommand } from './trust.ts';

export interface LoadedConfig {
  /** Null when there is no file: then nothing is configured. */
  readonly path: string | null;
  readonly directory: string;
  /** Of the file and of the files that it names. */
  readonly hash: string;
  /** The files that it names, whose content is part of what is trusted. */
  readonly files: readonly string[];
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
  /** The hash of the file alone. */
  readonly own: string;
  /** Of the configuration and the files that it names. */
  readonly stamps: ReadonlyMap<string, Stamp | undefined>;
  /** Where it names files that do not exist. */
  readonly absent: readonly string[];
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
    `The configuration ${quote(path)} can start programs and is not trusted in its current form, with the files that it names. Read them, then run: ${command}`,
    { reason: 'config_not_trusted', file: path, command },
  );
}

/** What trust stands on: the same bytes have the same hash. */
export function hashConfig(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function noFile(): LoadedConfig {
  const config = { ...configSchema.parse({ version: 1 }), projects: {}, mcpServers: {} };
  const hash = hashConfig('');
  return { path: null, directory: process.cwd(), hash, files: [], trusted: true, config, warnings: [] };
}

function isFresh({ loaded, stamps, absent, read_at }: Reading, path: string): boolean {
  if (loaded.path !== path || absent.some(isFile)) return false;
  return [...stamps].every(([file, stamp]) => {
    const now = stampFile(file);
    if (now === undefined || stamp === undefined) return now === stamp;
    return now.identity === stamp.identity && read_at - now.changed_ms > YOUNG_MS;
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
  const own = hashConfig(bytes);
  const namesFiles = last === undefined || last.stamps.size > 1 || last.absent.length > 0;
  if (!namesFiles && last.loaded.path === path && last.own === own) {
    return { ...last, stamps: new Map([[path, stamp]]), read_at };
  }
  const { config, warnings } = parseConfig({ text, path, env });
  const directory = dirname(path);
  const { files, absent, index } = namedFiles(config, directory);
  const watched = index === undefined ? files : [...files, index];
  const stamps = new Map([[path, stamp], ...watched.map((each) => [each, stampFile(each)] as const)]);
  const hash = hashWithFiles(own, files);
  return { loaded: { path, directory, hash, files, config, warnings }, own, stamps, absent, read_at };
}

/** A configuration that names no files has the hash of its own bytes. */
function hashWithFiles(own: string, files: readonly string[]): string {
  if (files.length === 0) return own;
  return hashConfig(JSON.stringify([own, ...files.map((file) => [file, hashFile(file)])]));
}

/** Null for a file that cannot be read. */
function hashFile(file: string): string | null {
  try {
    return hashConfig(readFileSync(file));
  } catch {
    return null;
  }
}
