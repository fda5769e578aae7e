import type { FleetConfig } from '../../config/config-schema.ts';

/** What a configuration can start, one line for each. */
export function startedPrograms({ projects, roles, mcpServers }: FleetConfig): readonly string[] {
  return [
    ...Object.entries(projects).flatMap(([name, { setup }]) =>
      setup === undefined ? [] : [`project ${name}, set-up: ${shown(setup)}`],
    ),
    ...Object.entries(roles).map(([name, { agent, command }]) =>
      command === undefined ? `role ${name}: ${agent ?? 'as built in'}` : `role ${name}: ${shown(command)}`,
    ),
    ...Object.entries(mcpServers).flatMap(([name, { command, args }]) =>
      command === undefined ? [] : [`MCP server ${name}: ${shown([command, ...(args ?? [])])}`],
    ),
  ];
}

function shown(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.join(' ');
}
