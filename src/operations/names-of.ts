/** Names that were given as a list, or as a text with commas. */
export function namesOf(given: string | readonly string[]): readonly string[] {
  const names = typeof given === 'string' ? given.split(',') : given;
  return names.map((name) => name.trim()).filter((name) => name !== '');
}
