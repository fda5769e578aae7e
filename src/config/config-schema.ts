import { z } from 'zod';
import { parseByteSize } from '../domain/values/byte-size.ts';
import { FORGE_TYPES } from '../domain/values/forge-types.ts';
import { DECISIONS } from '../domain/approvals/approval.ts';
import { parseDuration } from '../domain/values/duration.ts';
import { name, someText, text } from './config-texts.ts';
import { mcpServerSchema, type McpServerConfig } from './mcp-server-schema.ts';
import { sessionSchema } from './model/session-schema.ts';
import { moduleName, viewName, viewSchema } from './view-schema.ts';

export const AGENT_KINDS = ['claude', 'codex', 'opencode', 'qwen', 'gemini', 'acp', 'command'] as const;
/** The backends that need no entry in `backends`; `src/fleet/backend-table.ts` has the code of each. */
export const BACKEND_NAMES = ['local', 'coder'] as const;
/** The agents whose program the configuration names. */
export const AGENT_KINDS_WITH_COMMAND = ['acp', 'command'] as const;

const DURATION_HINT = 'must be a time such as "15m", "90s" or "2h", longer than nothing and at most 24 days';
const VARIABLE_HINT = 'must be the name of an environment variable: letters, digits and "_"';
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, VARIABLE_HINT);

const argumentList = z.array(text).min(1);
const variables = z.record(variableName, text);

const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,11}(ms|s|m|h|d)$/, DURATION_HINT)
  .transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== undefined) return ms;
    context.addIssue(DURATION_HINT);
    return z.NEVER;
  });

const SIZE_HINT = 'must be an amount of memory such as "512MB" or "2GB"';
const byteSize = z
  .string()
  .regex(/^[0-9]{1,9}(KB|MB|GB)$/, SIZE_HINT)
  .transform((value) => parseByteSize(value) ?? z.NEVER);

const pathInside = someText.regex(
  /^(?!\/|~\/)(?!([^]*\/)?\.\.(\/|$))/,
  'must be a path inside the repository, from its top on',
);

const backendSchema = z.strictObject({
  type: z.literal('coder'),
  url: someText.describe('Address of the Coder server; ${NAME} is an environment variable'),
  token_env: variableName.describe('The environment variable that holds the session token'),
});

const commandLine = z.union(
  [someText, argumentList],
  'must be a line for the shell, or a list of a program and its arguments',
);

const checkSchema = z.union(
  [
    someText,
    z.strictObject({
      run: commandLine,
      timeout: duration.prefault('10m').describe('When the check takes longer, it is stopped and has failed'),
    }),
  ],
  'must be a line for the shell, or "run" and "timeout"',
);

const projectFileSchema = z.strictObject({
  repository: someText
    .optional()
    .describe(
      'Path of a git repository, relative to the directory of this file; each agent gets its own clone and branch',
    ),
  template: someText
    .optional()
    .describe(
      "On Coder: the template by display name, name or organization/name; default: the project's name",
    ),
  base: someText.optional().describe("Branch, tag or commit to start from; default: the repository's HEAD"),
  description: text.optional(),
  default_role: name.optional(),
  stuck_after: duration
    .prefault('15m')
    .describe('A busy agent without progress for this long needs attention'),
  sleep_after: duration.prefault('5m').describe('An agent that is idle for this long is put to sleep'),
  setup: commandLine
    .optional()
    .describe(
      'Run once in a new workspace, before the agent starts: a shell command line, or a program with its arguments',
    ),
  copy: z
    .array(pathInside)
    .optional()
    .describe('Files of the repository that git does not track, copied into a new workspace'),
  checks: z
    .record(name, checkSchema)
    .optional()
    .describe("Commands that must succeed on a clean checkout of an agent's work, by name"),
  ci_feedback: z
    .boolean()
    .optional()
    .describe(
      "true: failing CI and review comments of an agent's pull request become tasks of the agent; default: false",
    ),
  forecast: z
    .boolean()
    .optional()
    .describe(
      'true: fleet serve makes the forecast again when branches of agents have moved; default: false',
    ),
  remote_name: name
    .optional()
    .describe(
      'Branches of agents are shown in the repository as branches of a remote with this name; default: fleet',
    ),
  backend: name.optional().describe('Where the agents of this project run; default: backend of this file'),
});

