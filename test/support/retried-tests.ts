import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** A reporter for continuous integration. It appends the name of each test that passed only when it was tried again to the
 *  file FLEET_RETRIED. When nothing but hooks failed, which vitest does not try again, it appends their test files to the file
 *  FLEET_FAILED_HOOKS. */
export default class RetriedTests implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const file = process.env['FLEET_RETRIED'];
    if (file !== undefined && test.diagnostic()?.flaky === true)
      appendFileSync(file, `${test.module.relativeModuleId}: ${test.fullName}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env['FLEET_FAILED_HOOKS'];
    const failed = modules.filter((module) => !module.ok());
    const hasFailedTest = failed.some(({ children }) => [...children.allTests('failed')].length > 0);
    if (file === undefined || unhandled.length > 0 || hasFailedTest) return;
    appendFileSync(file, failed.map(({ relativeModuleId }) => `${relativeModuleId}\n`).join(''));
  }
}
