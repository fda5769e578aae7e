import type { Fleet } from '../../fleet/fleet.ts';
import type { Tools } from '../open-tools.ts';
import type { Orchestrator } from '../orchestrator.ts';
import { ApprovalRequester, type ApprovalRequesterParts } from './approval-requester.ts';
import { LinkedResources } from './linked-resources.ts';
import { OfferedTools } from './offered-tools.ts';
import { SignedState } from './signed-state.ts';
import { ToolAudit } from './tool-audit.ts';
import { toolTraces } from './tool-traces.ts';
import { ToolRelay } from './tool-relay.ts';

/** The tools of upstream servers, as the interfaces offer and call them. */
export interface ToolService extends Disposable {
  readonly orchestrator: Orchestrator;
  readonly offers: OfferedTools;
  readonly relay: ToolRelay;
  readonly links: LinkedResources;
}

export interface ToolServiceParts {
  readonly tools: Pick<Tools, 'orchestrator' | 'views' | 'asksClients' | 'searches'>;
  readonly fleet: Fleet;
  readonly home: string;
  readonly approvals: ApprovalRequesterParts['approvals'];
}

export function makeToolService({ tools, fleet, home, approvals }: ToolServiceParts): ToolService {
  const { orchestrator, views, asksClients, searches } = tools;
  const offers = new OfferedTools({ orchestrator, views, searches });
  const traces = toolTraces(process.env);
  const audit = fleet.ledger === undefined ? undefined : new ToolAudit(fleet.ledger);
  const requester = new ApprovalRequester({ state: new SignedState(home), approvals, asksClients });
  const links = new LinkedResources();
  return {
    orchestrator,
    offers,
    links,
    relay: new ToolRelay({ orchestrator, offers, links, requester, audit, traces }),
    [Symbol.dispose]: () => traces?.[Symbol.dispose](),
  };
}
