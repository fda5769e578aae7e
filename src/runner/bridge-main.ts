import { connect } from 'node:net';

/** Joins its stdin and stdout to a socket: what speaks MCP on stdio reaches a server that it must not be part of. */
const socket = connect(process.argv[2] ?? '');
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('close', () => process.exit(0));
socket.on('error', (error) => {
  process.stderr.write(`fleet: the fleet cannot be reached: ${error.message}\n`);
  process.exit(7);
});
