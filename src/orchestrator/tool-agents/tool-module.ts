import { pathToFileURL } from 'node:url';
import { quote } from '../../domain/values/errors.ts';
import { withoutFullStop } from '../../domain/values/text.ts';
import { agentError } from '../servers/agent-error.ts';
import { toolProblem } from '../servers/portable-tool.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { ToolCall } from './tool-agent.ts';
import type { RegistryTool, ToolRegistry } from './tool-registry.ts';

/** What a module gets beside the arguments of a call. */
export interface ModuleCall {
  readonly signal: AbortSignal;
  /** Reports progress to the caller. */
  progress(message: string): void;
}

/** A module of the user's own that exports `tools`: each a name, parameters as a JSON Schema, a function `run`, and
 *  a description, examples and a category if it wants. It runs in the process that offers it. */
export async function loadToolModule(name: string, file: string): Promise<ToolRegistry> {
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw wrong(name, file, `cannot be loaded: ${withoutFullStop(sayOf(cause))}`, cause);
  }
  const tools = isRecord(loaded) ? loaded['tools'] : undefined;
  if (!Array.isArray(tools)) throw wrong(name, file, 'exports no array "tools"');
  return {
    id: name,
    name,
    capabilities: ['module'],
    tools: tools.map((tool: unknown, index) => {
      if (isModuleTool(tool)) {
        const { parameters: inputSchema, annotations } = tool;
        // A definition that clients refuse would take all tools away from them.
        const problem = toolProblem({ inputSchema, ...(annotations === undefined ? {} : { annotations }) });
        if (problem === undefined) return toTool(name, tool);
        throw wrong(name, file, `has the tool ${quote(tool.name)}, which clients refuse: ${problem}`);
      }
      throw wrong(
        name,
        file,
        `has a tool whose name, parameters, run, description, examples or category is missing or malformed: it is number ${index + 1}`,
      );
    }),
  };
}

interface ModuleTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
  readonly annotations?: unknown;
  readonly gated?: unknown;
  readonly examples?: readonly string[];
  readonly category?: string;
  run(args: JsonObject, call: ModuleCall): unknown;
}

function toTool(server: string, tool: ModuleTool): RegistryTool {
  return {
    name: `${server}__${tool.name}`,
    description: tool.description ?? '',
    parameters: tool.parameters,
    ...(tool.examples === undefined ? {} : { examples: tool.examples }),
    ...(tool.category === undefined ? {} : { category: tool.category }),
    ...(isObject(tool.annotations) ? { annotations: tool.annotations } : {}),
    gated: tool.gated === true || hint(tool.annotations),
    run: async (args, { signal, onProgress, correlation_id }: ToolCall) => {
      let progress = 0;
      try {
        const answer = await tool.run(args, {
          signal: signal ?? new AbortController().signal,
          progress: (message) => onProgress?.({ progress: (progress += 1), message }),
        });
        return plain(answer);
      } catch (cause) {
        signal?.throwIfAborted();
        const name = `${server}__${tool.name}`;
        throw agentError('TOOL_EXECUTION_FAILED', `The tool ${name} failed: ${sayOf(cause)}`, {
          tool: name,
          correlation_id,
          cause,
        });
      }
    },
  };
}

/** An answer as it can be sent. */
function plain(answer: unknown): unknown {
  if (typeof answer === 'string') return answer;
  try {
    return JSON.parse(JSON.stringify(answer) ?? 'null');
  } catch (cause) {
    const [problem = ''] = sayOf(cause).split('\n');
    throw new Error(`its answer cannot be written as JSON: ${problem}`, { cause });
  }
}

function sayOf(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
}

function hint(annotations: unknown): boolean {
  return isObject(annotations) && annotations['destructiveHint'] === true;
}

/** A module's namespace has no prototype, and is an object all the same. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isModuleTool(value: unknown): value is ModuleTool {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    isTextOrNone(value['description']) &&
    isTextOrNone(value['category']) &&
    (value['examples'] === undefined || areTexts(value['examples'])) &&
    isObject(value['parameters']) &&
    typeof value['run'] === 'function'
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function wrong(name: string, file: string, problem: string, cause?: unknown) {
  return agentError('AGENT_INIT_FAILED', `The tool module "${name}" (${quote(file)}) ${problem}.`, {
    agent: name,
    ...(cause === undefined ? {} : { cause }),
  });
}
