import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { Cli } from '../output/cli.ts';

export interface FoundServer {
  readonly name: string;
  /** As it was found: most are objects. */
  readonly entry: unknown;
  readonly from: string;
}

const KEPT = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'timeout', 'disabled'];

/** MCP servers that other clients have, here and in the user's home. The first of a name is taken. */
export function serversOfClients(cli: Cli, file: string | undefined): readonly FoundServer[] {
  const home = cli.env['HOME'] ?? homedir();
  const places =
    file === undefined
      ? [
          ...['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json'].map((each) => join(cli.cwd, each)),
          ...['.claude.json', '.cursor/mcp.json'].map((each) => join(home, each)),
        ].filter((each) => existsSync(each))
      : [resolve(cli.cwd, file)];
  const found = new Map<string, FoundServer>();
  for (const server of places.flatMap((place) => serversIn(place, cli.cwd))) {
    // Fleet itself is one of the servers of a client that uses it.
    if (!isObject(found.get(server.name)?.entry) && server.name !== 'fleet') found.set(server.name, server);
  }
  return [...found.values()];
}

function serversIn(path: string, cwd: string): readonly FoundServer[] {
  const content = read(path);
  const projects = isObject(content['projects']) ? content['projects'] : {};
  const here = isObject(projects[cwd]) ? projects[cwd]['mcpServers'] : undefined;
  return [here, content['mcpServers'], content['servers']]
    .filter(isObject)
    .flatMap((servers) => Object.entries(servers))
    .map(([name, entry]) => ({ name, entry: isObject(entry) ? ours(entry) : entry, from: path }));
}

/** These files may have comments, which YAML's reader takes for text that it cannot read. */
function read(path: string): JsonObject {
  try {
    const text = readFileSync(path, 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
    const value: unknown = parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new FleetError('INVALID_INPUT', `${quote(path)} cannot be read as JSON.`, { file: path }, cause);
  }
  throw new FleetError('INVALID_INPUT', `${quote(path)} is not a JSON object.`, { file: path });
}

/** Variables as fleet.yaml writes them. */
function ours(entry: JsonObject): JsonObject {
  const kept = Object.entries(entry).filter(([key]) => KEPT.includes(key));
  const text = JSON.stringify(Object.fromEntries(kept)).replaceAll('${env:', '${');
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
