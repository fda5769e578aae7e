import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/** A reporter that appends the name of each test that passed only when it was tried again to the file FLEET_RETRIED. */
export default class RetriedTests implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const file = process.env['FLEET_RETRIED'];
    if (file !== undefined && test.diagnostic()?.flaky === true)
      appendFileSync(file, `${test.module.relativeModuleId}: ${test.fullName}\n`);
  }
}
