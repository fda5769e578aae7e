import type { z } from 'zod';
import type { Caller, Scope } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';

export interface OperationContext {
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Reports the progress of a long operation to the caller. */
  progress(message: string): void;
  /** The id of what the operation makes: the same for a call repeated with its idempotency key. */
  makeId(part: string): string;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under /api/v1, with `{input}` for each input that is part of the path. */
  readonly path: string;
}

/** One operation, defined once: its MCP tool, CLI command, HTTP route and reference are made from this. */
export interface Operation {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Strict, and flat: every value is a scalar or a list of them. */
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The caller needs one of these. */
  readonly scopes: readonly Scope[];
  readonly hints: { readonly readOnly: boolean; readonly destructive: boolean; readonly idempotent: boolean };
  readonly route: Route;
  /** True for one that MCP clients are listed when they ask for all tools, or by a view: models pay for every tool. */
  readonly on_request?: boolean;
  /** True for one that changes the user's own branches: no agent may use it, also not one that runs a team. */
  readonly not_for_agents?: boolean;
  /** True for an answer of something that still goes on: a call repeated with its idempotency key looks again. */
  readonly goes_on?: (answer: never) => boolean;
  readonly handle: (context: OperationContext, input: never) => Promise<object>;
}

/** An operation with what is known of its own name, input and output. */
export interface Definition<
  Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
> extends Omit<Operation, 'name' | 'input' | 'output' | 'goes_on' | 'handle'> {
  readonly name: Name;
  readonly input: Input;
  readonly output: Output;
  readonly goes_on?: (answer: z.input<Output>) => boolean;
  readonly handle: (context: OperationContext, input: z.output<Input>) => Promise<z.input<Output>>;
}

export function defineOperation<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
>(definition: Definition<Name, Input, Output>): Definition<Name, Input, Output> {
  return definition;
}

export const READ = { readOnly: true, destructive: false, idempotent: true } as const;
export const CHANGE = { readOnly: false, destructive: false, idempotent: false } as const;
export const SET = { readOnly: false, destructive: false, idempotent: true } as const;
export const DESTROY = { readOnly: false, destructive: true, idempotent: true } as const;
