// The least that a process beside an agent can be: a WAL database and an HTTP server on a socket.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

// Imported by name, node:http would read all its exports and with them load fetch and WebSocket.
const { createServer } = process.getBuiltinModule('node:http');
const directory = process.argv[2];
const database = new DatabaseSync(join(directory, 'bare.db'));
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE facts (seq INTEGER PRIMARY KEY, body TEXT)');
database.prepare('INSERT INTO facts (body) VALUES (?)').run('{}');
createServer((_request, response) => response.end()).listen(join(directory, 's'), () => {
  process.stdout.on('error', () => {});
  process.stdout.write('ready\n');
});
