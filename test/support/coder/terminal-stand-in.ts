import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A longer frame has another head. */
const PIECE = 60_000;

/** The terminal of a workspace: runs a command, and speaks as much of WebSocket as that needs. */
export function serveTerminal(request: IncomingMessage, socket: Duplex, directory: string): void {
  const key = String(request.headers['sec-websocket-key']);
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const command = new URL(request.url ?? '/', 'http://localhost').searchParams.get('command') ?? '';
  const shell = spawn('sh', ['-c', command], { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] });
  shell.stdout.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += PIECE) socket.write(frame(2, chunk.subarray(at, at + PIECE)));
  });
  shell.once('close', () => socket.end(frame(8, Buffer.alloc(0))));
  shell.stdin.on('error', () => {});
  socket.on('error', () => shell.kill());
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const found = firstFrame(rest);
      if (found === undefined) return;
      rest = rest.subarray(found.size);
      if (found.opcode !== 2) continue;
      const { data } = JSON.parse(found.payload.toString('utf8')) as { data?: string };
      if (data !== undefined) shell.stdin.write(data);
    }
  });
}

function frame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : 4);
  head[0] = 0x80 | opcode;
  if (payload.length < 126) head[1] = payload.length;
  else {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, payload]);
}

/** Frames of a client are masked. */
function firstFrame(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short === 126 ? 4 : 2;
  if (bytes.length < head + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const size = head + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(bytes.subarray(head + 4, size)).map(
    (byte, index) => byte ^ (mask[index % 4] ?? 0),
  );
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: Buffer.from(payload), size };
}
