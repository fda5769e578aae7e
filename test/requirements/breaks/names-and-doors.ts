import type { Break } from '../break.ts';
import { doorBreaks } from './doors.ts';
import { errorBreaks } from './errors.ts';
import { mcpBreaks } from './mcp.ts';
import { nameBreaks } from './names.ts';

export const nameAndDoorBreaks: readonly Break[] = [
  ...nameBreaks,
  ...doorBreaks,
  ...errorBreaks,
  ...mcpBreaks,
];
