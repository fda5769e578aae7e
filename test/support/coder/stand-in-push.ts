import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { templateBody, type StandInPreset, type StandInTemplate } from './stand-in-bodies.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Version {
  readonly id: string;
  readonly template_id: unknown;
  readonly name: string;
  readonly source: string;
  /** What terraform says against it. */
  readonly problem: string | undefined;
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
    const name = String(body['name']);
    const template_id = body['template_id'];
    const taken = [...this.#versions.values()].some(
      (each) => each.name === name && template_id !== undefined && each.template_id === template_id,
    );
    if (taken)
      return {
        status: 409,
        body: { message: `A template version with name "${name}" already exists for this template.` },
      };
    const source = this.#files.get(String(body['file_id'])) ?? '';
    const problem = missingFile(source, body['user_variable_values'] as readonly Variable[]);
    const made = { id: randomUUID(), template_id, name, source, problem };
    this.#versions.set(made.id, made);
    return { status: 201, body: versionBody(made) };
  }

  find(id: string): Answer | undefined {
    const known = this.#versions.get(id);
    return known === undefined ? undefined : { status: 200, body: versionBody(known) };
  }

  logs(id: string): Answer | undefined {
    const known = this.#versions.get(id);
    if (known === undefined) return undefined;
    const { problem } = known;
    const lines = problem === undefined ? [] : ['Error: Resource precondition failed', problem];
    return {
      status: 200,
      body: lines.map((output, index) => ({
        id: index + 1,
        created_at: new Date().toISOString(),
        log_source: 'provisioner',
        log_level: 'error',
        stage: 'Detecting persistent resources',
        output,
      })),
    };
  }

  template(body: Record<string, unknown>): Answer {
    const version = this.#versions.get(String(body['template_version_id']));
    if (version === undefined) return { status: 400, body: { message: 'Template version does not exist.' } };
    const template: StandInTemplate = {
      id: randomUUID(),
      name: String(body['name']),
      display_name: String(body['display_name']),
      description: String(body['description']),
      ...learned(version),
    };
    this.#templates.push(template);
    return { status: 201, body: templateBody(template) };
  }

  activate(templateId: string, versionId: string): Answer {
    const version = this.#versions.get(versionId);
    const template = this.#templates.find(({ id }) => id === templateId);
    if (version === undefined || template === undefined)
      return { status: 404, body: { message: 'Template version not found.' } };
    Object.assign(template, learned(version));
    return { status: 200, body: { message: 'Updated the active template version!' } };
  }
}

/** What a server learns of a version when it imports it. */
function learned({ id, source }: Version) {
  return {
    version_id: id,
    parameters: named(source, 'coder_parameter'),
    apps: named(source, 'coder_app'),
    presets: presetsIn(source),
  };
}

function versionBody({ id, name, problem }: Version) {
  return {
    id,
    name,
    job:
      problem === undefined
        ? { status: 'succeeded' }
        : { status: 'failed', error: 'terraform plan: exit status 1' },
  };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** The message of a precondition that a variable names a file, when it does not. */
function missingFile(source: string, given: readonly Variable[]): string | undefined {
  for (const [, name = '', message = ''] of source.matchAll(
    /fileexists\(var\.(\w+)\)\n\s*error_message = "((?:[^"\\]|\\.)*)"/g,
  )) {
    const value = given.find((each) => each.name === name)?.value ?? '';
    if (isAbsolute(value) && existsSync(value)) continue;
    return message.replaceAll('\\"', '"').replaceAll(`\${var.${name}}`, value);
  }
  return undefined;
}

function named(source: string, kind: string): string[] {
  return [...source.matchAll(new RegExp(`(?:data|resource) "${kind}" "(\\w+)"`, 'g'))].map(
    ([, name = '']) => name,
  );
}

/** In the order of their names, as a server lists them. */
function presetsIn(source: string): StandInPreset[] {
  return [...source.matchAll(/"coder_workspace_preset" "(\w+)" \{([\s\S]*?)\n\}/g)]
    .map(([, name = '', block = '']) => ({
      id: randomUUID(),
      name,
      description: /description = "([^"]*)"/.exec(block)?.[1] ?? '',
      default: /default += true/.test(block),
      parameters: {
        fleet_role: jsonOf(/fleet_role += jsonencode\((\{.*\})\)/.exec(block)?.[1] ?? '{}'),
        system_prompt: /system_prompt += "([^"]*)"/.exec(block)?.[1] ?? '',
      },
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** As jsonencode writes an object of terraform's. */
function jsonOf(object: string): string {
  return JSON.stringify(JSON.parse(object.replaceAll(/(\w+) = /g, '"$1": ')));
}
