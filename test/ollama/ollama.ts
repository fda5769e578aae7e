import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../support/fleets/fleet-under-test.ts';
import { builtOllama } from './ollama-cache.ts';
import { tinyModel } from './tiny-model.ts';

/** A real Ollama on loopback with the models `tiny` and `caller`. */
export interface Ollama extends AsyncDisposable {
  readonly url: string;
}

const MODELFILE = `FROM ./tiny.gguf
TEMPLATE """{{ range .Messages }}{{ .Role }}: {{ .Content }}
{{ end }}assistant: """
PARAMETER temperature 0
PARAMETER seed 7
`;
/** The same weights, with a template for tools: it makes a call when its answer is forced into the shape of one. */
const CALLER = `FROM tiny
TEMPLATE """{{ range .Tools }}{{ . }}{{ end }}{{ range .Messages }}{{ .Role }}: {{ .Content }}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}
{{ end }}assistant: """
`;
const START_LIMIT_MS = 60_000;

export async function startOllama(): Promise<Ollama> {
  const program = builtOllama() ?? '';
  const directory = mkdtempSync(join(tmpdir(), 'fleet-ollama-'));
  const host = `127.0.0.1:${await freePort()}`;
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    OLLAMA_HOST: host,
    OLLAMA_MODELS: join(directory, 'models'),
    OLLAMA_KEEP_ALIVE: '60s',
  };
  const server = spawn(program, ['serve'], { env, stdio: 'ignore' });
  const url = `http://${host}`;
  await until(
    () =>
      fetch(`${url}/api/version`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (ok) => ok,
    START_LIMIT_MS,
  );
  writeFileSync(join(directory, 'tiny.gguf'), tinyModel());
  writeFileSync(join(directory, 'Modelfile'), MODELFILE);
  await promisify(execFile)(program, ['create', 'tiny', '-f', 'Modelfile'], { cwd: directory, env });
  writeFileSync(join(directory, 'Caller'), CALLER);
  await promisify(execFile)(program, ['create', 'caller', '-f', 'Caller'], { cwd: directory, env });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      if (server.exitCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGTERM');
        await ended;
      }
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
