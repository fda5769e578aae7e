import type { Requirement } from './row.ts';
import { rows as contractAgent } from './rows/contract-agent.ts';
import { rows as contractChecks } from './rows/contract-checks.ts';
import { rows as contractErrors } from './rows/contract-errors.ts';
import { rows as contractMcp } from './rows/contract-mcp.ts';
import { rows as contractNames } from './rows/contract-names.ts';
import { rows as contractNumbers } from './rows/contract-numbers.ts';
import { rows as contractOperations } from './rows/contract-operations.ts';
import { rows as contractOrchestrator } from './rows/contract-orchestrator.ts';
import { rows as contractPage } from './rows/contract-page.ts';
import { rows as contractSession } from './rows/contract-session.ts';
import { rows as seed000 } from './rows/seed-000.ts';
import { rows as seed001 } from './rows/seed-001.ts';
import { rows as seed002 } from './rows/seed-002.ts';
import { rows as seed003 } from './rows/seed-003.ts';
import { rows as seed004 } from './rows/seed-004.ts';

export const requirements: readonly Requirement[] = [
  ...seed000,
  ...seed001,
  ...seed002,
  ...seed003,
  ...seed004,
  ...contractAgent,
  ...contractOperations,
  ...contractChecks,
  ...contractMcp,
  ...contractErrors,
  ...contractNames,
  ...contractOrchestrator,
  ...contractPage,
  ...contractSession,
  ...contractNumbers,
];
