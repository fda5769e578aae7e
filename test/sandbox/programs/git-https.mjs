// A git server over https: git-https.mjs DIRECTORY CERTIFICATE KEY USER:PASSWORD. Prints its port.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [root, certificate, key, account] = process.argv.slice(2);
const expected = `Basic ${Buffer.from(account).toString('base64')}`;

const server = createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  (request, response) => {
    if (request.headers.authorization !== expected)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    const { pathname, search } = new URL(request.url, 'https://localhost');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        HOME: root,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        REMOTE_USER: 'pusher',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    request.pipe(child.stdin);
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const headers = answer
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': '));
      const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
      response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers));
      response.end(answer.subarray(end + 4));
    });
  },
);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
