import { ERROR_TABLE } from '../domain/values/errors.ts';
import type { Operation } from '../operations/operation.ts';
import { OPERATIONS } from '../operations/table.ts';
import { CONTRACT_VERSION } from '../platform/package.ts';
import { schemasOf } from '../operations/operation-schemas.ts';
import { CHAT_ROUTES } from './chat/chat-routes.ts';
import { successStatus } from './success-status.ts';

/** The OpenAPI 3.1 document of the routes under /api/v1, made from the table of operations, with those of the session
 *  where it is offered. */
export function openApiDocument({ chat = false }: { readonly chat?: boolean } = {}): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const path = `/api/v1${operation.route.path}`;
    paths[path] = { ...paths[path], [operation.route.method.toLowerCase()]: describe(operation) };
  }
  for (const { method, path, summary } of chat ? CHAT_ROUTES : []) {
    const place = `/api/v1${path}`;
    paths[place] = { ...paths[place], [method.toLowerCase()]: describeChat(path, method, summary) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fleet',
      version: CONTRACT_VERSION,
      description: 'Run and control a fleet of coding agents.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'FLEET_TOKEN, or the file token in FLEET_HOME',
        },
      },
      schemas: { Error: ERROR_SCHEMA },
      responses: {
        Error: {
          description: 'The operation failed',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_TABLE) },
        message: { type: 'string' },
        details: {
          type: 'object',
          properties: {
            field: { type: 'string', description: 'The input at fault' },
            reason: { type: 'string', description: 'A finer code' },
          },
        },
      },
    },
  },
};

/** The routes of the session are not operations: one of them streams. */
function describeChat(path: string, method: string, summary: string): object {
  const type = method === 'POST' ? 'text/event-stream' : 'application/json';
  const schema = method === 'POST' ? { type: 'string' } : { type: 'object' };
  return {
    operationId: `chat_${method.toLowerCase()}${path.replaceAll(/[^a-z]+/g, '_').replace(/_$/, '')}`,
    summary,
    parameters: path.includes('{id}')
      ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }]
      : [],
    ...(method === 'POST' ? { requestBody: CHAT_BODY } : {}),
    responses: {
      200: { description: 'Done', content: { [type]: { schema } } },
      ...Object.fromEntries(
        errorStatuses().map((status) => [status, { $ref: '#/components/responses/Error' }]),
      ),
    },
  };
}

const CHAT_BODY = {
  required: true,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          message: { type: 'string' },
          conversation_id: { type: 'string', format: 'uuid' },
          model: { type: 'string' },
        },
        required: ['message'],
        additionalProperties: false,
      },
    },
  },
};

function describe(operation: Operation): object {
  const { output } = schemasOf(operation);
  const body = bodyOf(operation);
  return {
    operationId: operation.name,
    summary: operation.title,
    description: operation.description,
    parameters: parametersOf(operation),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      [successStatus(operation)]: {
        description: 'Done',
        content: { 'application/json': { schema: output } },
      },
      ...Object.fromEntries(
        errorStatuses().map((status) => [status, { $ref: '#/components/responses/Error' }]),
      ),
    },
  };
}

function parametersOf(operation: Operation): object[] {
  const { input } = schemasOf(operation);
  const inQuery = takesQuery(operation);
  return Object.entries(input.properties).flatMap(([name, { description, ...schema }]) => {
    const inPath = isInPath(operation, name);
    if (!inPath && !inQuery) return [];
    const required = inPath || input.required.includes(name);
    return [
      {
        name,
        in: inPath ? 'path' : 'query',
        required,
        ...(description === undefined ? {} : { description }),
        schema,
      },
    ];
  });
}

function bodyOf(operation: Operation): object | undefined {
  if (takesQuery(operation)) return undefined;
  const { input } = schemasOf(operation);
  const own = Object.entries(input.properties).filter(([name]) => !isInPath(operation, name));
  if (own.length === 0) return undefined;
  const required = input.required.filter((name) => !isInPath(operation, name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(own),
    required,
    additionalProperties: false,
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

function takesQuery({ route: { method } }: Operation): boolean {
  return method === 'GET' || method === 'DELETE';
}

function isInPath(operation: Operation, name: string): boolean {
  return operation.route.path.split('/').includes(`{${name}}`);
}

function errorStatuses(): number[] {
  return [...new Set(Object.values(ERROR_TABLE).map(({ http }) => http))].toSorted((a, b) => a - b);
}
