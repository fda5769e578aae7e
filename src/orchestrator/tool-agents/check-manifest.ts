import { FleetError, quote } from '../../domain/values/errors.ts';
import type { AgentManifest, ToolDefinition } from './tool-agent.ts';

const ID = /^[a-z][a-z0-9-]*$/;
const CAPABILITY = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const OWN_TOOL = /^[a-z_][a-z0-9_]*$/;

/** What every tool agent says of itself. */
export function checkManifest(manifest: AgentManifest, id: string): void {
  const { name, capabilities } = manifest;
  if (!ID.test(id)) throw wrong('id', `is lowercase letters, digits and hyphens; got ${quote(id)}`);
  if (manifest.id !== id)
    throw wrong('id', `of the manifest must be ${quote(id)}; got ${quote(manifest.id)}`);
  if (name.trim() === '') throw wrong('name', `of the tool agent ${quote(id)} must not be empty`);
  const bad = capabilities.find((each) => !CAPABILITY.test(each));
  if (bad !== undefined) throw wrong('capabilities', `are lowercase words with hyphens; got ${quote(bad)}`);
}

/** Tools of our own; those of upstream servers are named by their servers. */
export function checkOwnTools(tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>();
  for (const { name, parameters } of tools) {
    if (!OWN_TOOL.test(name)) {
      throw wrong('name', `of a tool is lowercase letters, digits and "_"; got ${quote(name)}`);
    }
    if (seen.has(name)) throw wrong('name', `of a tool must be its own; ${quote(name)} is there twice`);
    seen.add(name);
    if (parameters['type'] !== 'object') {
      throw wrong(
        'parameters',
        `of the tool ${quote(name)} must have the type "object"; got ${quote(parameters['type'])}`,
      );
    }
  }
}

function wrong(field: string, problem: string): FleetError {
  return new FleetError('INVALID_INPUT', `The ${field} ${problem}.`, { field });
}
