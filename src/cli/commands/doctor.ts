import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { runChecks, type Check } from '../doctor-checks.ts';
import type { Paint } from '../output.ts';
import { printable } from '../printable.ts';

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export function doctorCommand(command: Command, cli: Cli): void {
  command.description(
    'Check this machine and the configuration, and say what to do. Exits 1 when a check fails.',
  );
  examples(jsonOption(command), [['fleet doctor', 'when something does not work']]);
  command.action(async (options: { readonly json?: boolean }) => {
    refuseInsideAgent(cli, 'fleet doctor');
    const checks = await runChecks(cli);
    const ok = checks.every(({ state }) => state !== 'fail');
    if (!ok) cli.exitCode = 1;
    if (options.json === true) cli.out.json({ ok, checks });
    else cli.out.write(checks.map((check) => checkText(check, cli.out.paint)).join(''));
  });
}

export function checkText({ name, state, message, fix }: Check, paint: Paint): string {
  const line = `${paint(STYLES[state], state.padEnd(4))}  ${printable(name)}: ${printable(message)}\n`;
  return fix === undefined || state === 'ok' ? line : `${line}      → ${printable(fix)}\n`;
}
