import { runFleet } from '../support/fleets/fleet-process.ts';
import type { DockerFleet } from './docker-fleet.ts';

/** The project of the template that `fleet coder setup` pushes. */
export const PROJECT = 'Fleet docker';

/** `fleet coder setup --template docker`, as an administrator of the server runs it; how it ended. */
export async function setUpTemplate(
  { env, place }: DockerFleet,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const all = { image: place.image, fleet_package: place.fleet_package, ...variables };
  const given = Object.entries(all).flatMap(([name, value]) => ['--variable', `${name}=${value}`]);
  const { code, stdout, stderr } = await runFleet(
    ['coder', 'setup', '--template', 'docker', '--yes', '--json', ...given],
    { env: { ...env, CODER_SESSION_TOKEN: place.coder.token } },
  );
  if (code !== 0) throw new Error(`fleet coder setup ended with ${code}: ${stdout}${stderr}`);
  return (JSON.parse(stdout) as { pushed: { outcome: string } }).pushed.outcome;
}
