import { execFile } from 'node:child_process';

const MOST_OUTPUT = 64 * 1024 * 1024;

/** Runs the docker client, on the daemon that DOCKER_HOST names; its output. */
export async function docker(...args: string[]): Promise<string> {
  // The client's newer way to build needs a plugin, which few machines without a registry have.
  const env = { ...process.env, DOCKER_BUILDKIT: '0' };
  return new Promise((resolve, reject) => {
    execFile('docker', args, { env, maxBuffer: MOST_OUTPUT }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout.trim());
      const said = stderr.trim().split('\n').slice(-4).join('\n');
      reject(new Error(`docker ${args.join(' ')} failed: ${said}`));
    });
  });
}

export async function hasImage(name: string): Promise<boolean> {
  return docker('image', 'inspect', name).then(
    () => true,
    () => false,
  );
}

/** The container of a workspace, as our template names it. */
export function containerOf(workspace_id: string): string {
  return `fleet-${workspace_id}`;
}

/** Runs a shell command in the container of a workspace; its output. */
export async function inContainer(workspace_id: string, command: string): Promise<string> {
  return docker('exec', containerOf(workspace_id), 'sh', '-c', command);
}
