import { FleetError, toFleetError } from '../domain/values/errors.ts';
import type { OrchestratorMetrics } from './orchestrator-metrics.ts';
import { RpcError } from '../wire/rpc-error.ts';
import type { ToolCall } from './tool-agents/tool-agent.ts';

export interface MeasuredCall {
  readonly server: string;
  readonly tool: string;
  readonly call: ToolCall;
}

/** Counts a call, how long it took and how it failed; a failure says which call it was. */
export async function measureCall<Value>(
  metrics: OrchestratorMetrics,
  { server, tool, call }: MeasuredCall,
  work: () => Promise<Value>,
): Promise<Value> {
  const began = performance.now();
  try {
    return await work();
  } catch (thrown) {
    // Nobody waits for it any more.
    if (call.signal?.aborted === true) throw thrown;
    if (thrown instanceof RpcError) {
      metrics.countError('TOOL_EXECUTION_FAILED');
      throw thrown;
    }
    const { code, message, details } = toFleetError(thrown);
    metrics.countError(details.reason ?? code);
    const { correlation_id } = call;
    throw new FleetError(code, message, { ...details, correlation_id }, thrown);
  } finally {
    metrics.countCall(server, tool, performance.now() - began);
  }
}
