// Needs so many milliseconds to start, and then speaks as it is told: `modern` answers the probe and refuses the old
// handshake afterwards, `strict` refuses the old handshake and ignores a probe that came before it, `legacy` ignores the
// probe, `old` refuses it, `both` answers whatever is asked, `other` speaks a version that nobody knows. It can be told in a file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const [, , told, wait_ms] = process.argv;
const kind = existsSync(told) ? readFileSync(told, 'utf8') : told;
await delay(Number(wait_ms));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const capabilities = { tools: {} };
const supported = [kind === 'other' ? '2031-01-01' : '2026-07-28'];
const refuse = (id) => send({ id, error: { code: -32022, message: 'not spoken', data: { supported } } });
let refused = false;

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (process.env.LAB_LOG !== undefined) appendFileSync(process.env.LAB_LOG, `${method}\n`);
  if (id === undefined) return;
  const answer = (result) => send({ id, result: { resultType: 'complete', ...result } });
  if (method === 'server/discover') {
    if (kind === 'other') return refuse(id);
    if (kind === 'old') return send({ id, error: { code: -32601, message: 'Method not found' } });
    if (kind === 'legacy' || (kind === 'strict' && !refused)) return;
    return answer({ supportedVersions: supported, capabilities });
  }
  if (method === 'initialize') {
    refused = true;
    if (kind === 'modern' || kind === 'strict' || kind === 'other') return refuse(id);
    return answer({ protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 's' } });
  }
  if (method === 'tools/list') return answer({ tools: [{ name: 'work', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') return answer({ content: [{ type: 'text', text: 'worked' }] });
  if (method !== 'subscriptions/listen') answer({});
});
