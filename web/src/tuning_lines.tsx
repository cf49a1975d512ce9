// SPDX-License-Identifier: MIT
// What script adds to the drawn parallel axes: each line tells its configuration and leads to its row.
import type { Tuning } from './data';
import { configuration, focusMark, goToRow, outcome } from './tuning';

function describe(tuning: Tuning, row: number): string {
  const ratio = tuning.ratios[row];
  const result = typeof ratio === 'number' ? `${ratio.toFixed(3)} times the best` : outcome(tuning, row);
  return `${configuration(tuning, row)}: ${result}${tuning.tied.includes(row) ? ', of the tie group' : ''}`;
}

// A line of two pixels is hard to hit: a wide one that is not seen lies over it.
function startDrawing(svg: SVGSVGElement, tuning: Tuning, prefix: string, say: (text: string) => void): void {
  const lines = [...svg.querySelectorAll<SVGPathElement>('path[data-row]')];
  // From the best to the worst, as the table has them.
  lines.sort((a, b) => (tuning.ratios[Number(a.dataset['row'])] ?? Infinity) - (tuning.ratios[Number(b.dataset['row'])] ?? Infinity));
  svg.setAttribute('role', 'group');
  const hits = lines.map((line, i) => {
    const row = Number(line.dataset['row']);
    const hit = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    hit.setAttribute('class', 'hit');
    hit.setAttribute('d', line.getAttribute('d')!);
    hit.setAttribute('role', 'button');
    hit.setAttribute('tabindex', i === 0 ? '0' : '-1');
    hit.setAttribute('aria-label', describe(tuning, row));
    const light = (on: boolean) => (): void => {
      line.classList.toggle('lit-line', on);
      if (on) say(describe(tuning, row));
    };
    hit.addEventListener('mouseenter', light(true));
    hit.addEventListener('mouseleave', light(false));
    hit.addEventListener('focus', light(true));
    hit.addEventListener('blur', light(false));
    hit.addEventListener('click', () => goToRow(tuning, prefix, row));
    return hit;
  });
  // The best lies on top here too.
  svg.append(...[...hits].reverse());
  svg.addEventListener('keydown', (event) => {
    const at = hits.indexOf(event.target as SVGPathElement);
    if (at < 0) return;
    if (event.key === 'Enter' || event.key === ' ') goToRow(tuning, prefix, Number(lines[at]!.dataset['row']));
    else if (event.key === 'ArrowRight' || event.key === 'ArrowDown') focusMark(hits, hits[at]!, at + 1);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') focusMark(hits, hits[at]!, at - 1);
    else return;
    event.preventDefault();
  });
}

export function startLines(figure: HTMLElement, tuning: Tuning, prefix: string): void {
  const readout = document.createElement('p');
  readout.className = 'readout';
  readout.setAttribute('aria-live', 'polite');
  readout.textContent = 'Point at a line, or reach the lines by Tab and the arrow keys; a click or Enter goes to its row.';
  figure.querySelector('.legend, figcaption')?.before(readout);
  for (const svg of figure.querySelectorAll('svg')) startDrawing(svg, tuning, prefix, (text) => { readout.textContent = text; });
}
