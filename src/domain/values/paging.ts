export interface Page {
  readonly page: number;
  readonly page_size: number;
}

export interface Paging extends Page {
  readonly total_count: number;
  readonly total_pages: number;
  readonly has_next_page: boolean;
  readonly has_previous_page: boolean;
}

/** What an answer says of its page. A page past the end is empty and still has a previous one. */
export function pagingOf({ page, page_size }: Page, total_count: number): Paging {
  const total_pages = Math.ceil(total_count / page_size);
  return {
    total_count,
    page,
    page_size,
    total_pages,
    has_next_page: page < total_pages,
    has_previous_page: page > 1 && total_count > 0,
  };
}

/** Rows are numbered densely from `first` on; returns the numbers of a page, newest first (`from` ≥ `to`). */
export function rowsOfPage({ page, page_size }: Page, first: number, total: number) {
  const from = first + total - 1 - (page - 1) * page_size;
  const to = Math.max(first, from - page_size + 1);
  return from < first ? undefined : { from, to };
}
