import { Command, type CommanderError } from 'commander';
import { quote } from '../domain/errors.ts';
import { nearest } from '../domain/text.ts';
import type { Cli } from './cli.ts';
import { usageError, type CommandEntry } from './command.ts';
import { HelpShown, UsageError } from './exit.ts';
import { packageVersion } from '../platform/package.ts';

const LOOK = 'Look:';
const WORK = 'Work:';
const INSIDE = 'Inside an agent:';
const DOORS = 'Doors:';
const OWNER = 'Set up and check:';

/** Every command, in the order in which help shows them. Each is loaded only when it is used. */
// oxfmt-ignore
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'list', group: LOOK, summary: 'agents and what they do', load: async () => (await import('./commands/list.ts')).listCommand },
  { name: 'show', group: LOOK, summary: 'one agent, whole', load: async () => (await import('./commands/show.ts')).showCommand },
  { name: 'log', group: LOOK, summary: 'what an agent says and does', load: async () => (await import('./commands/log.ts')).logCommand },
  { name: 'history', group: LOOK, summary: 'tasks and reports of an agent', load: async () => (await import('./commands/history.ts')).historyCommand },
  { name: 'wait', group: LOOK, summary: 'wait for agents', load: async () => (await import('./commands/wait.ts')).waitCommand },
  { name: 'why', group: LOOK, summary: 'the evidence for the status of an agent', load: async () => (await import('./commands/why.ts')).whyCommand },
  { name: 'approvals', group: LOOK, summary: 'what waits for your word', load: async () => (await import('./commands/approvals.ts')).approvalsCommand },
  { name: 'projects', group: LOOK, summary: 'projects that agents can be created for', load: async () => (await import('./commands/projects.ts')).projectsCommand },
  { name: 'roles', group: LOOK, summary: 'roles of a project', load: async () => (await import('./commands/roles.ts')).rolesCommand },
  { name: 'create', group: WORK, summary: 'create an agent and give it its first task', load: async () => (await import('./commands/create.ts')).createCommand },
  { name: 'task', group: WORK, summary: 'give an agent a task', load: async () => (await import('./commands/task.ts')).taskCommand },
  { name: 'cancel', group: WORK, summary: 'cancel the running task, or a queued one', load: async () => (await import('./commands/cancel.ts')).cancelCommand },
  { name: 'stop', group: WORK, summary: 'stop agents', load: async () => (await import('./commands/stop.ts')).stopCommand },
  { name: 'restart', group: WORK, summary: 'restart agents', load: async () => (await import('./commands/restart.ts')).restartCommand },
  { name: 'delete', group: WORK, summary: 'delete agents and their workspaces', load: async () => (await import('./commands/delete.ts')).deleteCommand },
  { name: 'ack', group: WORK, summary: 'say that you have seen what an agent needed', load: async () => (await import('./commands/ack.ts')).ackCommand },
  { name: 'approve', group: WORK, summary: 'allow what an agent asks for', load: async () => (await import('./commands/approve.ts')).approveCommand },
  { name: 'deny', group: WORK, summary: 'deny what an agent asks for', load: async () => (await import('./commands/deny.ts')).denyCommand },
  { name: 'meta', group: WORK, summary: 'show, set and remove metadata of an agent', load: async () => (await import('./commands/meta.ts')).metaCommand },
  { name: 'report', group: INSIDE, summary: 'record a message in the history of this agent', load: async () => (await import('./commands/report.ts')).reportCommand },
  { name: 'serve', group: DOORS, summary: 'serve the page, the HTTP API and MCP', load: async () => (await import('./commands/serve.ts')).serveCommand },
  { name: 'mcp', group: DOORS, summary: 'serve MCP on stdin and stdout', load: async () => (await import('./commands/mcp.ts')).mcpCommand },
  { name: 'call', group: DOORS, summary: 'any operation, JSON in and out', load: async () => (await import('./commands/call.ts')).callCommand },
  { name: 'tools', group: DOORS, summary: 'MCP servers behind the doors, and their tools', load: async () => (await import('./commands/tools.ts')).toolsCommand },
  { name: 'demo', group: DOORS, summary: 'serve a small living fleet to look at', load: async () => (await import('./commands/demo.ts')).demoCommand },
  { name: 'init', group: OWNER, summary: 'write a fleet.yaml for the repository here', load: async () => (await import('./commands/init.ts')).initCommand },
  { name: 'trust', group: OWNER, summary: 'let a fleet.yaml start programs', load: async () => (await import('./commands/trust.ts')).trustCommand },
  { name: 'doctor', group: OWNER, summary: 'check this machine and the configuration', load: async () => (await import('./commands/doctor.ts')).doctorCommand },
  { name: 'agents', group: OWNER, summary: 'coding agents that can be run here; install them', load: async () => (await import('./commands/agents.ts')).agentsCommand },
  { name: 'coder', group: OWNER, summary: 'check a Coder server and push a template', load: async () => (await import('./commands/coder.ts')).coderCommand },
  { name: 'adopt', group: OWNER, summary: 'make a Coder workspace an agent', load: async () => (await import('./commands/adopt.ts')).adoptCommand },
  { name: 'token', group: OWNER, summary: 'where the token is; make others', load: async () => (await import('./commands/token.ts')).tokenCommand },
  { name: 'audit', group: OWNER, summary: 'who changed what, when, by which door', load: async () => (await import('./commands/audit.ts')).auditCommand },
  { name: 'kept', group: OWNER, summary: 'kept work of deleted agents', load: async () => (await import('./commands/kept.ts')).keptCommand },
  { name: 'gc', group: OWNER, summary: 'what takes room, and what can go', load: async () => (await import('./commands/gc.ts')).gcCommand },
  { name: 'drill', group: OWNER, summary: 'break a throw-away fleet and check what is promised', load: async () => (await import('./commands/drill.ts')).drillCommand },
  { name: 'completion', group: OWNER, summary: 'completion for a shell', load: async () => (await import('./commands/completion.ts')).completionCommand },
  { name: 'version', group: OWNER, summary: 'versions of fleet, its contract and Node', load: async () => (await import('./commands/version.ts')).versionCommand },
];

