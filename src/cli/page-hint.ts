import type { Paging } from '../domain/paging.ts';
import type { Cli } from './cli.ts';

/** Where one is in the pages, and how to get to the next; on stderr, so that it is no part of the data. */
export function pageHint(cli: Cli, paging: Paging, command: string): void {
  if (paging.total_count === 0) cli.err.line('Nothing yet.');
  else if (paging.total_pages > 1 || paging.page > 1) {
    const next = paging.has_next_page ? `; next: ${command} --page ${paging.page + 1}${sizeOf(paging)}` : '';
    cli.err.line(`Page ${paging.page} of ${paging.total_pages}, ${paging.total_count} in all${next}`);
  }
}

function sizeOf({ page_size }: Paging): string {
  return page_size === 20 ? '' : ` --page-size ${page_size}`;
}
