import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkMetadataKey } from '../../src/domain/metadata/metadata.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { createApp } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { makeTinyFleet } from './tiny-backend.ts';

/** The part of OpenAPI 3.1 that the document may use; strict, so that a misspelt field is found. */
const schema = z.record(z.string(), z.unknown());
const content = z.strictObject({ 'application/json': z.strictObject({ schema }) });
const operation = z.strictObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      description: z.string().optional(),
      schema,
    }),
  ),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^\d{3}$/),
    z.union([z.strictObject({ $ref: z.string() }), z.strictObject({ description: z.string(), content })]),
  ),
});
const document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'put', 'delete']), operation),
  ),
  components: z.strictObject({
    securitySchemes: z.strictObject({
      bearer: z.strictObject({
        type: z.literal('http'),
        scheme: z.literal('bearer'),
        description: z.string(),
      }),
    }),
    schemas: z.record(z.string(), schema),
    responses: z.record(z.string(), z.strictObject({ description: z.string(), content })),
  }),
});

async function fetchDocument() {
  const { fleet } = makeTinyFleet();
  const app = createApp({ fleet, authenticator: new Authenticator({ token: 'secret' }), version: '1.2.3' });
  const response = await app.request('/api/openapi.json', { headers: { Authorization: 'Bearer secret' } });
  return document.parse(await response.json());
}

/** Texts that one input or another refuses. */
const CANDIDATES = [
  '',
  ' ',
  '\t\n',
  'a\0b',
  'a b',
  '-a',
  '5',
  'x'.repeat(70_000),
  'x'.repeat(300),
  'ftp://a/b',
  'mailto:a',
];

/** What the document says of an input, wherever it is. */
function publishedInput(described: z.output<typeof operation>, name: string): z.output<typeof schema> {
  const inBody = described.requestBody?.content['application/json'].schema['properties'];
  const parameter = described.parameters.find((each) => each.name === name)?.schema;
  return schema.parse(parameter ?? schema.parse(inBody)[name]);
}

describe('/api/openapi.json', () => {
  test('refuses every text that the operation refuses: empty, of a wrong shape, or too long [API-openapi-constraints]', async () => {
    const { paths } = await fetchDocument();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let refused = 0;
    for (const { name, route, input } of OPERATIONS) {
      const described = operation.parse(
        new Map(Object.entries(paths[`/api/v1${route.path}`] ?? {})).get(route.method.toLowerCase()),
      );
      for (const [field, check] of Object.entries(input.shape)) {
        const published = publishedInput(described, field);
        for (const text of CANDIDATES.filter((each) => !check.safeParse(each).success)) {
          expect([name, field, text.slice(0, 20), ajv.validate(published, text)]).toEqual([
            name,
            field,
            text.slice(0, 20),
            false,
          ]);
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(100);
    const described = operation.parse(paths['/api/v1/agents/{agent_name}/metadata/{key}']?.put);
    for (const key of ['note', 'fleet_mcp_', 'fleet_mcp_a b', `fleet_mcp_${'x'.repeat(256)}`]) {
      expect(() => checkMetadataKey(key)).toThrow();
      expect(ajv.validate(publishedInput(described, 'key'), key), key).toBe(false);
    }
    expect(ajv.validate(publishedInput(described, 'value'), 'x'.repeat(4097))).toBe(false);
  });

  test('is OpenAPI 3.1 with every operation at its route [API-openapi]', async () => {
    const { paths, info, components } = await fetchDocument();
    expect(info.version).toBe('1.1.0');
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const wanted = OPERATIONS.map(({ name, route }) => `${name} ${route.method} /api/v1${route.path}`);
    expect(found.toSorted()).toEqual(wanted.toSorted());
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const each of Object.values(components.schemas)) ajv.compile(each);
  });

  test('describes the input and the output of each [API-openapi]', async () => {
    const { paths, components } = await fetchDocument();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { name, route, input } of OPERATIONS) {
      const path = `/api/v1${route.path}`;
      const method = z.enum(['get', 'post', 'put', 'delete']).parse(route.method.toLowerCase());
      const described = operation.parse(paths[path]?.[method]);
      const inPath = described.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map((parameter) => `{${parameter.name}}`).toSorted(), name).toEqual(
        (path.match(/\{\w+\}/g) ?? []).toSorted(),
      );
      expect(inPath.every((parameter) => parameter.required)).toBe(true);
      const body = described.requestBody?.content['application/json'].schema;
      const inBody = Object.keys(
        z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }).parse(body ?? {})
          .properties,
      );
      const all = [...described.parameters.map((parameter) => parameter.name), ...inBody];
      expect(all.toSorted(), name).toEqual(Object.keys(input.shape).toSorted());
      for (const each of [body, ...described.parameters.map((parameter) => parameter.schema)]) {
        if (each !== undefined) ajv.compile(each);
      }
      const { [name === 'create_agent' ? '201' : '200']: success, ...failures } = described.responses;
      if (success === undefined || !('content' in success)) throw new Error(`${name} has no success`);
      ajv.compile(success.content['application/json'].schema);
      expect(Object.keys(failures)).toEqual(['400', '401', '403', '404', '409', '413', '429', '500', '503']);
      for (const failure of Object.values(failures))
        expect(failure).toEqual({ $ref: '#/components/responses/Error' });
    }
    expect(components.responses['Error']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    });
  });
});
