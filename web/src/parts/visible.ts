// Control characters, marks that reorder text, and characters that have no width.
const INVISIBLE = new RegExp(
  String.raw`[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\u{E0000}-\u{E007F}]|(?<!\p{Extended_Pictographic}\uFE0F?)\u200D`,
  'gu',
);

/** Text of an agent with nothing in it that hides or reorders what is read: such a character is shown as its number. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(INVISIBLE, (mark) => `⟨${mark.codePointAt(0)?.toString(16) ?? ''}⟩`);
}
