import { randomUUID } from 'node:crypto';
import { templateBody, type StandInTemplate } from './stand-in-bodies.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Version {
  readonly id: string;
  readonly name: string;
  readonly source: string;
}

/** How the stand-in takes templates: it reads off the archive what a server learns by terraform. */
export class StandInPush {
  readonly #files = new Map<string, string>();
  readonly #versions = new Map<string, Version>();
  readonly #templates: StandInTemplate[];

  constructor(templates: StandInTemplate[]) {
    this.#templates = templates;
  }

  file(text: string): Answer {
    const hash = randomUUID();
    this.#files.set(hash, text);
    return { status: 201, body: { hash } };
  }

  version(body: Record<string, unknown>): Answer {
    const made = {
      id: randomUUID(),
      name: String(body['name']),
      source: this.#files.get(String(body['file_id'])) ?? '',
    };
    this.#versions.set(made.id, made);
    return { status: 201, body: versionBody(made) };
  }

  find(id: string): Answer | undefined {
    const known = this.#versions.get(id);
    return known === undefined ? undefined : { status: 200, body: versionBody(known) };
  }

  template(body: Record<string, unknown>): Answer {
    const version = this.#versions.get(String(body['template_version_id']));
    if (version === undefined) return { status: 400, body: { message: 'Template version does not exist.' } };
    const template: StandInTemplate = {
      id: randomUUID(),
      name: String(body['name']),
      display_name: String(body['display_name']),
      description: String(body['description']),
      version_id: version.id,
      parameters: named(version.source, 'coder_parameter'),
      apps: named(version.source, 'coder_app'),
      presets: named(version.source, 'coder_workspace_preset').map((name) => ({
        id: randomUUID(),
        name,
        description: '',
        default: name === 'coder',
        parameters: presetValues(version.source, name),
      })),
    };
    this.#templates.push(template);
    return { status: 201, body: templateBody(template) };
  }
}

function versionBody({ id, name }: Version) {
  return { id, name, job: { status: 'succeeded' } };
}

function named(source: string, kind: string): string[] {
  return [...source.matchAll(new RegExp(`(?:data|resource) "${kind}" "(\\w+)"`, 'g'))].map(
    ([, name = '']) => name,
  );
}

/** The command of a role, as jsonencode would write it. */
function presetValues(source: string, preset: string): Record<string, string> {
  const [, block = ''] =
    new RegExp(`"coder_workspace_preset" "${preset}" \\{([\\s\\S]*?)\\n\\}`).exec(source) ?? [];
  const [, command = '[]'] = /command = (\[[^\]]*\])/.exec(block) ?? [];
  return { fleet_role: JSON.stringify({ agent: 'command', command: JSON.parse(command) }) };
}
