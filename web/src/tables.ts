// SPDX-License-Identifier: MIT
// Tables that sort by a column, stable, and back to the order in which they came.

function key(row: HTMLTableRowElement, column: number): number | string {
  const cell = row.cells[column];
  const order = cell?.dataset['order'];
  return order === undefined ? (cell?.textContent ?? '').trim() : Number(order);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  // What has no figure comes last.
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return a.localeCompare(b, 'en', { numeric: true });
}

function sortable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  const head = table.tHead?.rows[0];
  if (!body || !head || body.rows.length < 2) return;
  const original = [...body.rows];
  [...head.cells].forEach((cell, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener('click', () => {
      const now = cell.getAttribute('aria-sort');
      const next = now === null ? 'ascending' : now === 'ascending' ? 'descending' : null;
      for (const other of head.cells) other.removeAttribute('aria-sort');
      const rows = [...original];
      if (next) {
        cell.setAttribute('aria-sort', next);
        const sign = next === 'ascending' ? 1 : -1;
        rows.sort((a, b) => sign * compare(key(a, column), key(b, column)));
      }
      body.append(...rows);
    });
  });
}

export function startTables(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('.table table')) sortable(table);
}
