import { z } from 'zod';
import { APPROVAL_KINDS, DECISIONS } from '../../../domain/approvals/approval.ts';
import type { Fact, FactBody, FactKind } from '../../../domain/fact.ts';
import { REPORT_STATES } from '../../../domain/task.ts';

const text = z.string();
const optionalNumber = z.number().exactOptional();
const source = z.enum(['human', 'ai', 'agent']);

const answer = {
  decision: z.enum(DECISIONS),
  option: text.nullable(),
  answer: text.nullable(),
  note: text.nullable(),
};

const body = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('agent.created'),
    name: text,
    project: text,
    role: text,
    stuck_after_ms: z.number(),
  }),
  z.object({ kind: z.literal('agent.admitted') }),
  z.object({ kind: z.literal('agent.workspace_made'), branch: text.nullable(), base: text.nullable() }),
  z.object({ kind: z.literal('agent.ready') }),
  z.object({ kind: z.literal('agent.start_failed'), reason: text }),
  z.object({ kind: z.literal('agent.stop_requested') }),
  z.object({ kind: z.literal('agent.stopped') }),
  z.object({ kind: z.literal('agent.restart_requested') }),
  z.object({ kind: z.literal('agent.deleting') }),
  z.object({ kind: z.literal('agent.deleted') }),
  z.object({ kind: z.literal('agent.restored'), name: text }),
  z.object({ kind: z.literal('agent.acknowledged') }),
  z.object({
    kind: z.literal('runner.started'),
    generation: z.int(),
    pid: z.int(),
    version: text,
    checks: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal('runner.slept') }),
  z.object({ kind: z.literal('runner.lost'), generation: z.int() }),
  z.object({ kind: z.literal('task.accepted'), task_id: text, message: text, source, front: z.boolean() }),
  z.object({ kind: z.literal('task.started'), task_id: text, message: text }),
  z.object({ kind: z.literal('task.cancel_requested'), task_id: text }),
  z.object({
    kind: z.literal('task.ended'),
    task_id: text,
    state: z.enum(['complete', 'failed', 'canceled', 'interrupted']),
    reason: text,
    exit_code: optionalNumber,
    output: text.exactOptional(),
    over_budget: z.object({ tokens: z.number(), cost: z.number() }).exactOptional(),
  }),
  z.object({
    kind: z.literal('report'),
    report_id: text,
    message: text,
    uri: text.nullable(),
    state: z.enum(REPORT_STATES),
  }),
  z.object({ kind: z.literal('task.resumed'), task_id: text }),
  z.object({ kind: z.literal('session.opened'), session_id: text, how: z.enum(['new', 'resumed']) }),
  z.object({ kind: z.literal('tool.opened'), call_id: text, tool: text }),
  z.object({
    kind: z.literal('tool.ended'),
    call_id: text,
    state: z.enum(['completed', 'failed', 'unknown']),
  }),
  z.object({ kind: z.literal('turn.retried'), task_id: text, reason: text, attempt: z.int() }),
  z.object({ kind: z.literal('usage'), tokens: z.number(), cost: z.number() }),
  z.object({ kind: z.literal('agent.parked'), reason: text, until: text.nullable() }),
  z.object({ kind: z.literal('agent.unparked') }),
  z.object({
    kind: z.literal('approval.asked'),
    approval_id: text,
    question: z.object({
      kind: z.enum(APPROVAL_KINDS),
      tool: text,
      input: z.unknown(),
      options: z.array(z.object({ id: text, name: text, decision: z.enum(DECISIONS) })),
    }),
    expires_at: text.nullable(),
  }),
  z.object({ kind: z.literal('approval.answered'), approval_id: text, ...answer }),
  z.object({ kind: z.literal('approval.closed'), approval_id: text, reason: text }),
  z.object({ kind: z.literal('checks.started'), commit: text, names: z.array(text) }),
  z.object({
    kind: z.literal('checks.ended'),
    commit: text,
    state: z.enum(['passing', 'failing', 'not_run']),
    failed: z.array(text),
    fingerprint: text.exactOptional(),
    task_id: text.exactOptional(),
    cut_off: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal('metadata.set'), key: text, value: text.nullable() }),
  z.object({ kind: z.literal('journal.mended'), facts: z.int(), kept_as: text.nullable() }),
  z.object({ kind: z.literal('log.cut'), entries: z.int(), characters: z.int() }),
]);

type Parsed = z.output<typeof body>;
type Of<Body, Kind> = Extract<Body, { kind: Kind }>;
/** The kinds, and the fields of a kind, that facts have and the schema does not. */
type Lost = {
  [Kind in FactKind]: Kind extends Parsed['kind']
    ? Exclude<keyof Of<FactBody, Kind>, keyof Of<Parsed, Kind>>
    : Kind;
}[FactKind];

// Does not compile while a part of a fact would be lost on its way from a workspace.
const known: [Lost] extends [never] ? z.ZodType<Fact> : never = z.object({
  seq: z.int().min(1),
  at: z.iso.datetime(),
  awake_ms: z.number(),
  boot: text,
  by: z.object({
    principal: text,
    door: z.enum(['cli', 'mcp-stdio', 'mcp-http', 'http', 'page', 'self', 'fleet']),
  }),
  body,
});

/** Facts of a runner's journal. One that a newer runner knows and this Fleet does not is left out. */
export const factsSchema = z
  .array(z.unknown())
  .transform((facts) => facts.flatMap((fact) => known.safeParse(fact).data ?? []));
