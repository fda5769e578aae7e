import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'NAME-package',
    source: 'contract Names package',
    text: 'The npm package is fleet-mcp and has the bins fleet and fleet-mcp.',
  },
  {
    id: 'NAME-bin-checkout',
    source: 'contract Names package',
    text: 'In a checkout bin/fleet.js is executable and works after npm ci alone.',
  },
  {
    id: 'NAME-bin-old-node',
    source: 'contract Names package',
    text: 'bin/fleet.js started by a Node that is too old runs itself again on the one that the checkout brought.',
  },
  {
    id: 'NAME-bin-signals',
    source: 'contract Names package',
    text: 'A signal to bin/fleet.js reaches the child that it runs, and the child ends with it.',
  },
  {
    id: 'NAME-home',
    source: 'contract Names state',
    text: 'State lives in FLEET_HOME, else $XDG_DATA_HOME/fleet, else ~/.local/share/fleet, with mode 0700.',
  },
  {
    id: 'NAME-writes-nowhere-else',
    source: 'contract Names state',
    text: 'Fleet writes nothing outside its home but refs of the configured repositories.',
  },
  {
    id: 'NAME-long-socket-path',
    source: 'contract Names state',
    text: 'An agent works in a home whose path is too long for a socket.',
  },
  {
    id: 'CFG-order',
    source: 'contract Names configuration',
    text: 'The configuration is the file of --config, else FLEET_CONFIG, else fleet.yaml here or above up to the root of the git repository, else $XDG_CONFIG_HOME/fleet/fleet.yaml.',
  },
  {
    id: 'CFG-yaml-json',
    source: 'contract Names configuration',
    text: 'The configuration can be YAML or JSON with version 1, and any other version is an error.',
  },
  {
    id: 'CFG-schema',
    source: 'contract Names configuration',
    text: 'The published JSON schema accepts the example configuration and refuses what the loader refuses.',
  },
  {
    id: 'CFG-unknown-key',
    source: 'contract Names configuration',
    text: 'An unknown key in the configuration is an error that names the nearest known one.',
  },
  {
    id: 'CFG-unknown-key-servers',
    source: 'contract Names configuration',
    text: 'An unknown key inside mcpServers is a warning and not an error.',
  },
  {
    id: 'CFG-error-place',
    source: 'contract Names configuration',
    text: 'An error in the configuration names the file, the line and the key.',
  },
  {
    id: 'CFG-takes-hold',
    source: 'contract frozen at creation',
    text: 'A change of the configuration holds for the next agent with no restart of a running server.',
  },
  {
    id: 'CFG-variables',
    source: 'contract fleet.yaml',
    text: '${NAME} in a value of the configuration is the environment variable of that name, and an unset one is an error that names it.',
  },
  {
    id: 'CFG-trust',
    source: 'contract Names configuration trust',
    text: 'With a ./fleet.yaml that was found and is not trusted, what would start a program is FORBIDDEN with the fleet trust command, and all else goes on.',
  },
  {
    id: 'CFG-trust-hash',
    source: 'contract Names configuration trust',
    text: 'fleet trust trusts the file by its hash, so that a changed file is not trusted any more.',
  },
  {
    id: 'CFG-trust-files',
    source: 'contract Names configuration trust',
    text: 'The trust of a fleet.yaml covers every file of the repository that it names, modules and prompts among them, and fleet trust lists them.',
  },
  {
    id: 'CFG-trust-again',
    source: 'contract Names configuration trust',
    text: 'A manager uses a changed fleet.yaml as soon as it is trusted again.',
  },
  {
    id: 'CFG-trust-init',
    source: 'contract Names configuration trust',
    text: 'fleet init writes a configuration and trusts what it wrote.',
  },
  {
    id: 'CFG-trust-not-agent',
    source: 'contract Names configuration trust',
    text: 'fleet trust from inside an agent is FORBIDDEN.',
  },
  {
    id: 'CFG-trust-named',
    source: 'contract Names configuration trust',
    text: 'A configuration that was named by --config or FLEET_CONFIG needs no trust.',
  },
  {
    id: 'CFG-backend-default',
    source: 'contract fleet.yaml backend',
    text: 'Projects are on the local backend unless the configuration says otherwise.',
  },
  {
    id: 'CFG-backends',
    source: 'contract fleet.yaml backends',
    text: 'backends names several Coder servers, each with url and token_env.',
  },
  {
    id: 'CFG-repository',
    source: 'contract fleet.yaml repository',
    text: 'A repository that is no git repository, has no commit or is bare is an error that quotes its path.',
  },
  {
    id: 'CFG-base',
    source: 'contract fleet.yaml base',
    text: 'Agents of a project start from its base, or from the HEAD of the repository at creation when it has none.',
  },
  {
    id: 'CFG-setup',
    source: 'contract fleet.yaml setup',
    text: 'setup runs once in a new workspace before the agent, and its output is in the log.',
  },
  {
    id: 'CFG-copy',
    source: 'contract fleet.yaml copy',
    text: 'copy brings files that git does not track into a new workspace.',
  },
  {
    id: 'CFG-stuck-after',
    source: 'contract fleet.yaml stuck_after',
    text: 'stuck_after is a duration such as 15m, and a malformed one is an error.',
  },
  {
    id: 'CFG-roles-merge',
    source: 'contract Words role; contract fleet.yaml roles',
    text: 'roles adds to the built-in roles and overrides those of the same name.',
  },
  {
    id: 'CFG-role-agents',
    source: 'contract fleet.yaml agent',
    text: 'agent of a role is claude, codex, opencode, qwen, gemini, acp with a command, or command with a command, and any other is an error.',
  },
  {
    id: 'CFG-role-agents-run',
    source: 'contract fleet.yaml agent',
    text: 'Agents with a role of claude, codex, opencode, qwen, gemini or acp run their tasks.',
  },
  {
    id: 'CFG-model',
    source: 'contract fleet.yaml model',
    text: 'model chooses the model of an agent that lets one choose.',
  },
  {
    id: 'PAGE-no-cookie',
    source: 'design Security',
    text: 'The page signs in by a one-time code, keeps its secret as a header, and a cookie authenticates nothing.',
  },
  {
    id: 'CFG-budget',
    source: 'contract fleet.yaml roles',
    text: 'A task that used more than the budget of its role ends failed with reason budget, and the next task is refused until the budget is raised.',
  },
  {
    id: 'CFG-role-env',
    source: 'contract fleet.yaml env, env_from',
    text: 'env of a role is added to the environment of its agents, and env_from takes the named variables from whoever creates them.',
  },
  {
    id: 'CFG-on-crash',
    source: 'contract fleet.yaml on_crash',
    text: 'on_crash is interrupt unless given, and is interrupt or resume.',
  },
  {
    id: 'CFG-command',
    source: 'contract fleet.yaml command',
    text: 'command of a role is a program with its arguments, which are passed on as they are and never through a shell.',
  },
  {
    id: 'ENV-allow-list',
    source: 'contract environment',
    text: 'An agent gets PATH, HOME, locale, terminal, proxies, certificates and git identity of whoever started it and no other variable of theirs.',
  },
  {
    id: 'ENV-own-kind',
    source: 'contract environment',
    text: 'A coding agent gets the variables of its own kind, such as ANTHROPIC_*.',
  },
  {
    id: 'INTERFACE-mcp-scopes',
    source: 'contract Names MCP; contract Scopes',
    text: 'fleet mcp has the scopes read and operate unless --scopes says otherwise.',
  },
  {
    id: 'INTERFACE-serve-json',
    source: 'contract Names MCP',
    text: 'The first line of stdout of fleet serve --json is url, mcp_url, token_file and pid, written when it answers.',
  },
  {
    id: 'INTERFACE-serve-address',
    source: 'contract Names MCP',
    text: 'fleet serve listens on 127.0.0.1 unless told otherwise, and with --port 0 on any free port.',
  },
  {
    id: 'INTERFACE-healthz',
    source: 'contract Names HTTP',
    text: '/healthz and the page, which holds no data, answer without a token and everything else needs one.',
  },
  {
    id: 'INTERFACE-metrics',
    source: 'contract Names HTTP',
    text: '/metrics answers with counts of the fleet.',
  },
  {
    id: 'INTERFACE-token',
    source: 'contract Names token',
    text: 'The token is FLEET_TOKEN, else the content of $FLEET_HOME/token, sent as Authorization: Bearer.',
  },
  {
    id: 'CLI-call-json',
    source: 'contract Names any operation',
    text: 'fleet call prints exactly one JSON document on stdout, the answer or the error envelope, and exits by the error table.',
  },
  {
    id: 'CLI-friendly',
    source: 'contract Names any operation',
    text: 'list, show, projects, roles, create, delete, restart, stop, task, cancel, history, log, wait, meta, report and ack each do their operation.',
  },
  {
    id: 'CLI-approvals',
    source: 'contract Names any operation',
    text: 'approvals, approve and deny list and answer approvals.',
  },
  {
    id: 'CLI-rest',
    source: 'contract Names the rest of the CLI',
    text: 'serve, mcp, init, trust, doctor, token, audit, why, demo, kept, gc, drill, completion and version are commands with help of their own.',
  },
  {
    id: 'CLI-log-follow',
    source: 'contract Names friendly forms',
    text: 'fleet log --follow prints entries as they come until it is interrupted.',
  },
  {
    id: 'CLI-doctor',
    source: 'contract Names the rest of the CLI',
    text: 'fleet doctor checks what the fleet needs on this machine and says of each thing whether it is well and what to do.',
  },
  {
    id: 'CLI-why',
    source: 'contract Names the rest of the CLI; contract Status',
    text: 'fleet why shows the evidence for the status of an agent, and with --at that of the past.',
  },
  {
    id: 'CLI-token',
    source: 'contract Names the rest of the CLI; contract Sources',
    text: 'fleet token makes tokens with the scopes and the source that are asked for.',
  },
  {
    id: 'CLI-audit',
    source: 'contract Names the rest of the CLI; contract Words principal',
    text: 'fleet audit shows every change with who, what, when and through which interface.',
  },
  {
    id: 'CLI-diff',
    source: 'contract Review and merge, show_agent_diff',
    text: 'fleet diff --stat lists the files that an agent changed, and marks those that others run once they land.',
  },
  {
    id: 'CLI-kept',
    source: 'contract Names the rest of the CLI; contract delete_agent',
    text: 'fleet kept lists deleted agents, and the branches on which their work is kept.',
  },
  {
    id: 'CLI-path',
    source: 'contract the rest of the CLI',
    text: 'fleet path prints the directory of an agent on stdout and warns on stderr of running programs there.',
  },
  {
    id: 'CLI-shell',
    source: 'contract the rest of the CLI',
    text: "fleet shell runs a command in an agent's workspace with the agent's environment and exits as it does.",
  },
  {
    id: 'CLI-shell-coder',
    source: 'contract the rest of the CLI, and Review and merge on Coder',
    text: 'On Coder fleet shell runs a command in the working directory of the agent, through the terminal of the workspace, and exits as it does.',
  },
  {
    id: 'CLI-kept-restore',
    source: 'contract the rest of the CLI',
    text: 'fleet kept restore brings a deleted agent back by its name, its workspace id or its kept branch.',
  },
  {
    id: 'CLI-mcp-install',
    source: 'contract Names state',
    text: 'fleet mcp install writes an entry into the configuration of an MCP client that starts this fleet, and leaves its other entries as they are.',
  },
  {
    id: 'CLI-agents-install',
    source: 'contract Names the rest of the CLI',
    text: 'fleet agents install brings the pinned adapter of a coding agent into FLEET_HOME.',
  },
  {
    id: 'CLI-tools',
    source: 'contract Names the rest of the CLI',
    text: 'fleet tools shows the tools of the orchestrator.',
  },
  {
    id: 'CLI-coder-setup',
    source: 'contract Names Coder',
    text: 'fleet coder setup checks the server and the token and pushes our template, docker, kubernetes or process, and the roles of the process variant run the task by sh -s.',
  },
  {
    id: 'CLI-adopt',
    source: 'contract Names Coder',
    text: 'fleet adopt makes an existing Coder workspace an agent.',
  },
  {
    id: 'CODER-names',
    source: 'contract Names Coder',
    text: 'The Coder server is found by CODER_URL and CODER_SESSION_TOKEN, and the name of a workspace is that of its agent.',
  },
  {
    id: 'CMD-once-per-task',
    source: 'contract command agent',
    text: 'A command agent starts its program once for each task, in the workspace.',
  },
  {
    id: 'CMD-stdin',
    source: 'contract command agent',
    text: 'The program gets the text of the task on stdin and in FLEET_TASK.',
  },
  {
    id: 'CMD-variables',
    source: 'contract command agent',
    text: 'The program gets FLEET_AGENT, FLEET_ROLE, FLEET_PROJECT, FLEET_SPEC and FLEET_WORKSPACE_ID.',
  },
  {
    id: 'CMD-path',
    source: 'contract command agent',
    text: 'The program finds fleet on its PATH.',
  },
  {
    id: 'CMD-output',
    source: 'contract command agent',
    text: 'Each line of stdout is a log entry of level INFO and type output, and each line of stderr one of level WARN.',
  },
  {
    id: 'CMD-exit',
    source: 'contract command agent; contract Agent needs_attention',
    text: 'Exit 0 completes the task, and any other exit fails it and sets needs_attention.',
  },
  {
    id: 'CMD-report',
    source: 'contract command agent',
    text: 'fleet report inside the program, with --uri and --state, is report_task of its own agent.',
  },
  {
    id: 'CMD-task-self',
    source: 'contract command agent',
    text: 'fleet task --self inside the program queues a task for its own agent.',
  },
  {
    id: 'CMD-cancel-interrupt',
    source: 'contract command agent; seed 001 cancel_agent_task',
    text: 'Cancelling sends SIGINT to the whole process tree of the task.',
  },
  {
    id: 'CMD-cancel-terminate',
    source: 'contract command agent',
    text: 'A tree that ignores SIGINT gets SIGTERM after 5 s and SIGKILL after 5 s more.',
  },
  {
    id: 'CMD-tree-gone',
    source: 'contract command agent',
    text: 'Whatever the task started, also in a session of its own, is gone when the end of the task is recorded.',
  },
];
