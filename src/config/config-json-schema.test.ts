import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from './config-json-schema.ts';
import { parseConfig } from './parse-config.ts';

const schemaFile = readFileSync(new URL('../../schema/fleet.schema.json', import.meta.url), 'utf8');
const example = readFileSync(new URL('../../schema/fleet.example.yaml', import.meta.url), 'utf8');
const schema: object = JSON.parse(schemaFile);
const validate = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false }).compile(schema);

test('the committed schema is what the loader uses; node scripts/make-schema.ts writes it', () => {
  expect(schema).toEqual(configJsonSchema());
});

const PROJECT = 'version: 1\nprojects:\n  a:\n    repository: x\n';

const ACCEPTED = [
  'version: 1',
  '{"$schema": "./fleet.schema.json", "version": 1}',
  `${PROJECT}    setup: [a, ""]\n    copy: [.env, a/..b]\n    sleep_after: 500ms\n`,
  'version: 1\nroles: {coder: {}, MANAGER: {model: x}, o: {agent: acp, command: [x]}}',
  'version: 1\nmcpServers: {a: {url: "http://x", foo: 1}, "b c": {command: x, prefix: false}}',
];

const REFUSED = [
  '{}',
  '[]',
  'version: 2',
  'version: 1\nfoo: 1',
  'version: 1\nmax_starting: 0',
  'version: 1\nbackend: ""',
  'version: 1\nbackends: {a: {type: x, url: "http://x", token_env: T}}',
  'version: 1\nprojects: {a: {}}',
  'version: 1\nprojects: {"": {repository: x}}',
  'version: 1\nprojects: {"a\\nb": {repository: x}}',
  `${PROJECT}    stuck_after: 15\n`,
  `${PROJECT}    stuck_after: 0m\n`,
  `${PROJECT}    setup: []\n`,
  `${PROJECT}    copy: [../x]\n`,
  `${PROJECT}    copy: [a/../../x]\n`,
  `${PROJECT}    copy: [/x]\n`,
  'version: 1\nroles: {a: {}}',
  'version: 1\nroles: {a: {agent: bash}}',
  'version: 1\nroles: {a: {agent: command}}',
  'version: 1\nroles: {a: {agent: command, command: []}}',
  'version: 1\nroles: {a: {agent: claude, command: [x]}}',
  'version: 1\nroles: {coder: {command: [x]}}',
  'version: 1\nroles: {coder: {system_prompt: x, system_prompt_file: y}}',
  'version: 1\nroles: {coder: {env: {A-B: x}}}',
  'version: 1\nroles: {coder: {on_crash: retry}}',
  'version: 1\nmcpServers: {a: {}}',
  'version: 1\nmcpServers: {a: {command: x, url: y}}',
  'version: 1\nmcpServers: {a: {command: x, approve: some}}',
];

test('the schema accepts the example and refuses what the loader refuses [CFG-schema]', () => {
  const loads = (text: string) => {
    try {
      parseConfig({ text, path: '/x/fleet.yaml', env: {} });
      return true;
    } catch {
      return false;
    }
  };
  for (const text of [example, ...ACCEPTED]) {
    expect([text, loads(text), validate(parse(text)), validate.errors]).toEqual([text, true, true, null]);
  }
  for (const text of REFUSED)
    expect([text, loads(text), validate(parse(text))]).toEqual([text, false, false]);
});
