import { setTimeout as delay } from 'node:timers/promises';

export interface Exchange {
  readonly name: string;
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

interface Server {
  readonly url: string;
  readonly token: string;
}

/** Asks a server, real or not, everything that Fleet asks, in one order. Needs the template Setup with its presets. */
export async function askAll({ url, token }: Server): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const ask = async (
    name: string,
    path: string,
    init: { method?: string; body?: object; token?: string } = {},
  ) => {
    const response = await fetch(`${url}${path}`, {
      method: init.method ?? 'GET',
      headers: { 'coder-session-token': init.token ?? token, 'content-type': 'application/json' },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const body: unknown =
      type.includes('json') && text !== '' ? JSON.parse(text) : /<title>[^<]*/.exec(text)?.[0];
    exchanges.push({ name, status: response.status, type: type.split(';')[0] ?? '', body });
    return body as Record<string, never> & { id: string };
  };
  const api = '/api/v2';
  await ask('buildinfo', `${api}/buildinfo`);
  const me = await ask('me', `${api}/users/me`);
  await ask('bad token', `${api}/users/me`, { token: 'nobody' });
  const templates = (await ask('templates', `${api}/templates`)) as unknown as {
    id: string;
    name: string;
    active_version_id: string;
  }[];
  const version = templates.find(({ name }) => name === 'setup')?.active_version_id ?? '';
  await ask('parameters of a version', `${api}/templateversions/${version}/rich-parameters`);
  await ask('presets', `${api}/templateversions/${version}/presets`);
  await ask('resources of a version', `${api}/templateversions/${version}/resources`);
  const name = `same-${Date.now() % 1_000_000}`;
  const values = { fleet_managed: 'true', fleet_agent_id: name, no_such_parameter: 'x' };
  const body = {
    name,
    template_version_id: version,
    rich_parameter_values: Object.entries(values).map(([key, value]) => ({ name: key, value })),
  };
  const { id } = await ask('create', `${api}/users/me/workspaces`, { method: 'POST', body });
  await ask('create again', `${api}/users/me/workspaces`, { method: 'POST', body });
  await ask('build while building', `${api}/workspaces/${id}/builds`, {
    method: 'POST',
    body: { transition: 'stop' },
  });
  const settle = async (): Promise<{ latest_build: { id: string; status: string } }> => {
    for (;;) {
      const seen = await fetch(`${url}${api}/workspaces/${id}`, {
        headers: { 'coder-session-token': token },
      });
      if (seen.status !== 200) return { latest_build: { id: '', status: 'deleted' } };
      const workspace = (await seen.json()) as {
        latest_build: { id: string; status: string; job: { status: string } };
      };
      if (['succeeded', 'failed', 'canceled'].includes(workspace.latest_build.job.status)) return workspace;
      await delay(100);
    }
  };
  const { latest_build } = await settle();
  await ask('workspace', `${api}/workspaces/${id}`);
  await ask('by name', `${api}/users/me/workspace/${name.toUpperCase()}`);
  await ask(
    'list by parameter',
    `${api}/workspaces?q=${encodeURIComponent(`owner:me param:fleet_agent_id=${name}`)}&limit=5`,
  );
  await ask('list past the end', `${api}/workspaces?q=owner%3Ame&limit=5&offset=5000`);
  await ask('parameters of a build', `${api}/workspacebuilds/${latest_build.id}/parameters`);
  await ask('logs of a build', `${api}/workspacebuilds/${latest_build.id}/logs`);
  await ask('cancel a done build', `${api}/workspacebuilds/${latest_build.id}/cancel`, { method: 'PATCH' });
  await ask('no workspace', `${api}/workspaces/8403bf55-3447-4a42-be79-b22b1af67bfc`);
  await ask('no name', `${api}/users/me/workspace/nobody`);
  await ask('user token for a report', `${api}/workspaceagents/me/app-status`, {
    method: 'PATCH',
    body: { app_slug: 'fleet', state: 'idle', message: '', uri: '' },
  });
  await ask('proxy without a cookie', `/@${me.id}/${id}/apps/fleet/healthz`, {
    token: '',
  });
  await ask('stop', `${api}/workspaces/${id}/builds`, { method: 'POST', body: { transition: 'stop' } });
  await settle();
  await ask('stopped', `${api}/workspaces/${id}`);
  await ask('delete', `${api}/workspaces/${id}/builds`, { method: 'POST', body: { transition: 'delete' } });
  await settle();
  await ask('deleted', `${api}/workspaces/${id}`);
  await ask('start of a deleted one', `${api}/workspaces/${id}/builds`, {
    method: 'POST',
    body: { transition: 'start' },
  });
  return exchanges;
}
