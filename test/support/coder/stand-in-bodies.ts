import type { StandInBuild, StandInWorkspace } from './stand-in-workspace.ts';

export interface StandInTemplate {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  version_id: string;
  readonly presets: readonly StandInPreset[];
  readonly parameters: readonly string[];
  readonly apps: readonly string[];
}

export interface StandInPreset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly default: boolean;
  readonly parameters: Readonly<Record<string, string>>;
}

export const ORGANIZATION = { id: 'b3b3db0e-38da-44d8-8b3b-3651cca407c8', name: 'coder' };
export const OWNER = { id: 'f01fe44a-ae3d-4f3f-9a29-dbcecd52d4b9', name: 'fleet' };

export function templateBody(template: StandInTemplate) {
  return {
    id: template.id,
    name: template.name,
    display_name: template.display_name,
    description: template.description,
    organization_id: ORGANIZATION.id,
    organization_name: ORGANIZATION.name,
    active_version_id: template.version_id,
    deprecated: false,
  };
}

export function presetBody(preset: StandInPreset) {
  return {
    ID: preset.id,
    Name: preset.name,
    Parameters: Object.entries(preset.parameters).map(([Name, Value]) => ({ Name, Value })),
    Default: preset.default,
    DesiredPrebuildInstances: 0,
    Description: preset.description,
    Icon: '',
  };
}

export function parameterBody(name: string) {
  return {
    name,
    description: '',
    description_plaintext: '',
    type: 'string',
    form_type: 'input',
    mutable: true,
    default_value: '',
    icon: '',
    options: [],
    required: false,
    ephemeral: false,
  };
}

export function workspaceBody(workspace: StandInWorkspace, template: StandInTemplate) {
  return {
    id: workspace.id,
    created_at: workspace.created_at,
    updated_at: workspace.created_at,
    owner_id: OWNER.id,
    owner_name: workspace.owner ?? OWNER.name,
    organization_id: ORGANIZATION.id,
    organization_name: ORGANIZATION.name,
    template_id: template.id,
    template_name: template.name,
    template_display_name: template.display_name,
    template_allow_user_cancel_workspace_jobs: true,
    template_active_version_id: template.version_id,
    latest_build: buildBody(workspace, workspace.latest),
    latest_app_status:
      workspace.latest_status === null ? null : statusBody(workspace, workspace.latest_status),
    outdated: workspace.latest.version_id !== template.version_id,
    name: workspace.identity.name,
    dormant_at: workspace.dormant_at,
    deleting_at: null,
    health: { healthy: true, failing_agents: [] },
    favorite: false,
  };
}

export function buildBody(workspace: StandInWorkspace, build: StandInBuild) {
  const isLatest = build === workspace.builds.at(-1);
  return {
    id: build.id,
    created_at: build.created_at,
    updated_at: build.created_at,
    workspace_id: workspace.id,
    workspace_name: workspace.identity.name,
    workspace_owner_id: OWNER.id,
    workspace_owner_name: OWNER.name,
    template_version_id: build.version_id,
    template_version_name: 'v1',
    build_number: build.build_number,
    transition: build.transition,
    initiator_id: OWNER.id,
    initiator_name: OWNER.name,
    job: {
      id: build.id,
      created_at: build.created_at,
      status: build.job,
      ...(build.error === null ? {} : { error: build.error }),
      queue_position: 0,
      queue_size: 0,
    },
    reason: 'initiator',
    resources:
      isLatest && workspace.agent !== null && build.job === 'succeeded' ? [resourceBody(workspace)] : [],
    deadline: workspace.deadline,
    max_deadline: null,
    status: statusOf(build),
    daily_cost: 0,
    template_version_preset_id: build.preset_id,
  };
}

/** As Coder derives it from the job and the transition. */
function statusOf({ job, transition }: StandInBuild): string {
  const words = {
    start: { running: 'starting', succeeded: 'running' },
    stop: { running: 'stopping', succeeded: 'stopped' },
    delete: { running: 'deleting', succeeded: 'deleted' },
  };
  return job === 'running' || job === 'succeeded' ? words[transition][job] : job;
}

function resourceBody(workspace: StandInWorkspace) {
  const { agent } = workspace;
  return {
    id: workspace.id,
    type: 'terraform_data',
    name: 'agent',
    hide: false,
    icon: '',
    agents: [
      {
        id: agent?.id,
        parent_id: null,
        ...(agent?.first_connected_at === null
          ? {}
          : { first_connected_at: agent?.first_connected_at, ready_at: agent?.first_connected_at }),
        ...(agent?.disconnected_at === null ? {} : { disconnected_at: agent?.disconnected_at }),
        status: agent?.status,
        lifecycle_state: agent?.lifecycle,
        name: 'main',
        connection_timeout_seconds: 120,
        health: healthOf(agent?.status),
        environment_variables: { FLEET_PORT: String(workspace.port) },
        apps: [
          {
            id: workspace.id,
            slug: workspace.identity.app,
            url: `http://127.0.0.1:${workspace.port}`,
            health: workspace.app_health,
            healthcheck: { url: `http://127.0.0.1:${workspace.port}/healthz`, interval: 5, threshold: 3 },
            statuses: (agent?.statuses ?? []).map((status) => statusBody(workspace, status)),
          },
        ],
      },
    ],
    metadata: workspace.metadata,
    daily_cost: 0,
  };
}

/** In Coder's own words. */
function healthOf(status: string | undefined): object {
  switch (status) {
    case 'timeout':
      return { healthy: false, reason: 'agent is taking too long to connect' };
    case 'disconnected':
      return { healthy: false, reason: 'agent has lost connection' };
    default:
      return { healthy: true };
  }
}

function statusBody(workspace: StandInWorkspace, status: NonNullable<StandInWorkspace['latest_status']>) {
  return {
    ...status,
    workspace_id: workspace.id,
    agent_id: workspace.agent?.id ?? workspace.id,
    app_id: workspace.id,
    icon: '',
    needs_user_attention: false,
  };
}
