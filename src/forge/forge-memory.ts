/** What is remembered of forges between two questions, by all processes of a fleet. */
export interface ForgeMemory {
  answer(request: string): { readonly etag: string; readonly data: unknown } | undefined;
  keepAnswer(request: string, answer: { readonly etag: string; readonly data: unknown }): void;
  /** Milliseconds since the epoch; 0 when it may be asked. */
  pausedUntil(host: string): number;
  pause(host: string, until: number): void;
}
