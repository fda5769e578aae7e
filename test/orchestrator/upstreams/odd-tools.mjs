// Has two tools of one name, and names with spaces, in other scripts, and of 200 characters.
import { speak, text } from './speak.mjs';

const names = [
  'twin',
  'twin',
  'with spaces in it',
  'наименование',
  '名前',
  '🛠️',
  'n'.repeat(200),
  `${'n'.repeat(199)}m`,
  'a.b',
  'a b',
];
speak(() => names.map((name) => ({ name, inputSchema: { type: 'object' }, call: () => text(name) })));
