import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { FleetError } from '../../../domain/values/errors.ts';
import { shellWord } from '../../../domain/values/text.ts';
import type { TerminalEnds } from '../../workspace-access.ts';
import type { CoderClient } from './coder-client.ts';
import { MarkedOutput } from './marked-output.ts';

const FRAME = 16_384;
const DEFAULT_SIZE = { width: 80, height: 24 };

export interface WorkspaceShell {
  /** Coder's id of the workspace agent. */
  readonly agent_id: string;
  readonly agent_name: string;
  /** Empty for a login shell. */
  readonly command: readonly string[];
  readonly ends: TerminalEnds;
}

/** Runs a program in a workspace through Coder's terminal, with the terminal of a person at this end, and answers with its
 *  exit code, which Coder does not give: the last output has it, behind a mark. */
export async function workspaceShell(
  { server: { url, token } }: CoderClient,
  { agent_id, agent_name, command, ends }: WorkspaceShell,
): Promise<number> {
  const mark = randomBytes(9).toString('hex');
  const payload = Buffer.from(scriptOf(command, ends.isTerminal)).toString('base64');
  const { width, height } = ends.size?.() ?? DEFAULT_SIZE;
  const address = new URL(`/api/v2/workspaceagents/${agent_id}/pty`, url.replace(/^http/, 'ws'));
  address.search = new URLSearchParams({
    reconnect: randomUUID(),
    width: String(width),
    height: String(height),
    backend_type: 'buffered',
    command: `sh -c ${shellWord(starter(mark, payload.length, ends.isTerminal))}`,
  }).toString();
  const socket = new WebSocket(address, { headers: { 'coder-session-token': token } });
  socket.binaryType = 'arraybuffer';
  const send = (message: object): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.from(JSON.stringify(message)));
  };
  const output = new MarkedOutput(mark, {
    ready: () => {
      for (let at = 0; at < payload.length; at += FRAME) send({ data: payload.slice(at, at + FRAME) });
    },
    write: (bytes) => ends.write(bytes),
  });
  socket.addEventListener('message', ({ data }) => {
    if (data instanceof ArrayBuffer) output.read(Buffer.from(data));
  });
  using _ = ends.follow({
    typed: (text) => {
      if (output.isReady) send({ data: text });
    },
    resized: (size) => send(size),
  });
  // A failed handshake closes it too.
  await once(socket, 'close');
  if (output.exit_code !== undefined) return output.exit_code;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The terminal of agent "${agent_name}" was closed by Coder before its program ended. Check the agent with show_agent, then retry.`,
    { reason: 'terminal_closed' },
  );
}

/** Reads the script from the terminal: Coder cuts a long command off. Without a person at a terminal it stays raw, so that
 *  output arrives as it was written. */
function starter(mark: string, bytes: number, isTerminal: boolean): string {
  const restore = isTerminal ? 'stty "$s";' : '';
  return `s=$(stty -g);t=$(mktemp);stty raw -echo;printf "\\036R${mark}";head -c ${bytes}|base64 -d>"$t";${restore}sh "$t";c=$?;rm -f "$t";printf "\\036E${mark} %s\\036" $c`;
}

function scriptOf(command: readonly string[], isTerminal: boolean): string {
  const line = command.length === 0 ? '"${SHELL:-/bin/sh}" -l' : command.map(shellWord).join(' ');
  return `cd "\${FLEET_DIRECTORY:-.}" || exit 1\nexec ${line}${isTerminal ? '' : ' </dev/null'}\n`;
}
