import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedImage } from '../support/docker/workspace-image.ts';
import { docker } from '../support/docker/docker.ts';
import {
  agentOf,
  askAs,
  history,
  logOf,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { dockerFleet, type DockerFleet } from './docker-fleet.ts';
import { pushVariant } from './push-templates.ts';

/** A failure is told within a minute; the rest is for a slow machine. */
const LIMIT_MS = 90_000;

describe('an image in which a part is missing', () => {
  let fleet: DockerFleet;
  const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);

  beforeAll(async () => {
    fleet = await dockerFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  async function failed(name: string, role: string, variables: Readonly<Record<string, string>>) {
    const project = `Lacks ${name}`;
    await pushVariant(fleet.place, { name: `lacks-${name}`, display_name: project, variables });
    await ask('create_agent', { project, name, role, task: 'echo done' });
    return until(
      () => agentOf(ask, name),
      ({ status }) => status === 'failed',
      LIMIT_MS,
    );
  }

  it.each([
    ['node', 'rm /usr/local/bin/node', 'The image of this workspace has no node on the PATH.'],
    ['git', 'rm /usr/bin/git', 'The image of this workspace has no git on the PATH.'],
    [
      'old-node',
      `printf '#!/bin/sh\\nif [ "$1" = --version ]; then echo v18.1.0; else exit 1; fi\\n' >/usr/local/bin/node`,
      'The image of this workspace has Node v18.1.0; Fleet needs 22.18 or newer.',
    ],
  ])('fails its agent with a sentence that helps: %s', async (name, command, sentence) => {
    const image = `fleet-workspace:no-${name}`;
    await changedImage(image, fleet.place.bare_image, { commands: [command] });
    const agent = await failed(name, 'shell', { image });
    expect(agent.status_reason).toContain(sentence);
    expect(agent.status_reason).toContain('coder/image/Dockerfile');
    expect(agent.needs_attention).toBe(true);
  });

  it("fails its agent when the runner's package is not in the image and npm cannot install it", async () => {
    const { bare_image: image } = fleet.place;
    const nowhere = `http://${fleet.place.gateway}:1/fleet-mcp.tgz`;
    const { status_reason } = await failed('package', 'shell', { image, fleet_package: nowhere });
    expect(status_reason).toContain(`npm cannot install ${nowhere} (ECONNREFUSED)`);
  });

  it('fails its agent when the coding agent is not in the image and npm cannot install it', async () => {
    const { status_reason } = await failed('claude', 'coder', { image: fleet.place.bare_image });
    expect(status_reason).toContain('The coding agent claude is not in the image');
  });

  it('fails its agent when the repository cannot be cloned', async () => {
    const repository = `http://${fleet.place.gateway}:1/team/none.git`;
    const { status_reason } = await failed('repository', 'shell', { repository });
    expect(status_reason).toContain('The repository cannot be cloned: fatal: unable to access');
  });

  it('fails its agent when the image is gone', async () => {
    const { status_reason } = await failed('image', 'shell', { image: 'fleet-workspace:gone' });
    expect(status_reason).toContain('fleet-workspace:gone');
  });

  it('needs no package in the image: the runner is installed from the one that the template names', async () => {
    await pushVariant(fleet.place, {
      name: 'bare',
      display_name: 'Bare',
      variables: { image: fleet.place.bare_image },
    });
    await ask('create_agent', { project: 'Bare', name: 'bare', role: 'shell', task: 'echo installed' });
    await waitIdle(ask, 'bare');
    expect((await logOf(ask, 'bare')).map(({ message }) => message)).toContain('installed');
    await ask('restart_agent', { agent_name: 'bare' });
    await waitIdle(ask, 'bare');
    expect(await history(ask, 'bare')).toMatchObject([{ state: 'complete' }]);
  });

  it('uses the runner of the image when the one that the template names cannot be had, and says its version', async () => {
    const image = 'fleet-workspace:older';
    const manifest = '/opt/fleet/app/node_modules/fleet-mcp/package.json';
    const older = `sed -i 's/"version": ".*"/"version": "0.0.9"/' ${manifest} && printf older >/opt/fleet/app/package`;
    await changedImage(image, fleet.place.image, { commands: [older] });
    const fleet_package = `http://${fleet.place.gateway}:1/fleet-mcp.tgz`;
    const variables = { image, fleet_package };
    await pushVariant(fleet.place, { name: 'older', display_name: 'Older', variables });
    await ask('create_agent', {
      project: 'Older',
      name: 'older',
      role: 'shell',
      task: 'echo "by the older one"',
    });
    await waitIdle(ask, 'older');
    expect((await logOf(ask, 'older')).map(({ message }) => message)).toContain('by the older one');
    const { stdout } = await runFleet(['why', 'older'], { env: fleet.env });
    expect(stdout).toContain('version 0.0.9');
  });

  it.each([
    ['with the default profile', [], 'level marker', 'systempaths=unconfined'],
    [
      'with the documented options',
      ['seccomp=unconfined', 'systempaths=unconfined'],
      'level namespace',
      'agents can write only to what is their own',
    ],
  ])(
    "says in fleet doctor how well a container's own fleet is contained %s",
    async (_, options, level, text) => {
      const given = options.flatMap((option) => ['--security-opt', option]);
      const said = await docker(
        'run',
        '--rm',
        ...given,
        fleet.place.image,
        'sh',
        '-c',
        'fleet doctor || true',
      );
      const [, finding = ''] = /containment: ([\s\S]*?)\n(?=ok|warn|fail)/.exec(said) ?? [];
      expect(finding).toContain(level);
      expect(finding).toContain(text);
    },
  );
});
