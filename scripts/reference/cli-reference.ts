import type { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { Cli } from '../../src/cli/output/cli.ts';
import { HelpShown } from '../../src/cli/output/exit.ts';
import { COMMANDS } from '../../src/cli/commands/all-commands.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { ERROR_TABLE } from '../../src/domain/values/errors.ts';

const HELP_WIDTH = 100;

/** docs/cli.md: every command with the help that it prints. */
export async function cliReference(): Promise<string> {
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  const sections = await Promise.all(groups.map(sectionOf));
  return `${[INTRODUCTION, ...sections, exitCodes(), VARIABLES].join('\n\n')}\n`;
}

const INTRODUCTION = `# The command line

<!-- Made by \`npm run reference\` from the program. Edit the program, not this page. -->

\`fleet COMMAND --help\` prints the same text. In a checkout the command is \`bin/fleet.js\`.

Results are on stdout; hints and progress are on stderr. With \`--json\` stdout has one JSON
document, also for an error: \`{"error": {"code", "message", "details"}}\`. Control characters in text from agents are
escaped before they reach a terminal.

No daemon is needed: every command opens the fleet by itself.`;

const VARIABLES = `## Environment

| variable | meaning |
|---|---|
| \`FLEET_HOME\` | where the state of the fleet lives; default \`$XDG_DATA_HOME/fleet\`, else \`~/.local/share/fleet\` |
| \`FLEET_CONFIG\` | the configuration; \`--config\` wins over it |
| \`FLEET_TOKEN\` | the bearer token of \`fleet serve\`, instead of the file \`token\` in the home |
| \`FLEET_DEBUG\` | any value: print the stack of an error, too |
| \`FLEET_CONTAINMENT\` | \`marker\`: do not use process namespaces, see [SECURITY.md](../SECURITY.md) |
| \`NO_COLOR\` | any value: no colours |`;

async function sectionOf(group: string): Promise<string> {
  const commands = COMMANDS.filter((command) => command.group === group);
  const entries = await Promise.all(commands.map(({ name }) => entriesOf([name])));
  return [`## ${group.replace(/:$/, '')}`, ...entries.flat()].join('\n\n');
}

/** The help of a command, then that of the commands below it. */
async function entriesOf(words: readonly string[]): Promise<string[]> {
  const { help, below } = await helpOf(words);
  const entry = `### fleet ${words.join(' ')}\n\n\`\`\`text\n${help}\n\`\`\``;
  const rest = await Promise.all(below.map((name) => entriesOf([...words, name])));
  return [entry, ...rest.flat()];
}

async function helpOf(words: readonly string[]): Promise<{ help: string; below: readonly string[] }> {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const program = makeProgram(new Cli({ env: {}, stdout, stderr: new PassThrough() }));
  for (const command of program.commands) command.configureOutput({ getOutHelpWidth: () => HELP_WIDTH });
  try {
    await program.parseAsync([...words, '--help'], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof HelpShown)) throw thrown;
  }
  let at: Command | undefined = program;
  for (const word of words) at = at?.commands.find((command) => command.name() === word);
  const below = at?.commands.map((command) => command.name()) ?? [];
  return { help: String(stdout.read() ?? '').trim(), below };
}

function exitCodes(): string {
  const codes = Map.groupBy(Object.entries(ERROR_TABLE), ([, { exit }]) => exit);
  const byError = [...codes].map(([exit, errors]): [number, string] => [
    exit,
    errors.map(([code]) => `\`${code}\``).join(', '),
  ]);
  const rows: [number, string][] = [
    [0, 'done'],
    ...byError.filter(([exit]) => exit !== 1),
    [1, '`INTERNAL_ERROR`; with `--wait`, the task did not complete; a check of `fleet doctor` failed'],
    [124, '`fleet wait`: the time was up'],
    [130, 'ended by Ctrl-C'],
  ];
  const lines = rows.toSorted(([a], [b]) => a - b).map(([exit, when]) => `| ${exit} | ${when} |`);
  return ['## Exit codes', '', '| exit | when |', '|---|---|', ...lines].join('\n');
}
