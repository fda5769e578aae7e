import { ToolsHost } from './tools-host.ts';

/** Nobody has used it for this long: it ends. */
const IDLE_MS = 10_000;

await hostUntilIdle(process.argv[2] ?? '');

/** Hosts the upstream servers of a home for as long as somebody uses them. */
async function hostUntilIdle(home: string): Promise<void> {
  const host = await ToolsHost.open(home, { yields: true });
  if (host === undefined) return;
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  let timer = setTimeout(resolve, IDLE_MS);
  host.onUsers = () => {
    clearTimeout(timer);
    if (host.users === 0) timer = setTimeout(resolve, IDLE_MS);
  };
  process.once('SIGTERM', () => resolve());
  process.once('SIGINT', () => resolve());
  process.stdout.on('error', () => {});
  process.stdout.write('ready\n');
  await Promise.race([idle, host.retired]);
  clearTimeout(timer);
  await host[Symbol.asyncDispose]();
}
