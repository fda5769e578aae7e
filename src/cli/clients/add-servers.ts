import type { Document } from 'yaml';
import { parseConfig } from '../../config/parse-config.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { FoundServer } from './servers-of-clients.ts';

/** The longest that fleet.yaml lets a server take to connect. */
const LONGEST_MS = 30_000;

export interface LeftOut {
  readonly name: string;
  readonly from: string;
  readonly reason: string;
}

export interface AddedServers {
  readonly added: readonly FoundServer[];
  readonly leftOut: readonly LeftOut[];
}

interface Place {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Adds servers to a configuration that is valid, each only when it still is then. */
export function addServers(document: Document, found: readonly FoundServer[], place: Place): AddedServers {
  parseConfig({ text: document.toString(), ...place });
  const added: FoundServer[] = [];
  const leftOut: LeftOut[] = [];
  for (const server of found) {
    const { name, from, entry } = server;
    const reason = add(document, server, place);
    if (reason === undefined) added.push(server);
    else leftOut.push({ name, from, reason });
    if (reason !== undefined || !isObject(entry) || !hasOtherTimeout(entry)) continue;
    const alone = `its timeout ${quote(entry['timeout'])} alone: here that is 1 to ${LONGEST_MS} milliseconds to connect.`;
    leftOut.push({ name, from, reason: alone });
  }
  return { added, leftOut };
}

/** Undefined, or why it cannot be added. */
function add(document: Document, { name, entry }: FoundServer, place: Place): string | undefined {
  if (!isObject(entry)) return `it is ${quote(entry)}, and no object.`;
  document.setIn(['mcpServers', name], document.createNode(ours(entry)));
  const problem = problemOf(document, name, place);
  if (problem !== undefined) document.deleteIn(['mcpServers', name]);
  return problem;
}

function problemOf(document: Document, name: string, place: Place): string | undefined {
  try {
    const { config } = parseConfig({ text: document.toString(), ...place });
    // Some names mean something else to an object, which loses them.
    return Object.hasOwn(config.mcpServers, name) ? undefined : `${quote(name)} cannot be a name.`;
  } catch (thrown) {
    if (!(thrown instanceof FleetError)) throw thrown;
    const [first = ''] = thrown.message.split('\n');
    return first.replace(`${place.path}:`, '').replace(/^\d+:\d+: /, '');
  }
}

/** Numbers and switches among texts are texts; a limit that is not one of ours is not taken. */
function ours(entry: JsonObject): JsonObject {
  const { env, headers, args, timeout: _timeout, ...rest } = entry;
  return {
    ...rest,
    ...(args === undefined ? {} : { args: Array.isArray(args) ? args.map(asText) : args }),
    ...(env === undefined ? {} : { env: textsIn(env) }),
    ...(headers === undefined ? {} : { headers: textsIn(headers) }),
    ...(entry['timeout'] === undefined || hasOtherTimeout(entry) ? {} : { timeout: entry['timeout'] }),
  };
}

function hasOtherTimeout({ timeout }: JsonObject): boolean {
  if (timeout === undefined) return false;
  return !(Number.isInteger(timeout) && Number(timeout) >= 1 && Number(timeout) <= LONGEST_MS);
}

function textsIn(values: unknown): unknown {
  if (!isObject(values)) return values;
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, asText(value)]));
}

function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
