import { z } from 'zod';

const time = z.string();
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items): z.output<Item>[] => items ?? []);

const statusSchema = z.object({
  id: z.string().default(''),
  created_at: time,
  state: z.string(),
  message: z.string().default(''),
  uri: z.string().default(''),
});

const appSchema = z.object({
  slug: z.string(),
  health: z.string().default('disabled'),
  statuses: list(statusSchema),
});

const agentSchema = z.object({
  id: z.string(),
  parent_id: z.string().nullish(),
  status: z.string(),
  lifecycle_state: z.string(),
  /** Why Coder considers it unhealthy. */
  health: z.object({ reason: z.string().default('') }).nullish(),
  disconnected_at: time.nullish(),
  ready_at: time.nullish(),
  apps: list(appSchema),
});

const resourceSchema = z.object({
  agents: list(agentSchema),
  metadata: list(
    z.object({ key: z.string(), value: z.string().default(''), sensitive: z.boolean().default(false) }),
  ),
});

export const buildSchema = z.object({
  id: z.string(),
  created_at: time,
  build_number: z.int(),
  transition: z.string(),
  status: z.string(),
  initiator_name: z.string().default(''),
  template_version_id: z.string(),
  template_version_preset_id: z.string().nullish(),
  deadline: time.nullish(),
  job: z.object({
    status: z.string(),
    error: z.string().nullish(),
    queue_position: z.int().default(0),
    queue_size: z.int().default(0),
  }),
  resources: list(resourceSchema),
});

/** Field by field: a workspace's JSON also holds the environment of its agent, which is nobody's business. */
export const workspaceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: time,
  owner_id: z.string(),
  owner_name: z.string(),
  template_id: z.string(),
  template_name: z.string(),
  template_display_name: z.string().default(''),
  template_active_version_id: z.string().default(''),
  outdated: z.boolean().default(false),
  dormant_at: time.nullish(),
  latest_app_status: statusSchema.nullish(),
  latest_build: buildSchema,
});

export const workspacesSchema = z.object({ workspaces: list(workspaceSchema), count: z.int() });

export const parametersSchema = list(z.object({ name: z.string(), value: z.string() }));

export const buildLogsSchema = list(
  z.object({ log_level: z.string(), stage: z.string().default(''), output: z.string() }),
);

export type AppStatus = z.output<typeof statusSchema>;
export type Workspace = z.output<typeof workspaceSchema>;
export type Build = z.output<typeof buildSchema>;
export type WorkspaceAgent = z.output<typeof agentSchema>;
