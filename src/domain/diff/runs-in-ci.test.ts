import { expect, it } from 'vitest';
import { runsElsewhere } from './runs-elsewhere.ts';
import { runsInCi } from './runs-in-ci.ts';

it.each([
  '.github/workflows/ci.yml',
  '.github/actions/build/action.yml',
  '.gitea/workflows/x.yaml',
  '.forgejo/workflows/x.yaml',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
  'azure-pipelines.yml',
  'Jenkinsfile',
])('%s is run by continuous integration, and so elsewhere', (path) => {
  expect([runsInCi(path), runsElsewhere(path)]).toEqual([true, true]);
});

it.each(['.vscode/tasks.json', '.gitattributes', 'fleet.yaml', '.husky/pre-push'])(
  '%s is run elsewhere, and not by continuous integration',
  (path) => {
    expect([runsInCi(path), runsElsewhere(path)]).toEqual([false, true]);
  },
);

it.each(['src/.github/workflows/ci.yml', 'docs/Jenkinsfile', '.github/CODEOWNERS', 'x.gitlab-ci.yml'])(
  '%s is run by nobody',
  (path) => {
    expect([runsInCi(path), runsElsewhere(path)]).toEqual([false, false]);
  },
);
