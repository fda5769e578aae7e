import { join } from 'node:path';
import { ourTemplate } from '../../src/backends/coder/templates/our-templates.ts';
import { pushTemplate } from '../../src/backends/coder/templates/push-template.ts';
import { clientOf } from '../support/coder/real-coder.ts';
import type { DockerPlace } from './docker-place.ts';

/** Our docker template as the projects that the contract suite knows, whose agents see the shared directory. */
export async function pushDockerTemplates(place: DockerPlace): Promise<void> {
  await pushVariant(place, { name: 'setup', display_name: 'Setup', description: DESCRIPTION });
  await pushVariant(place, { name: 'dataone', display_name: 'DataOne' });
}

const DESCRIPTION = 'Development container for coding tasks';

export interface Variant {
  readonly name: string;
  readonly display_name: string;
  readonly description?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** What of the template is other than ours. */
  readonly change?: (main: string) => string;
}

/** Our docker template under another name, with the role `scripted`. */
export async function pushVariant(place: DockerPlace, variant: Variant): Promise<void> {
  const { name, display_name, description = '', change = (main: string) => main } = variant;
  const { files, variables } = ourTemplate('docker', {
    home: '',
    env: process.env,
    variables: { image: place.image, fleet_package: place.fleet_package, ...variant.variables },
  });
  const { 'presets.tf': presets = '', 'main.tf': main = '' } = files;
  await pushTemplate(clientOf(place.coder), {
    name,
    display_name,
    description,
    files: {
      ...files,
      'main.tf': change(withShared(main, place.shared)),
      'presets.tf': presets.replace('default     = true\n', '') + scriptedPreset(place.shared),
    },
    variables,
  });
}

function withShared(main: string, shared: string): string {
  const path = JSON.stringify(shared);
  return main.replace(
    '  volumes {\n',
    `  volumes {\n    host_path      = ${path}\n    container_path = ${path}\n  }\n  volumes {\n`,
  );
}

const scriptedPreset = (shared: string): string => `
data "coder_workspace_preset" "scripted" {
  name        = "scripted"
  description = "Does what it is told"
  default     = true
  parameters = {
    fleet_role = jsonencode({ agent = "command", command = ["node", ${JSON.stringify(join(shared, 'scripted.mjs'))}] })
  }
}
`;
