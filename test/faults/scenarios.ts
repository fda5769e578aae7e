import type { Scenario } from './scenario.ts';
import { AGENT_SCENARIOS } from './scenarios/agents.ts';
import { DELETE_SCENARIOS } from './scenarios/deletes.ts';
import { INSIDE_SCENARIOS } from './scenarios/inside.ts';
import { LANDING_SCENARIOS } from './scenarios/landings.ts';
import { MERGE_SCENARIOS } from './scenarios/merges.ts';
import { RECOVERY_SCENARIOS } from './scenarios/recoveries.ts';
import { RESTORE_SCENARIOS } from './scenarios/restores.ts';
import { SESSION_SCENARIOS } from './scenarios/sessions.ts';
import { TASK_SCENARIOS } from './scenarios/tasks.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...AGENT_SCENARIOS,
  ...TASK_SCENARIOS,
  ...DELETE_SCENARIOS,
  ...RESTORE_SCENARIOS,
  ...INSIDE_SCENARIOS,
  ...RECOVERY_SCENARIOS,
  ...SESSION_SCENARIOS,
  ...LANDING_SCENARIOS,
  ...MERGE_SCENARIOS,
];
