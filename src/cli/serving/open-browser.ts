import { spawn } from 'node:child_process';

/** Opens an address in a browser. Where there is none, the user has the address. */
export function openBrowser(address: string, env: NodeJS.ProcessEnv): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [address], { env, stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
