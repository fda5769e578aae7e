import type { Forge } from '../forge.ts';

const PREFIXES: Readonly<Record<Forge['type'], string>> = { github: '', gitlab: 'Draft: ', gitea: 'WIP: ' };
const IS_DRAFT = /^\s*(?:\[?(?:draft|wip)\]?:?\s|\(draft\)\s)/i;

/** The title of a draft: GitLab and Gitea know one by its prefix. */
export function draftTitle(title: string, type: Forge['type']): string {
  return isDraftTitle(title) ? title : `${PREFIXES[type]}${title}`;
}

export function isDraftTitle(title: string): boolean {
  return IS_DRAFT.test(`${title} `);
}