export function makeProgram(cli: Cli): Command {
  const program = new Command('fleet')
    .description('Run and control a fleet of coding agents.')
    .option('--config <file>', 'the configuration to use (default: FLEET_CONFIG, ./fleet.yaml)')
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .enablePositionalOptions()
    // An unknown command is told by its name, whatever comes after it.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', '\nfleet COMMAND --help shows the options of a command, with examples.')
    // What commander would write of an error is told by `reportFailure`, in the form that was asked for.
    .configureOutput({ writeOut: (text) => cli.out.write(text), writeErr: () => {} });
  program.exitOverride((error) => throwAsOurs(error, program));
  for (const { name, group, summary } of COMMANDS) {
    const command = program.command(name).summary(summary).helpGroup(group).allowExcessArguments(false);
    command.exitOverride((error) => throwAsOurs(error, command));
  }
  program.hook('preSubcommand', async (_program, command) => {
    const entry = COMMANDS.find(({ name }) => name === command.name());
    (await entry?.load())?.(command, cli);
    command.option('--config <file>', 'the configuration to use');
    for (const each of command.commands) each.exitOverride((error) => throwAsOurs(error, each));
  });
  program.hook('preAction', (_program, command) => {
    const { config } = command.optsWithGlobals<{ config?: string }>();
    cli.config = config;
  });
  program.action(() => {
    const [unknown] = program.args;
    if (unknown !== undefined) throw unknownCommand(unknown);
    program.outputHelp();
  });
  return program;
}

function throwAsOurs(error: CommanderError, command: Command): never {
  if (error.exitCode === 0) throw new HelpShown(error.message);
  const message = error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
  throw usageError(message.charAt(0).toUpperCase() + message.slice(1), command);
}

function unknownCommand(name: string): UsageError {
  const all = 'fleet --help shows the commands there are.';
  if (name.startsWith('-')) return new UsageError(`There is no option ${quote(name)} before a command.`, all);
  if (/^[a-z]+(?:_[a-z]+)+$/.test(name)) {
    return new UsageError(`There is no command ${quote(name)}. For an operation: fleet call ${name}`, all);
  }
  const hint = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  return new UsageError(
    `There is no command ${quote(name)}.${hint === undefined ? '' : ` Did you mean "${hint}"?`}`,
    all,
  );
}
