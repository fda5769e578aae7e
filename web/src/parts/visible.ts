// Control characters, marks that reorder text, and characters that have no width.
const INVISIBLE = new RegExp(
  String.raw`[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]`,
  'g',
);

/** Text of an agent with nothing in it that hides or reorders what is read: such a character is shown as its number. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(INVISIBLE, (mark) =>
      mark === '\u200D' ? mark : `⟨${mark.codePointAt(0)?.toString(16) ?? ''}⟩`,
    );
}
