import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { shellWord } from '../../../domain/values/text.ts';
import { findProgram } from '../../../platform/processes/find-program.ts';
import { PACKAGE_ROOT, packageVersion, programFile } from '../../../platform/package.ts';
import type { PushedTemplate } from './push-template.ts';

export const TEMPLATE_KINDS = ['docker', 'kubernetes', 'process'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

const DESCRIPTIONS: Readonly<Record<TemplateKind, string>> = {
  docker: 'A container with a volume, and a coding agent of Fleet',
  kubernetes: 'A pod with a volume, and a coding agent of Fleet',
  process: 'A process on the machine of the server, and an agent that runs shell scripts',
};

/** The directories of each: what they have in common is written once. */
const PARTS: Readonly<Record<TemplateKind, readonly string[]>> = {
  docker: ['common', 'container', 'docker'],
  kubernetes: ['common', 'container', 'kubernetes'],
  process: ['common', 'process'],
};

export interface TemplateOptions {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly variables: Readonly<Record<string, string>>;
}

/** A template that comes with Fleet, ready to be pushed. */
export function ourTemplate(kind: TemplateKind, { home, env, variables }: TemplateOptions): PushedTemplate {
  const files = PARTS[kind].flatMap((part) => {
    const directory = join(PACKAGE_ROOT, 'coder', part);
    return readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
  });
  return {
    name: `fleet-${kind}`,
    display_name: `Fleet ${kind}`,
    description: DESCRIPTIONS[kind],
    files: Object.fromEntries(files),
    variables: variablesOf(kind, { home, env, variables }),
  };
}

/** The variables that were given, with defaults for the rest. */
function variablesOf(
  kind: TemplateKind,
  { home, env, variables }: TemplateOptions,
): Readonly<Record<string, string>> {
  if (kind !== 'process') return { fleet_package: `fleet-mcp@${packageVersion()}`, ...variables };
  return {
    workspaces_dir: join(home, 'coder', 'workspaces'),
    fleet_command: [process.execPath, programFile('backends/coder/runner/coder-runner-main')]
      .map(shellWord)
      .join(' '),
    ...variables,
    coder_bin: variables['coder_bin'] ?? coderProgram(env),
  };
}

function coderProgram(env: NodeJS.ProcessEnv): string {
  const found = findProgram('coder', env['PATH']);
  if (found !== undefined) return found;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    'The program "coder" is not on the PATH. Workspaces of the template "process" run "coder agent" on the machine of the Coder server, so without it they would never connect. Install coder there and run this command there, name the program with --variable coder_bin=/path/to/coder, or push another template.',
    { field: 'coder_bin', reason: 'coder_not_installed' },
  );
}
