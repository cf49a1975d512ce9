// SPDX-License-Identifier: MIT
// A tuning as the page holds it: its rows, where a map of two tunables puts them, and the way to a row of the table.
import { short, type Tuning } from './data';

const kPlaces = 16; // of one axis, as src/page/tuning_map.cpp has them

export interface MapAxis {
  name: string;
  labels: string[];
  place: number[];
}
export interface MapCell {
  tried: number;
  failed: number;
  best: number | null;
  first: number;
  outcome: string;
  tied: boolean;
}

export function varied(tuning: Tuning): number[] {
  return tuning.columns.flatMap((column, i) => (column.values.length > 1 ? [i] : []));
}

export function axisOf(tuning: Tuning, column: number): MapAxis {
  const { name, values } = tuning.columns[column]!;
  const shared = Math.ceil(values.length / kPlaces);
  const labels: string[] = [];
  for (let i = 0; i < values.length; i += shared) {
    const last = Math.min(i + shared, values.length) - 1;
    labels.push(last === i ? values[i]! : `${values[i]} to ${values[last]}`);
  }
  return { name, labels, place: values.map((_, i) => Math.floor(i / shared)) };
}

export function outcome(tuning: Tuning, row: number): string {
  return tuning.outcomes[tuning.failures[row] ?? 0] ?? '';
}

// The cells from left to right, from top to bottom.
export function cellsOf(tuning: Tuning, x: { column: number; axis: MapAxis }, y: { column: number; axis: MapAxis } | null): MapCell[] {
  const wide = x.axis.labels.length;
  const cells: MapCell[] = Array.from({ length: wide * (y?.axis.labels.length ?? 1) }, () => ({ tried: 0, failed: 0, best: null, first: 0, outcome: '', tied: false }));
  const failures = cells.map(() => new Map<string, number>());
  const tied = new Set(tuning.tied);
  tuning.rows.forEach((values, row) => {
    const at = (y ? y.axis.place[values[y.column]!]! * wide : 0) + x.axis.place[values[x.column]!]!;
    const cell = cells[at]!;
    if (cell.tried++ === 0) cell.first = row;
    cell.tied ||= tied.has(row);
    const ratio = tuning.ratios[row];
    if (typeof ratio === 'number') {
      if (cell.best === null || ratio < tuning.ratios[cell.best]!) cell.best = row;
      return;
    }
    ++cell.failed;
    const what = outcome(tuning, row);
    failures[at]!.set(what, (failures[at]!.get(what) ?? 0) + 1);
    if (failures[at]!.get(what)! > (failures[at]!.get(cell.outcome) ?? 0)) cell.outcome = what;
  });
  return cells;
}

export function configuration(tuning: Tuning, row: number): string {
  return tuning.columns.map((column, i) => `${column.name}=${column.values[tuning.rows[row]![i]!]}`).join(',');
}

// 1: the best; 0: the worst that is shown, or four times the best.
export function nearness(ratio: number, worst: number): number {
  const limit = Math.min(worst, 4);
  return limit <= 1 ? 1 : Math.min(1, Math.max(0, 1 - Math.log(ratio) / Math.log(limit)));
}

// Of a large tuning the table lists some rows: the others are added when they are asked for.
function addRow(tuning: Tuning, table: HTMLTableElement, id: string, row: number): HTMLTableRowElement {
  const added = table.tBodies[0]!.rows[0]!.cloneNode(true) as HTMLTableRowElement;
  const ratio = tuning.ratios[row];
  const has = typeof ratio === 'number';
  added.id = id;
  const name = document.createElement('code');
  name.textContent = configuration(tuning, row);
  added.cells[0]!.replaceChildren(name);
  [has ? ratio * tuning.best : null, has ? ratio : null].forEach((value, i) => {
    const cell = added.cells[1 + i]!;
    cell.textContent = value === null ? '-' : i === 1 ? value.toFixed(3) : short(value);
    if (value === null) delete cell.dataset['order'];
    else cell.dataset['order'] = String(value);
  });
  added.cells[3]!.textContent = has ? '' : outcome(tuning, row);
  table.tBodies[0]!.append(added);
  return added;
}

export function goToRow(tuning: Tuning, prefix: string, row: number): void {
  const id = `${prefix}-e${row}`;
  let found = document.getElementById(id);
  if (!found) {
    const table = document.getElementById(`${prefix}-all`) as HTMLTableElement | null;
    if (!table) return;
    found = addRow(tuning, table, id, row);
  }
  for (let fold = found.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true;
  location.hash = id;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: 'center' });
}

// Arrow keys go through marks of which Tab reaches one.
export function focusMark(marks: SVGElement[], from: SVGElement, to: number): void {
  const next = marks[to];
  if (!next || next === from) return;
  from.setAttribute('tabindex', '-1');
  next.setAttribute('tabindex', '0');
  next.focus();
}
