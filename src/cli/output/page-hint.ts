import type { Paging } from '../../domain/values/paging.ts';
import type { Cli } from './cli.ts';

/** The current page and the command for the next one; on stderr, because it is not part of the data. */
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
