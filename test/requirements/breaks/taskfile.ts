import type { Break } from '../break.ts';

export const taskfileBreaks: readonly Break[] = [
  {
    id: 'MD-show-shape',
    file: 'src/fleet/agent-view.ts',
    find: 'metadata: agent.fields,',
    replace: `metadata: Object.fromEntries(Object.entries(agent.fields).map(([name, { value }]) => [name, { value }])) as never,`,
  },
  {
    id: 'MD-meta-key',
    file: 'src/runner/metadata/read-taskfile.ts',
    find: `!('meta' in content) || `,
    replace: '',
  },
  {
    id: 'MD-show-value-types',
    file: 'src/domain/field-value.ts',
    find: 'value: jsonOrText(text)',
    replace: 'value: jsonOrText(JSON.stringify(text))',
  },
  {
    id: 'MD-trim',
    file: 'src/domain/field-value.ts',
    find: 'const text = output.trim();',
    replace: 'const text = output;',
  },
  {
    id: 'MD-partial',
    file: 'src/runner/metadata/run-field.ts',
    find: `errors.join('; ')`,
    replace: `''`,
  },
  {
    id: 'MD-count-total',
    file: 'src/domain/taskfile-metadata.ts',
    find: 'count: all.length,',
    replace: 'count: listed.length,',
  },
  {
    id: 'MD-meta-wrong',
    file: 'src/runner/metadata/collect-fields.ts',
    find: '[error, found.error, long]',
    replace: '[error, long]',
  },
  {
    id: 'MD-size-limits',
    file: 'src/domain/field-value.ts',
    find: 'if (bytes.length > METADATA_VALUE_LIMIT) {',
    replace: 'if (bytes.length > 100 * METADATA_VALUE_LIMIT) {',
  },
  {
    id: 'MD-limit',
    file: 'src/runner/metadata/run-field.ts',
    find: 'it took over ${FIELD_LIMIT_MS / 1000} s and was ended',
    replace: 'ended',
  },
  {
    id: 'MD-list-values',
    file: 'src/domain/taskfile-metadata.ts',
    find: 'all.filter(([, { schema }]) => schema.include_in_list)',
    replace: 'all',
  },
  {
    id: 'MD-list-null',
    file: 'src/domain/taskfile-metadata.ts',
    find: 'all.filter(([, { schema }]) => schema.include_in_list)',
    replace: 'all.filter(([, { schema, value }]) => schema.include_in_list && value !== null)',
  },
  {
    id: 'MD-all-excluded',
    file: 'src/domain/taskfile-metadata.ts',
    find: 'all.filter(([, { schema }]) => schema.include_in_list)',
    replace: 'all',
  },
  {
    id: 'MD-no-wake',
    file: 'src/backends/local/agent-records.ts',
    find: 'fields: reader.fields(),',
    replace: 'fields: {},',
  },
  {
    id: 'AGENT-metadata-collected-at',
    file: 'src/fleet/agent-view.ts',
    find: 'metadata_collected_at: agent.listed.collected_at,',
    replace: 'metadata_collected_at: null,',
  },
  {
    id: 'MD-broken-taskfile',
    file: 'src/runner/metadata/metadata-keeper.ts',
    find: 'this.#parts.complain(problem);',
    replace: 'return;',
  },
  {
    id: 'MD-never-fails',
    file: 'src/runner/metadata/find-fields.ts',
    find: `  } catch (thrown) {
    return {`,
    replace: `  } catch (thrown) {
    if (thrown instanceof Error) process.exit(1);
    return {`,
  },
  {
    id: 'MD-not-collected',
    file: 'src/domain/taskfile-metadata.ts',
    find: `'not collected yet'`,
    replace: `'unknown'`,
  },
  {
    id: 'US3-2',
    file: 'src/forge/read-pull-request.ts',
    find: `if (merged === true || state === 'merged') return 'merged';`,
    replace: '',
  },
  {
    id: 'US3-3',
    file: 'src/forge/read-pull-request.ts',
    find: `return state === 'pending' ? 'pending' : 'failing';`,
    replace: `return 'pending';`,
  },
  {
    id: 'EDGE-05-inaccessible',
    file: 'src/fleet/forge-reader.ts',
    find: 'error: thrown.message, asked: true',
    replace: 'error: null, asked: true',
  },
  {
    id: 'AGENT-pull-request-values',
    file: 'src/forge/read-pull-request.ts',
    find: `return draft === true ? 'draft' : 'open';`,
    replace: `return 'open';`,
  },
  {
    id: 'OP-list_agents-pull-request-filter',
    file: 'src/domain/pull-request.ts',
    find: 'status === wanted || ',
    replace: '',
  },
  {
    id: 'MD-show-time',
    file: 'bench/main.ts',
    find: '\n  metadata,',
    replace: '',
  },
];
