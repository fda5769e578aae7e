import type { Launch } from './launch.ts';
import { standingDecision } from './approvals/permission-rule.ts';

/** Modes of coding agents in which they ask nobody before they run a command. */
const UNASKED_MODES: ReadonlySet<string> = new Set(['bypassPermissions', 'yolo', 'full-access']);

/** True for an agent that can run any command without asking: what it writes into its workspace may be run for it. All
 *  others could gain a shell that way. */
export function mayRunCommands({ agent, mode, trust_repository, permissions }: Launch): boolean {
  if (agent === 'command' || trust_repository === true) return true;
  if (mode !== undefined && mode !== null && UNASKED_MODES.has(mode)) return true;
  const rules = permissions ?? [];
  // A command that is denied would be run all the same.
  return (
    rules.every(({ decision }) => decision === 'allow') && standingDecision(rules, ANY_COMMAND) === 'allow'
  );
}

/** A list of commands is allowed only by a rule that allows all of them. */
const ANY_COMMAND = {
  kind: 'permission',
  tool: 'Bash',
  input: { rawInput: { command: 'true; true' } },
  options: [],
} as const;