const projectSchema = projectFileSchema.transform(({ stuck_after, sleep_after, ...rest }) => ({
  ...rest,
  stuck_after_ms: stuck_after,
  sleep_after_ms: sleep_after,
}));

export const permissionRuleSchema = z.strictObject({
  tool: someText.describe('Name of a tool; * stands for anything'),
  command: someText.optional().describe('For a tool that runs commands'),
  path: someText.optional().describe('For a tool that reads or writes files'),
  decision: z.enum(DECISIONS),
});

export const roleSchema = z
  .strictObject({
    description: text.optional(),
    display_name: someText.max(200).optional(),
    agent: z
      .enum(AGENT_KINDS)
      .optional()
      .describe('The kind of agent; may be left out where a built-in role is overridden'),
    command: argumentList
      .optional()
      .describe('The program and its arguments, for the agents command and acp'),
    system_prompt: text.optional(),
    system_prompt_file: someText
      .optional()
      .describe('A file with the system prompt, relative to the directory of this file'),
    model: someText.optional().describe('If the coding agent supports a choice'),
    env: variables
      .optional()
      .describe("Added to the agent's environment; ${NAME} is an environment variable"),
    env_from: z
      .array(variableName)
      .optional()
      .describe('Variables taken from the environment in which the agent is created'),
    on_crash: z
      .enum(['interrupt', 'resume'])
      .optional()
      .describe('What happens to the running task when its runner dies; default: interrupt'),
    check_retries: z
      .int()
      .min(0)
      .max(20)
      .optional()
      .describe('How often in a row failing checks become a task of the agent; default: 0'),
    mode: someText.optional().describe('A mode of the coding agent, such as acceptEdits'),
    permissions: z
      .array(permissionRuleSchema)
      .optional()
      .describe(
        "Rules that answer the agent's permission requests: the first match applies, else a person is asked",
      ),
    answer_within: duration.optional().describe('How long a person has to answer; default: 1h'),
    silent_after: duration
      .optional()
      .describe('How long a turn may show no activity while no tool runs; default: 5m'),
    budget: z
      .strictObject({
        tokens: z.int().min(1).optional(),
        cost: z.number().positive().optional().describe('US dollars'),
        time: duration.optional(),
      })
      .optional()
      .describe('What one task may use'),
    retry: z
      .strictObject({ wait: duration, tries: z.int().min(0).max(20) })
      .optional()
      .describe('When the model cannot be reached: the first wait, doubled each time; default: 5s, 5'),
    trust_repository: z
      .boolean()
      .optional()
      .describe("true: the repository's own settings, hooks and MCP servers count; default: false"),
    metadata: z
      .boolean()
      .optional()
      .describe(
        'true: the fields of a Taskfile are run in the sandbox of the agent, false: they are not; default: for agents that may run commands without asking',
      ),
    team: z
      .strictObject({ agents: z.int().min(1).max(100), depth: z.int().min(1).max(5).default(1) })
      .optional()
      .describe(
        "The agent gets the fleet's operations as tools, for agents that it creates: their number, and the depth",
      ),
    view: viewName.optional().describe('The agent gets the tools of this view; default: none'),
    contained: z
      .boolean()
      .optional()
      .describe("false: the agent can use sudo, and can reach the fleet's own files; default: true"),
    write: z
      .array(someText)
      .optional()
      .describe(
        'Further files and directories that the agent can write to, relative to the directory of this file',
      ),
    hide: z
      .array(someText)
      .optional()
      .describe('Files and directories that are empty for the agent, relative to the directory of this file'),
    sockets: z
      .array(someText)
      .optional()
      .describe('Unix sockets, or directories of them, that the agent can connect to'),
    ssh_agent: z
      .boolean()
      .optional()
      .describe('true: the agent can use the ssh agent of the user who creates it; default: false'),
  })
  .meta({ id: 'role' });

export const rolesSchema = z.record(name, roleSchema);

