import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { audited } from '../calls/audited.ts';
import type { Cli } from '../output/cli.ts';
import {
  checkServer,
  openCoder,
  ourTemplate,
  pushTemplate,
  TEMPLATE_KINDS,
  type CoderBackend,
  type TemplateKind,
} from '../../upkeep/coder/set-up-coder.ts';
import { examples, jsonOption, refuseInsideAgent, repeated } from '../calls/command.ts';
import { confirmed } from '../calls/confirm.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { refuseUnknownSubcommand, subcommand } from '../calls/subcommand.ts';
import { checkText } from './doctor.ts';

interface SetupOptions {
  readonly template?: string;
  readonly variable?: readonly string[];
  readonly backend?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function coderCommand(command: Command, cli: Cli): void {
  command.description('Check a Coder server and push a template.');
  command.action(() => {
    refuseUnknownSubcommand(command);
    command.outputHelp();
  });
  setupCommand(
    subcommand(command, 'setup', 'Check a Coder server and the token, and push a Fleet template.'),
    cli,
  );
  examples(command, [['fleet coder setup', 'check the server and the token']]);
}

function setupCommand(command: Command, cli: Cli): void {
  command
    .option('--template <kind>', `push this template: ${TEMPLATE_KINDS.join(', ')}`)
    .option('--variable <name=value>', 'a variable of the template; can be repeated', repeated)
    .option('--backend <name>', 'which Coder, where the configuration has several')
    .option('--yes', 'do not ask for confirmation');
  examples(jsonOption(command), [
    ['fleet coder setup', 'check the server and the token'],
    ['fleet coder setup --template docker --yes', 'push a template whose workspaces are containers'],
  ]);
  command.action(async (options: SetupOptions) => {
    refuseInsideAgent(cli, 'fleet coder setup');
    await using opened = await openOwned(cli);
    const backend = await openCoder(opened, { env: cli.env, name: options.backend });
    const pushed = options.template === undefined ? undefined : await push(cli, opened, { backend, options });
    const checks = await checkServer(backend);
    const ok = checks.every(({ state }) => state !== 'fail');
    if (!ok) cli.exitCode = 1;
    if (options.json === true) return cli.out.json({ ok, pushed: pushed ?? null, checks });
    if (pushed !== undefined) cli.out.line(`${pushed.template}: ${pushed.outcome}`);
    cli.out.write(checks.map((check) => checkText(check, cli.out)).join(''));
  });
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
