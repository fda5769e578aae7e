import type { Break } from '../break.ts';
import { seed000Breaks } from './seed-000.ts';
import { seed001Breaks } from './seed-001.ts';
import { seed002FunctionBreaks } from './seed-002-functions.ts';
import { seed002MeasureBreaks } from './seed-002-measures.ts';
import { seed002StoryBreaks } from './seed-002-stories.ts';
import { seed003Breaks } from './seed-003.ts';
import { taskfileBreaks } from './taskfile.ts';

export const seedBreaks: readonly Break[] = [
  ...seed000Breaks,
  ...seed001Breaks,
  ...seed002StoryBreaks,
  ...seed002FunctionBreaks,
  ...seed002MeasureBreaks,
  ...seed003Breaks,
  ...taskfileBreaks,
];
