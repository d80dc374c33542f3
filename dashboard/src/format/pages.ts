/** Numbers of pages to choose from; null stands for those that are left out: 1 … 4 5 6 … 17. */
export function pageNumbers(current: number, last: number): (number | null)[] {
  const near = [1, current - 1, current, current + 1, last].filter((page) => page >= 1 && page <= last);
  const shown = [...new Set(near)].sort((a, b) => a - b);
  return shown.flatMap((page, index) => {
    const gap = page - (shown[index - 1] ?? page - 1) - 1;
    // The one that is left out needs no more room than the dots for it.
    if (gap === 1) return [page - 1, page];
    return gap > 1 ? [null, page] : [page];
  });
}
