import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CoderClient } from './coder-client.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
}

const MOST_BYTES = 1_000_000;
const FRAME = 16_384;
const GRACE_MS = 5_000;

/** Runs a script in a workspace through Coder's terminal, without a runner there: a short command takes the script as
 *  input, and marks tell its output and exit code from what a terminal adds. Undefined when that did not work. */
export async function runInTerminal(
  { server: { url, token } }: CoderClient,
  agentId: string,
  { script, limit_ms }: { readonly script: string; readonly limit_ms: number },
): Promise<Ran | undefined> {
  const mark = randomBytes(9).toString('hex');
  const payload = Buffer.from(wrapped(script, mark)).toString('base64');
  const address = new URL(`/api/v2/workspaceagents/${agentId}/pty`, url.replace(/^http/, 'ws'));
  address.search = new URLSearchParams({
    reconnect: randomUUID(),
    width: '200',
    height: '50',
    backend_type: 'buffered',
    command: `stty raw -echo;printf '\\036R${mark}';head -c ${payload.length}|base64 -d|sh`,
  }).toString();
  const socket = new WebSocket(address, { headers: { 'coder-session-token': token } });
  socket.binaryType = 'arraybuffer';
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let output = '';
  let sent = false;
  socket.addEventListener('error', () => resolve());
  socket.addEventListener('close', () => resolve());
  socket.addEventListener('message', ({ data }) => {
    if (data instanceof ArrayBuffer && output.length < 2 * MOST_BYTES)
      output += Buffer.from(data).toString('latin1');
    if (sent || !output.includes(`\u001eR${mark}`)) return;
    sent = true;
    for (let at = 0; at < payload.length; at += FRAME)
      socket.send(Buffer.from(JSON.stringify({ data: payload.slice(at, at + FRAME) })));
  });
  const over = new AbortController();
  const late = delay(limit_ms + GRACE_MS, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([closed, late]);
  over.abort();
  socket.close();
  const [, text, code] = new RegExp(`\u001eB${mark}\\s([^\u001e]*)\u001eE${mark} (\\d+)`).exec(output) ?? [];
  if (text === undefined) return undefined;
  return { code: Number(code), stdout: Buffer.from(text, 'base64').toString('utf8') };
}

function wrapped(script: string, mark: string): string {
  return `t=$(mktemp -d)||exit 1
base64 -d >$t/s <<'E${mark}'
${Buffer.from(script).toString('base64')}
E${mark}
sh $t/s </dev/null >$t/o 2>/dev/null; c=$?
printf '\\036B${mark}\\n'; head -c ${MOST_BYTES} $t/o | base64; printf '\\036E${mark} %s\\n' $c
rm -rf $t
`;
}