const forgeSchema = z.strictObject({
  type: z.enum(FORGE_TYPES).describe('Forgejo is gitea'),
  url: someText
    .regex(/^https?:\/\/[^/?#\s]+[^?#\s]*$/, 'must be an address such as "https://git.example.com"')
    .optional()
    .describe('Address of its pages; default: https and the host'),
  token_env: variableName
    .optional()
    .describe('The environment variable with the token; without it, github uses the program gh'),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1),
  backend: name.default('local').describe('Where agents run: local, coder, or a name of backends'),
  backends: z.record(name, backendSchema).default({}).describe('Only for more than one Coder'),
  projects: z.record(name, projectSchema).default({}),
  roles: rolesSchema
    .default({})
    .describe('Added to the built-in roles coder, operator and manager, or overriding them'),
  mcpServers: z.record(name, mcpServerSchema).default({}).describe('In the format that MCP clients use'),
  tool_modules: z
    .record(moduleName, someText)
    .default({})
    .describe('JavaScript or TypeScript modules that export tools, relative to the directory of this file'),
  views: z
    .record(viewName, viewSchema)
    .default({})
    .describe('Subsets of the tools, for clients at /mcp/NAME, for tokens, and for roles'),
  approve_tools: z
    .array(someText)
    .default([])
    .describe('Tools that need an approval, whatever their server says: names, with * for any characters'),
  forges: z
    .record(name, forgeSchema)
    .superRefine((forges, { addIssue }) => {
      for (const [host, { url }] of Object.entries(forges))
        if (!URL.canParse(url ?? `https://${host}`) || (url === undefined && !/^[\w.:-]+$/.test(host)))
          addIssue({ code: 'custom', path: [host, 'url'], message: 'must be the address of the forge' });
    })
    .default({})
    .describe(
      'Hosts where pull requests are opened, and from which their state is read; no other host gets a request',
    ),
  tool_search: z
    .boolean()
    .default(false)
    .describe(
      'true: the tools of mcpServers are not listed, but searched, described and called by three tools',
    ),
  ask_clients: z
    .boolean()
    .default(true)
    .describe("false: calls that need an approval wait for fleet approve; the client's user is not asked"),
  session: sessionSchema.optional().describe('The model of fleet chat and fleet ask'),
  public_url: someText
    .regex(
      /^https?:\/\/[^/?#\s@]+\/?$/,
      'must be an address without a path, such as "https://fleet.example.com"',
    )
    .refine((url) => URL.canParse(url), 'must be an address such as "https://fleet.example.com"')
    .optional()
    .describe(
      'The address of fleet serve behind a proxy: accepted as Host and Origin, and used in sign-in links',
    ),
  max_starting: z.int().min(1).optional().describe('How many agents may start at the same time'),
  memory_reserve: byteSize
    .optional()
    .describe('Memory to leave free: while one more agent would need some of it, agents start one at a time'),
});

/** What can stand in an entry of each strict section. */
export const SECTION_KEYS: Readonly<Record<string, readonly string[]>> = {
  backends: Object.keys(backendSchema.shape),
  forges: Object.keys(forgeSchema.shape),
  projects: Object.keys(projectFileSchema.shape),
  roles: Object.keys(roleSchema.shape),
  session: Object.keys(sessionSchema.shape),
  views: Object.keys(viewSchema.shape),
};

/** The file as it was written: variables and paths as they stand there. */
export type ConfigFile = z.output<typeof configSchema>;

export type BackendName = (typeof BACKEND_NAMES)[number];
export type AgentKind = (typeof AGENT_KINDS)[number];
/** `system_prompt` holds the text also when it came from a file. */
export type RoleConfig = z.output<typeof roleSchema>;

export type ProjectConfig = Omit<z.output<typeof projectSchema>, 'repository'> & {
  /** Empty on Coder, where a template says where the work comes from. */
  readonly repository: string;
  /** Resolved: its own, or that of the whole file. */
  readonly backend: string;
};

/** The configuration with variables and paths resolved. */
export interface FleetConfig extends Omit<ConfigFile, 'projects' | 'mcpServers'> {
  readonly projects: Readonly<Record<string, ProjectConfig>>;
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
}
