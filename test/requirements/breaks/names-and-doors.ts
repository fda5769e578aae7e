import type { Break } from '../break.ts';

export const nameAndDoorBreaks: readonly Break[] = [];
