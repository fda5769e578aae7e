import type { Command } from 'commander';
import { actorOf } from '../../domain/principal.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { audited } from '../calls/audited.ts';
import { terminalUser } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { repairAgents } from '../../upkeep/doctor/repair-agents.ts';
import type { Check } from '../../domain/check.ts';
import { runChecks } from '../../upkeep/doctor/doctor-checks.ts';
import type { Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { wrapLine } from '../output/wrap-line.ts';

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export function doctorCommand(command: Command, cli: Cli): void {
  command.description(
    'Check this machine and the configuration, and print how to fix problems. Exits 1 if a check fails.',
  );
  command.option(
    '--repair',
    'repair agents whose project was moved: set its repository in the configuration first',
  );
  examples(jsonOption(command), [
    ['fleet doctor', 'run it if something does not work'],
    ['fleet doctor --repair', 'after the repository of a project was moved'],
  ]);
  command.action(async (options: { readonly json?: boolean; readonly repair?: boolean }) => {
    refuseInsideAgent(cli, 'fleet doctor');
    const repaired = options.repair === true ? await repair(cli) : [];
    const checks = [...repaired, ...(await runChecks(cli))];
    const ok = checks.every(({ state }) => state !== 'fail');
    if (!ok) cli.exitCode = 1;
    if (options.json === true) cli.out.json({ ok, checks });
    else cli.out.write(checks.map((check) => checkText(check, cli.out)).join(''));
  });
}

async function repair(cli: Cli): Promise<readonly Check[]> {
  await using opened = await openOwned(cli);
  const change = { operation: 'repair_agents', input: {}, env: cli.env };
  return await audited(opened, change, () => repairAgents(opened, actorOf(terminalUser(cli.env))));
}

const INDENT = ' '.repeat(6);

export function checkText(
  { name, state, message, fix }: Check,
  { columns, paint }: Pick<Output, 'columns' | 'paint'>,
): string {
  const indented = (text: string, indent: string): string =>
    wrapLine(printable(text), columns - indent.length).join(`\n${indent}`);
  const line = `${paint(STYLES[state], state.padEnd(4))}  ${indented(`${name}: ${message}`, INDENT)}\n`;
  return fix === undefined || state === 'ok' ? line : `${line}${INDENT}→ ${indented(fix, `${INDENT}  `)}\n`;
}
