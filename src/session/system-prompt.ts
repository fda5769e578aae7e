import { closeSync, openSync, readSync } from 'node:fs';
import { quote } from '../domain/values/errors.ts';
import { agentError } from '../orchestrator/servers/agent-error.ts';

/** More than fits into any context. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Short: on a small model every word of it is taken from the conversation. */
const OWN_PROMPT = `You control Fleet: coding agents that work on this machine or on remote workspaces, each on a branch of its own. You act only through your tools. Never invent names, results or tool output.

- list_agent_projects and list_agent_roles show where agents can work and what they can be.
- create_agent makes an agent and starts its first task. Write tasks for someone who does not know this conversation. Make independent calls in one round: they run side by side.
- wait_for_agents waits until agents are idle; give timeout_seconds (up to 3600) and call it again after timed_out. Do not poll.
- When agents are done, read what they changed (show_agent_diff, show_agent_task_history) before you report or go on. Land or publish work only as far as the user asked for it, and only after its checks pass.
- The user is asked before anything destructive runs; you do not need to ask as well. If the user refuses, do not try again.
- A result with an error says what to do. Correct the call, or tell the user what is missing.

Answer briefly, in the language of the user, with the names of agents, branches and files.`;

/** The prompt of the file, or the session's own. SYSTEM_PROMPT_MISSING when the file cannot be used. */
export function systemPrompt(file: string | undefined): string {
  if (file === undefined) return OWN_PROMPT;
  const missing = (problem: string, cause?: unknown) =>
    agentError(
      'SYSTEM_PROMPT_MISSING',
      `The system prompt ${quote(file)} ${problem}. Correct session.system_prompt_file in fleet.yaml, or --system-prompt.`,
      { file, cause },
    );
  let text: string;
  try {
    text = beginning(file);
  } catch (cause) {
    throw missing(`cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (text.trim() === '') throw missing('is empty');
  return text;
}

/** Not all of it: it may be a device without an end. */
function beginning(path: string): string {
  const buffer = Buffer.alloc(MOST_BYTES + 1);
  const file = openSync(path, 'r');
  try {
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read)
      read = readSync(file, buffer, size, buffer.length - size, null);
    return buffer.toString('utf8', 0, size);
  } finally {
    closeSync(file);
  }
}
