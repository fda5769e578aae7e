import type { Fleet } from '../fleet/fleet.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';
import { ApprovalDesk, type ApprovalDeskParts } from './approval-desk.ts';
import { SignedState } from './signed-state.ts';
import { ToolAudit } from './tool-audit.ts';
import { ToolRelay } from './tool-relay.ts';

/** The tools of upstream servers, as the doors offer and call them. */
export interface ToolDoor extends Disposable {
  readonly orchestrator: Orchestrator;
  readonly relay: ToolRelay;
}

export interface ToolDoorParts {
  readonly orchestrator: Orchestrator;
  readonly fleet: Fleet;
  readonly home: string;
  readonly book: ApprovalDeskParts['book'];
}

export function makeToolDoor({ orchestrator, fleet, home, book }: ToolDoorParts): ToolDoor {
  const audit = fleet.ledger === undefined ? undefined : new ToolAudit(fleet.ledger);
  const desk = new ApprovalDesk({ state: new SignedState(home), book });
  return {
    orchestrator,
    relay: new ToolRelay({ orchestrator, desk, audit }),
    [Symbol.dispose]: () => audit?.[Symbol.dispose](),
  };
}
