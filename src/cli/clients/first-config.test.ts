import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse-config.ts';
import { firstConfig, projectNameFor } from './first-config.ts';

describe('firstConfig', () => {
  it.each(['setup', 'my repo', 'on', '12', "it's", 'a: b', '#x', '-', 'ünï', 'a"b\\c'])(
    'is valid for a directory called %j',
    (directory) => {
      const project = projectNameFor(directory);
      const text = firstConfig({ project, repository: '.' });
      const { config, warnings } = parseConfig({ text, path: '/somewhere/fleet.yaml', env: {} });
      expect(warnings).toEqual([]);
      expect(config.projects).toMatchObject({
        [directory]: { repository: '/somewhere', default_role: 'shell' },
      });
      expect(config.roles).toMatchObject({ shell: { agent: 'command', command: ['sh', '-s'] } });
    },
  );

  it('is valid for a directory below the top of its repository', () => {
    const text = firstConfig({ project: 'sub', repository: '../..' });
    const { config } = parseConfig({ text, path: '/a/b/c/fleet.yaml', env: {} });
    expect(config.projects).toMatchObject({ sub: { repository: '/a' } });
  });

  it('finds a name where the directory has none', () => {
    expect(projectNameFor('')).toBe('project');
    expect(projectNameFor('a\nb')).toBe('a-b');
  });
});
