import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { CoderClient } from '../../../src/backends/coder/client/coder-client.ts';
import { ourTemplate } from '../../../src/backends/coder/templates/our-templates.ts';
import { pushTemplate } from '../../../src/backends/coder/templates/push-template.ts';
import { shellWord } from '../../../src/domain/values/text.ts';
import { SCRIPTED } from '../fleets/local-fleet.ts';

const SCRIPT = join(import.meta.dirname, 'real-coder.sh');
const TERMINAL = join(import.meta.dirname, '..', 'programs', 'terminal-agent.mjs');
const run = promisify(execFile);

const upSchema = z.object({
  url: z.string(),
  token: z.string(),
  version: z.string(),
  pids: z.object({ coder: z.int(), postgres: z.int() }),
  coder_bin: z.string(),
  agentapi_bin: z.string(),
  workspaces_dir: z.string(),
});

export type RealCoder = z.output<typeof upSchema> & { readonly state: string };

/** A server for tests: no limit of requests. */
export const LAB = { FLEET_CODER_RATE_LIMIT: '-1', FLEET_CODER_TOOLS: 'agentapi' };

/** Starts a real Coder server under a directory; on one that is there it changes nothing. */
export async function startRealCoder(state: string, env: NodeJS.ProcessEnv = {}): Promise<RealCoder> {
  const { stdout } = await run('bash', [SCRIPT, 'up', state], {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { ...upSchema.parse(JSON.parse(stdout)), state };
}

export async function purgeRealCoder(state: string): Promise<void> {
  await run('bash', [SCRIPT, 'purge', state]);
}

export function clientOf({ url, token }: { url: string; token: string }): CoderClient {
  return new CoderClient(() => ({ url, token, token_env: 'CODER_SESSION_TOKEN' }));
}

/** Our process template as the projects that the contract suite knows, with its role `scripted`, and with AgentAPI in
 *  the place of our runner as the project Claude. */
export async function pushTestTemplates(coder: RealCoder): Promise<void> {
  const { coder_bin } = coder;
  const { files, variables } = ourTemplate('process', {
    home: coder.workspaces_dir,
    env: process.env,
    variables: { coder_bin },
  });
  const { 'presets.tf': presets = '' } = files;
  const agentapi = `env AGENTAPI_ALLOWED_HOSTS=* ${coder.agentapi_bin} server --type custom --port "$FLEET_PORT" --initial-prompt "$(cat parameters/ai_prompt)" -- ${[process.execPath, TERMINAL].map(shellWord).join(' ')}`;
  const ours = { ...files, 'presets.tf': presets.replace('default     = true\n', '') + SCRIPTED_PRESET };
  for (const [name, display_name, description, source, fleet_command] of [
    ['setup', 'Setup', 'Development container for coding tasks', ours, variables['fleet_command']],
    ['dataone', 'DataOne', '', ours, variables['fleet_command']],
    ['claude', 'Claude', 'AgentAPI', withAgentApi(ours), agentapi],
  ] as const) {
    await pushTemplate(clientOf(coder), {
      name,
      display_name,
      description,
      files: source,
      variables: { workspaces_dir: coder.workspaces_dir, coder_bin, fleet_command: fleet_command ?? '' },
    });
  }
}

/** Our process template with a repository, under a name of its own. */
export async function pushWorkTemplate(coder: RealCoder, repository: string): Promise<string> {
  const name = `work-${randomBytes(4).toString('hex')}`;
  const { coder_bin, workspaces_dir } = coder;
  const { files, variables } = ourTemplate('process', {
    home: workspaces_dir,
    env: process.env,
    variables: { coder_bin, workspaces_dir, repository },
  });
  const pushed = { name, display_name: name, description: 'With a repository', files, variables };
  await pushTemplate(clientOf(coder), pushed);
  return name;
}

/** As a template that was written without Fleet in mind: Coder cannot say which of its workspaces are agents. */
function withAgentApi(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      text
        .replace('slug         = "fleet"', 'slug         = "ccw"')
        .replace('/healthz', '/status')
        .replace('interval  = 5', 'interval  = 1')
        .replace("trap '' TERM\n", '')
        .replaceAll(/name( +)= "fleet_(managed|agent_id)"/g, 'name$1= "unused_$2"'),
    ]),
  );
}

const SCRIPTED_PRESET = `
data "coder_workspace_preset" "scripted" {
  name        = "scripted"
  description = "Does what it is told"
  default     = true
  parameters = {
    fleet_role = jsonencode({ agent = "command", command = [${JSON.stringify(process.execPath)}, ${JSON.stringify(SCRIPTED)}] })
  }
}
`;
