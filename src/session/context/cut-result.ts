const MOST_CHARACTERS = 40_000;
const LEAST_CHARACTERS = 1_000;
const CHARACTERS_PER_TOKEN = 3;

/** How many characters one result of a tool may have in a room of tokens. */
export function resultLimit(room: number): number {
  const share = Math.floor((room / 4) * CHARACTERS_PER_TOKEN);
  return Math.max(LEAST_CHARACTERS, Math.min(MOST_CHARACTERS, share));
}

/** The beginning and the end of a long text, with how much is missing between them. */
export function cutResult(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 5);
  const head = limit - tail;
  const missing = text.length - limit;
  return `${text.slice(0, head)}\n… [${missing} characters left out] …\n${text.slice(-tail)}`;
}
