import type { FleetError } from '../values/errors.ts';
import { listedPaths } from './landing.ts';

const FOR_THE_AGENT = ['conflicts', 'checks_failed'];
const MOST_OUTPUT = 4_000;

/** The task of an agent whose work could not be landed; undefined when it is nothing that the agent itself can fix. */
export function landingTask({ message, details }: FleetError, base: string): string | undefined {
  const { paths, outputs, reason } = details;
  if (!FOR_THE_AGENT.includes(String(reason))) return undefined;
  const files = Array.isArray(paths) ? `\n\nFiles: ${listedPaths(paths.map(String))}` : '';
  const printed = Array.isArray(outputs)
    ? outputs
        .map(
          (each: { name: string; output: string }) => `\n\n${each.name}:\n${each.output.slice(-MOST_OUTPUT)}`,
        )
        .join('')
    : '';
  return `Your work could not be landed on ${base}. ${message}${files}${printed}\n\nMerge ${base} into your branch, fix this, and commit.`;
}
