import { z } from 'zod';
import {
  startModelServer,
  type ModelServer,
  type SeenRequest,
} from '../support/model-server/model-server.ts';
import { scriptText, type Steps } from '../support/model-server/model-script.ts';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { localFleet, type LocalFleet, type TestConfig } from '../support/fleets/local-fleet.ts';

/** A fleet with a scripted model on loopback. */
export interface SessionPlace extends AsyncDisposable {
  readonly fleet: LocalFleet;
  readonly model: ModelServer;
  readonly env: NodeJS.ProcessEnv;
  /** `fleet ask` with a message that carries these steps. */
  ask(steps: Steps, ...args: readonly string[]): Promise<Finished>;
  /** The same with `--json`: its document. */
  askJson(steps: Steps, ...args: readonly string[]): Promise<AskDocument>;
}

const askDocument = z.object({
  conversation_id: z.string(),
  model: z.string(),
  answer: z.string(),
  rounds: z.number(),
  stopped: z.string().nullable(),
  notices: z.array(z.string()),
  calls: z.array(
    z.object({
      tool: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      failed: z.boolean(),
      error: z.string().optional(),
    }),
  ),
});

export type AskDocument = z.output<typeof askDocument>;

export async function sessionPlace(change: (config: TestConfig) => void = () => {}): Promise<SessionPlace> {
  const fleet = localFleet(change);
  const model = await startModelServer();
  const env = { ...fleet.env, OLLAMA_HOST: model.url };
  const ask = (steps: Steps, ...args: readonly string[]): Promise<Finished> =>
    runFleet(['ask', ...args, scriptText(steps)], { env });
  return {
    fleet,
    model,
    env,
    ask,
    askJson: async (steps, ...args) => {
      const { stdout, stderr } = await ask(steps, '--json', ...args);
      const parsed = askDocument.safeParse(JSON.parse(stdout));
      if (parsed.success) return parsed.data;
      throw new Error(`not an answer: ${stdout}${stderr}`);
    },
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
    },
  };
}

/** The texts of a request's messages, as they were sent. */
export function sentText(request: SeenRequest | undefined): string {
  return JSON.stringify(request?.body ?? null);
}
