import { z } from 'zod';
import { parseByteSize } from '../domain/byte-size.ts';
import { FORGE_TYPES } from '../domain/forge-types.ts';
import { DECISIONS } from '../domain/approval.ts';
import { parseDuration } from '../domain/duration.ts';
import { name, someText, text } from './config-texts.ts';
import { mcpServerSchema, type McpServerConfig } from './mcp-server-schema.ts';
import { moduleName, viewName, viewSchema } from './view-schema.ts';

export const AGENT_KINDS = ['claude', 'codex', 'opencode', 'qwen', 'gemini', 'acp', 'command'] as const;
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

const projectFileSchema = z.strictObject({
  repository: someText
    .optional()
    .describe(
      'Path of a git repository, from the directory of this file on; each agent gets a worktree and a branch of its own',
    ),
  template: someText
    .optional()
    .describe(
      "On Coder: the template by display name, name or organization/name; default: the project's name",
    ),
  base: someText.optional().describe("Branch, tag or commit to start from; default: the repository's HEAD"),
  description: text.optional(),
  default_role: name.optional(),
  stuck_after: duration.prefault('15m').describe('Busy without progress for this long needs attention'),
  sleep_after: duration.prefault('5m').describe('Idle for this long, an agent is put to sleep'),
  setup: z
    .union([someText, argumentList], 'must be a line for the shell, or a list of a program and its arguments')
    .optional()
    .describe(
      'Run once in a new worktree, before the agent: a line for the shell, or a program with its arguments',
    ),
  copy: z
    .array(pathInside)
    .optional()
    .describe('Files of the repository that git does not track, copied into a new worktree'),
  keep: z
    .array(pathInside)
    .optional()
    .describe(
      'Paths that git ignores and that hold work, kept when an agent is deleted; * and ** as git has them',
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
      .describe('What runs; may be left out where a built-in role is overridden'),
    command: argumentList
      .optional()
      .describe('The program and its arguments, for the agents command and acp'),
    system_prompt: text.optional(),
    system_prompt_file: someText
      .optional()
      .describe('A file with the system prompt, from the directory of this file on'),
    model: someText.optional().describe('Where the agent lets one choose'),
    env: variables
      .optional()
      .describe("Added to the agent's environment; ${NAME} is an environment variable"),
    env_from: z.array(variableName).optional().describe('Variables taken from whoever creates the agent'),
    on_crash: z
      .enum(['interrupt', 'resume'])
      .optional()
      .describe('What becomes of the running task; default: interrupt'),
    mode: someText.optional().describe('A mode that the agent offers, such as acceptEdits'),
    permissions: z
      .array(permissionRuleSchema)
      .optional()
      .describe(
        "Standing answers to the agent's questions: the first that fits counts, else a person is asked",
      ),
    answer_within: duration.optional().describe('How long a person has to answer; default: 1h'),
    silent_after: duration
      .optional()
      .describe('How long a turn may show no sign of life with nothing at work; default: 5m'),
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
    team: z
      .strictObject({ agents: z.int().min(1).max(100), depth: z.int().min(1).max(5).default(1) })
      .optional()
      .describe(
        "The agent gets the fleet's operations as tools, for agents that it creates: how many, and how deep",
      ),
    view: viewName
      .optional()
      .describe('The agent gets the tools of mcpServers that this view shows; default: none'),
    contained: z
      .boolean()
      .optional()
      .describe("false: the agent can use sudo, and can reach the fleet's own files; default: true"),
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
    .describe('The environment variable that holds the token; without it, github asks the program gh'),
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
  mcpServers: z.record(name, mcpServerSchema).default({}).describe('The shape that every MCP client uses'),
  tool_modules: z
    .record(moduleName, someText)
    .default({})
    .describe('JavaScript or TypeScript modules that export tools, from the directory of this file on'),
  views: z
    .record(viewName, viewSchema)
    .default({})
    .describe('Parts of all tools, for clients at /mcp/NAME, for tokens, and for roles'),
  approve_tools: z
    .array(someText)
    .default([])
    .describe('Tools that ask a person first, whatever their server says: names, with * for any characters'),
  forges: z
    .record(name, forgeSchema)
    .superRefine((forges, { addIssue }) => {
      for (const [host, { url }] of Object.entries(forges))
        if (!URL.canParse(url ?? `https://${host}`) || (url === undefined && !/^[\w.:-]+$/.test(host)))
          addIssue({ code: 'custom', path: [host, 'url'], message: 'must be the address of the forge' });
    })
    .default({})
    .describe('Hosts that may be asked for the state of pull requests, by name; no other is asked'),
  tool_search: z
    .boolean()
    .default(false)
    .describe(
      'true: the tools of mcpServers are not listed, but searched, described and called by three tools',
    ),
  ask_clients: z
    .boolean()
    .default(true)
    .describe("false: calls that ask a person wait for fleet approve; no client's user is asked"),
  max_starting: z.int().min(1).optional().describe('How many agents may start at the same time'),
  memory_reserve: byteSize
    .optional()
    .describe('Memory that is left free: while an agent more would take of it, agents start one at a time'),
});

/** What can stand in an entry of each strict section. */
export const SECTION_KEYS: Readonly<Record<string, readonly string[]>> = {
  backends: Object.keys(backendSchema.shape),
  forges: Object.keys(forgeSchema.shape),
  projects: Object.keys(projectFileSchema.shape),
  roles: Object.keys(roleSchema.shape),
  views: Object.keys(viewSchema.shape),
};

/** The file as it was written: variables and paths as they stand there. */
export type ConfigFile = z.output<typeof configSchema>;

export type AgentKind = (typeof AGENT_KINDS)[number];
export type BackendConfig = z.output<typeof backendSchema>;
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
