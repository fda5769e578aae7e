import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../platform/find-program.ts';
import { PACKAGE_ROOT, packageVersion, programFile } from '../../platform/package.ts';
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
    variables: { ...defaultsOf(kind, { home, env }), ...variables },
  };
}

function defaultsOf(
  kind: TemplateKind,
  { home, env }: Pick<TemplateOptions, 'home' | 'env'>,
): Record<string, string> {
  if (kind !== 'process') return { fleet_package: `fleet-mcp@${packageVersion()}` };
  return {
    workspaces_dir: join(home, 'coder', 'workspaces'),
    coder_bin: findProgram('coder', env['PATH']) ?? 'coder',
    fleet_command: `'${process.execPath}' '${programFile('backends/coder/runner/coder-runner-main')}'`,
  };
}
