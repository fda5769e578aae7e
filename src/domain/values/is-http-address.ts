/** True for an address that is spoken to over HTTP. */
export function isHttpAddress(text: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');
}
