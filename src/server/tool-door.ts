import type { Fleet } from '../fleet/fleet.ts';
import type { Tools } from '../orchestrator/open-tools.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';
import { ApprovalDesk, type ApprovalDeskParts } from './approval-desk.ts';
import { OfferedTools } from './offered-tools.ts';
import { SignedState } from './signed-state.ts';
import { ToolAudit } from './tool-audit.ts';
import { toolTraces } from './tool-traces.ts';
import { ToolRelay } from './tool-relay.ts';

/** The tools of upstream servers, as the doors offer and call them. */
export interface ToolDoor extends Disposable {
  readonly orchestrator: Orchestrator;
  readonly offers: OfferedTools;
  readonly relay: ToolRelay;
}

export interface ToolDoorParts {
  readonly tools: Pick<Tools, 'orchestrator' | 'views' | 'asksClients' | 'searches'>;
  readonly fleet: Fleet;
  readonly home: string;
  readonly book: ApprovalDeskParts['book'];
}

export function makeToolDoor({ tools, fleet, home, book }: ToolDoorParts): ToolDoor {
  const { orchestrator, views, asksClients, searches } = tools;
  const offers = new OfferedTools({ orchestrator, views, searches });
  const traces = toolTraces(process.env);
  const audit = fleet.ledger === undefined ? undefined : new ToolAudit(fleet.ledger);
  const desk = new ApprovalDesk({ state: new SignedState(home), book, asksClients });
  return {
    orchestrator,
    offers,
    relay: new ToolRelay({ orchestrator, offers, desk, audit, traces }),
    [Symbol.dispose]: () => traces?.[Symbol.dispose](),
  };
}
