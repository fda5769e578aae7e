import type { Account } from '../../../src/runner/programs/driver.ts';

/** An account that is never without quota. */
export const OPEN_ACCOUNT: Account = { free: async () => {}, park: () => {}, release: () => {} };
