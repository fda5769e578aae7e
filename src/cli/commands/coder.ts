import type { Command } from 'commander';
import { checkServer } from '../../backends/coder/check-server.ts';
import { CoderBackend } from '../../backends/coder/coder-backend.ts';
import { coderServers } from '../../backends/coder/coder-servers.ts';
import { ourTemplate, TEMPLATE_KINDS, type TemplateKind } from '../../backends/coder/our-templates.ts';
import { pushTemplate } from '../../backends/coder/push-template.ts';
import { openStore } from '../../backends/local/open-store.ts';
import { FleetError, quote } from '../../domain/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { systemClock } from '../../platform/clock.ts';
import { audited } from '../audited.ts';
import type { Cli } from '../cli.ts';
import { coderBackendOf } from '../coder-backend-of.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { openOwned } from '../run-operation.ts';
import { refuseUnknownSubcommand, subcommand } from '../subcommand.ts';
import { checkText } from './doctor.ts';

interface SetupOptions {
  readonly template?: string;
  readonly variable?: readonly string[];
  readonly backend?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function coderCommand(command: Command, cli: Cli): void {
  command.description('Coder servers: check one and push a template.');
  command.action(() => {
    refuseUnknownSubcommand(command);
    command.outputHelp();
  });
  setupCommand(
    subcommand(command, 'setup', 'Check a Coder server and the token, and push a template of ours.'),
    cli,
  );
  examples(command, [['fleet coder setup', 'look at the server and at the token']]);
}

function setupCommand(command: Command, cli: Cli): void {
  command
    .option('--template <kind>', `push this one: ${TEMPLATE_KINDS.join(', ')}`)
    .option('--variable <name=value>', 'a variable of the template; may be given again', collect, [])
    .option('--backend <name>', 'which Coder, where the configuration has several')
    .option('--yes', 'do not ask first');
  examples(jsonOption(command), [
    ['fleet coder setup', 'look at the server and at the token'],
    ['fleet coder setup --template docker --yes', 'and push a template whose workspaces are containers'],
  ]);
  command.action(async (options: SetupOptions) => {
    refuseInsideAgent(cli, 'fleet coder setup');
    await using opened = await openOwned(cli);
    const backend = await backendOf(cli, opened, options.backend);
    const pushed = options.template === undefined ? undefined : await push(cli, opened, { backend, options });
    const checks = await checkServer(backend);
    const ok = checks.every(({ state }) => state !== 'fail');
    if (!ok) cli.exitCode = 1;
    if (options.json === true) return cli.out.json({ ok, pushed: pushed ?? null, checks });
    if (pushed !== undefined) cli.out.line(`${pushed.template}: ${pushed.outcome}`);
    cli.out.write(checks.map((check) => checkText(check, cli.out.paint)).join(''));
  });
}

/** Before there is a configuration, the environment says which Coder is meant. */
async function backendOf(cli: Cli, opened: OpenedFleet, name: string | undefined): Promise<CoderBackend> {
  const configured = await opened.coder();
  if (configured.length > 0 || name !== undefined) return coderBackendOf(configured, name);
  const loaded = (await opened.config()).current();
  const [own] = coderServers(
    { ...loaded, trusted: true, config: { ...loaded.config, backend: 'coder', projects: {}, backends: {} } },
    cli.env,
  );
  if (own === undefined) throw new Error('there is always a Coder of the environment');
  return new CoderBackend({ ...own, home: opened.home, store: openStore(opened.home), clock: systemClock });
}

async function push(
  cli: Cli,
  opened: OpenedFleet,
  { backend, options }: { readonly backend: CoderBackend; readonly options: SetupOptions },
) {
  const kind = kindOf(options.template ?? '');
  const template = ourTemplate(kind, {
    home: opened.home,
    env: cli.env,
    variables: variablesOf(options.variable ?? []),
  });
  const { url } = backend.context.client.server;
  if (!(await confirmed(cli, `Push the template ${template.name} to ${url}?`, options.yes === true)))
    throw new FleetError('INVALID_INPUT', 'Nothing was pushed.', { field: 'yes' });
  const input = { template: template.name, server: url };
  const outcome = await audited(opened, { operation: 'push_coder_template', input, env: cli.env }, () =>
    pushTemplate(backend.context.client, template),
  );
  return { template: template.name, outcome };
}

function kindOf(text: string): TemplateKind {
  const kind = TEMPLATE_KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new FleetError(
    'INVALID_INPUT',
    `There is no template ${quote(text)}; there are: ${TEMPLATE_KINDS.join(', ')}.`,
    { field: 'template' },
  );
}

function variablesOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new FleetError('INVALID_INPUT', `--variable takes name=value; got ${quote(text)}.`, {
        field: 'variable',
      });
    }),
  );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
