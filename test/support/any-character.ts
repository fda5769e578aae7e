import * as fc from 'fast-check';

/** Characters that have broken programs before: of one to four bytes, joined ones, quotes, controls. */
export const anyCharacter = fc.constantFrom(
  ...'aZ0-_. /\\"\'$`%&<\n\r\t\0\u007f\u202eäß…中'.split(''),
  '😀',
  '👩‍🚀',
  'e\u0301',
);
