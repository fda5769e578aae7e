import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { FleetError } from '../../../domain/values/errors.ts';
import { isRefusal, type CoderClient } from '../client/coder-client.ts';
import { makeTar } from './make-tar.ts';
import { templateSchema, templatesSchema, type Template } from '../model/template-schema.ts';
import { buildLogsSchema } from '../model/workspace-schema.ts';

export interface PushedTemplate {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly files: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
}

const meSchema = z.object({ organization_ids: z.array(z.string()).min(1) });
const fileSchema = z.object({ hash: z.string() });
const versionSchema = z.object({
  id: z.string(),
  name: z.string(),
  job: z.object({ status: z.string(), error: z.string().nullish() }),
});

const LOOK_MS = 200;

/** Makes a template, or a new version of one that is there. The same files and variables make no second version. */
export async function pushTemplate(
  client: CoderClient,
  wanted: PushedTemplate,
): Promise<'made' | 'updated' | 'same'> {
  const { organization_ids } = await client.ask('/users/me', meSchema);
  const organization = organization_ids[0] ?? '';
  const known = (await client.ask('/templates', templatesSchema)).find(
    ({ name, organization_id }) => name === wanted.name && organization_id === organization,
  );
  const tar = makeTar(wanted.files);
  const hash = createHash('sha256').update(tar).update(JSON.stringify(wanted.variables)).digest('hex');
  const version_name = `fleet-${hash.slice(0, 12)}`;
  if (known !== undefined && (await versionOf(client, known.active_version_id)).name.startsWith(version_name))
    return 'same';
  const file = await client.ask('/files', fileSchema, {
    method: 'POST',
    bytes: { type: 'application/x-tar', data: tar },
    safe: true,
  });
  const made = await newVersion(client, organization, {
    name: version_name,
    storage_method: 'file',
    file_id: file.hash,
    provisioner: 'terraform',
    tags: {},
    user_variable_values: Object.entries(wanted.variables).map(([name, value]) => ({ name, value })),
    ...(known === undefined ? {} : { template_id: known.id }),
  });
  await imported(client, made.id, wanted.name);
  await publish(client, wanted, { known, organization, version: made.id });
  return known === undefined ? 'made' : 'updated';
}

/** A version whose import failed has that name already; the cause of the failure may be gone by now. */
async function newVersion(
  client: CoderClient,
  organization: string,
  body: { readonly name: string; readonly [key: string]: unknown },
) {
  const path = `/organizations/${organization}/templateversions`;
  try {
    return await client.ask(path, versionSchema, { method: 'POST', body });
  } catch (thrown) {
    if (!isRefusal(thrown, 409)) throw thrown;
    const name = `${body.name}-${randomBytes(3).toString('hex')}`;
    return client.ask(path, versionSchema, { method: 'POST', body: { ...body, name } });
  }
}

/** Waits until the server has read the template. */
async function imported(client: CoderClient, id: string, name: string): Promise<void> {
  for (;;) {
    const { job } = await versionOf(client, id);
    if (job.status === 'succeeded') return;
    if (job.status === 'pending' || job.status === 'running') {
      await delay(LOOK_MS);
      continue;
    }
    const logs = await client.ask(`/templateversions/${id}/logs`, buildLogsSchema);
    const said = logs.filter(({ log_level }) => log_level === 'error').map(({ output }) => output.trim());
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `Coder cannot import the template "${name}": ${[job.error ?? job.status, ...said].join(' ').slice(0, 800)}`,
      { reason: 'build_failed' },
    );
  }
}

async function publish(
  client: CoderClient,
  wanted: PushedTemplate,
  made: { known: Template | undefined; organization: string; version: string },
): Promise<void> {
  const { known, organization, version } = made;
  if (known !== undefined) {
    await client.tell(`/templates/${known.id}/versions`, {
      method: 'PATCH',
      body: { id: version },
      safe: true,
    });
    return;
  }
  await client.ask(`/organizations/${organization}/templates`, templateSchema, {
    method: 'POST',
    body: {
      name: wanted.name,
      display_name: wanted.display_name,
      description: wanted.description,
      template_version_id: version,
      // Without it a delete has to wait for whatever build is under way.
      allow_user_cancel_workspace_jobs: true,
    },
  });
}

function versionOf(client: CoderClient, id: string) {
  return client.ask(`/templateversions/${id}`, versionSchema);
}
