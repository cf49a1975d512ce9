// SPDX-License-Identifier: MIT
// The source listing: heat by a chosen counter, syntax colours, keyboard, and the ties between source and PTX.
import { render, type VNode } from 'preact';
import { useState } from 'preact/hooks';
import Prism from 'prismjs/components/prism-core';
import 'prismjs/components/prism-clike';
import 'prismjs/components/prism-c';
import 'prismjs/components/prism-cpp';
import { grouped, type Data } from './data';

interface Piece {
  type: string;
  text: string;
}

// Prism's tokens, flat.
function flatten(token: unknown, type: string, into: Piece[]): void {
  if (typeof token === 'string') into.push({ type, text: token });
  else if (Array.isArray(token)) for (const each of token) flatten(each, type, into);
  else {
    const inner = token as { type: string; content: unknown };
    flatten(inner.content, inner.type, into);
  }
}

// Tokens that span lines, as comments do, are cut at the ends of lines.
function colourLines(cells: HTMLElement[]): void {
  const text = cells.map((cell) => cell.textContent ?? '').join('\n');
  const pieces: Piece[] = [];
  flatten(Prism.tokenize(text, Prism.languages['cpp']!), '', pieces);
  let fragment = document.createDocumentFragment();
  let line = 0;
  const finish = (): void => {
    cells[line]?.replaceChildren(fragment);
    fragment = document.createDocumentFragment();
    ++line;
  };
  for (const piece of pieces) {
    piece.text.split('\n').forEach((part, i) => {
      if (i > 0) finish();
      if (part === '') return;
      if (piece.type === '' || piece.type === 'operator' || piece.type === 'punctuation') {
        fragment.append(part);
        return;
      }
      const span = document.createElement('span');
      span.className = `t-${piece.type}`;
      span.textContent = part;
      fragment.append(span);
    });
  }
  finish();
}

function rowOf(file: string, line: string): HTMLTableRowElement | null {
  return document.getElementById(`${file}L${line}`) as HTMLTableRowElement | null;
}

function showCounter(data: Data['source'], index: number): void {
  let most = 0;
  for (const lines of Object.values(data.files)) for (const values of Object.values(lines)) most = Math.max(most, values[index] ?? 0);
  for (const [file, lines] of Object.entries(data.files)) {
    for (const [line, values] of Object.entries(lines)) {
      const row = rowOf(file, line);
      if (!row) continue;
      const value = values[index] ?? 0;
      row.cells[1]!.textContent = value > 0 ? grouped(value) : '';
      row.style.setProperty('--heat', `${most > 0 ? Math.round((100 * value) / most) : 0}%`);
    }
  }
  for (const head of document.querySelectorAll('[data-counter]')) head.textContent = data.counters[index] ?? '';
}

function Chooser(props: { data: Data['source'] }): VNode {
  const [index, setIndex] = useState(0);
  return (
    <p class="option">
      <label>
        Heat by{' '}
        <select value={index} onChange={(event) => { const next = Number(event.currentTarget.value); setIndex(next); showCounter(props.data, next); }}>
          {props.data.counters.map((name, i) => <option value={i}>{name}</option>)}
        </select>
      </label>{' '}
      <span class="quiet">In a listing, arrow keys go from line to line, n and p from one counted line to the next.</span>
    </p>
  );
}

// One line of each listing can be reached by Tab; from there the keys move.
function startKeys(listing: HTMLElement): void {
  const rows = [...listing.querySelectorAll<HTMLTableRowElement>('tr[id]')];
  const first = rows.find((row) => row.style.getPropertyValue('--heat')) ?? rows[0];
  if (first) first.tabIndex = 0;
  listing.addEventListener('keydown', (event) => {
    const row = (event.target as HTMLElement).closest<HTMLTableRowElement>('tr[id]');
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.key === 'ArrowDown' || event.key === 'n' ? 1 : event.key === 'ArrowUp' || event.key === 'p' ? -1 : 0;
    if (step === 0) return;
    const counted = event.key === 'n' || event.key === 'p';
    let at = rows.indexOf(row) + step;
    while (counted && rows[at] && rows[at]!.cells[1]!.textContent === '') at += step;
    const next = rows[at];
    if (!next) return;
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    event.preventDefault();
  });
}

// Source and PTX of one line light up together.
function startTies(section: HTMLElement): void {
  const pieces = new Map<string, HTMLElement[]>();
  for (const piece of section.querySelectorAll<HTMLElement>('.ptx [data-line]')) {
    const line = piece.dataset['line']!;
    pieces.set(line, [...(pieces.get(line) ?? []), piece]);
  }
  let lit: Element[] = [];
  const light = (event: Event): void => {
    const target = event.target as HTMLElement;
    const line = target.closest<HTMLElement>('.ptx [data-line]')?.dataset['line'] ?? target.closest('tr[id]')?.id;
    for (const each of lit) each.classList.remove('lit');
    lit = [];
    if (!line || !pieces.has(line)) return;
    lit = [...pieces.get(line)!];
    const row = document.getElementById(line);
    if (row) lit.push(row);
    for (const each of lit) each.classList.add('lit');
  };
  section.addEventListener('mouseover', light);
  section.addEventListener('focusin', light);
}

export function startListing(data: Data['source']): void {
  const section = document.getElementById('source');
  if (!section) return;
  for (const listing of section.querySelectorAll<HTMLElement>('.listing')) {
    colourLines([...listing.querySelectorAll<HTMLElement>('tr[id] code')]);
    startKeys(listing);
  }
  startTies(section);
  if (data.counters.length === 0) return;
  const place = document.createElement('div');
  section.querySelector('h2')!.after(place);
  render(<Chooser data={data} />, place);
}
