import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ourTemplate, type TemplateKind } from '../../src/backends/coder/templates/our-templates.ts';
import { dockerPlace } from './docker-place.ts';

/** The plugin mirror and settings of the server, which has the providers that can be had here. */
const settings = (): string => join(dockerPlace().coder.state, 'terraformrc');

function validate(kind: TemplateKind): string {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-template-'));
  try {
    const { files } = ourTemplate(kind, { home: '', env: {}, variables: { coder_bin: '/bin/true' } });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const env = { ...process.env, TF_CLI_CONFIG_FILE: settings(), CHECKPOINT_DISABLE: '1' };
    const terraform = (...args: string[]): string =>
      execFileSync('terraform', [`-chdir=${directory}`, ...args], { env, encoding: 'utf8', stdio: 'pipe' });
    terraform('init', '-input=false');
    return terraform('validate', '-json');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

it.each(['docker', 'process'] as const)('is a valid template: %s', (kind) => {
  expect(existsSync(settings())).toBe(true);
  expect(JSON.parse(validate(kind))).toMatchObject({ valid: true, error_count: 0 });
});
