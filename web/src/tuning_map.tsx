// SPDX-License-Identifier: MIT
// The map of two tunables that the reader chooses; each cell leads to the row of its best configuration.
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Readout, useWidth } from './chart';
import { type Tuning } from './data';
import { axisOf, cellsOf, configuration, focusMark, goToRow, nearness, varied, type MapAxis, type MapCell } from './tuning';

const kGap = 2;

// Of a label on the page, at most: capitals are wide.
function widthOf(text: string): number {
  return [...text].reduce((sum, c) => sum + (/[A-Z=+<>]/.test(c) ? 9 : /[mw%@]/.test(c) ? 11 : 7.4), 0);
}

// What fits into so many pixels of a label.
function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const c of text) {
    if (widthOf(kept + c) > width - 12) break;
    kept += c;
  }
  return kept + '\u2026';
}

function describe(tuning: Tuning, cell: MapCell, x: string, y: string | null): string {
  const where = y === null ? x : `${x}, ${y}`;
  const failed = cell.failed > 0 ? `, ${cell.failed} of them failed` : '';
  if (cell.tried === 0) return `${where}: not tried`;
  if (cell.best === null) return `${where}: ${cell.outcome}, ${cell.tried} tried`;
  return `${where}: ${tuning.ratios[cell.best]!.toFixed(3)} times the best, ${cell.tried} tried${failed}; the best is ${configuration(tuning, cell.best)}`;
}

function Choice(props: { name: string; tuning: Tuning; value: number; other: number; choose: (column: number) => void }): VNode {
  return (
    <label>
      {props.name}{' '}
      <select value={props.value} onChange={(event) => props.choose(Number(event.currentTarget.value))}>
        {varied(props.tuning).filter((column) => column !== props.other).map((column) => <option value={column} selected={column === props.value}>{props.tuning.columns[column]!.name}</option>)}
      </select>
    </label>
  );
}

// Values below their columns, as many as fit.
function Values(props: { labels: string[]; left: number; top: number; across: number; width: number }): VNode {
  let free = 0;
  return (
    <g>
      {props.labels.map((label, i) => {
        const middle = props.left + props.across * (i + 0.5);
        const text = cut(label, props.across >= 40 ? props.across - 8 : 90);
        const half = widthOf(text) / 2;
        if (middle - half < free || middle + half > props.width) return null;
        free = middle + half + 8;
        return <text class="tick" x={middle} y={props.top} text-anchor="middle">{text}</text>;
      })}
    </g>
  );
}

function hatch(left: number, top: number, wide: number, high: number): string {
  let lines = '';
  for (let start = -high + 6; start < wide; start += 8) {
    const from = Math.max(start, 0);
    const to = Math.min(start + high, wide);
    lines += `M${left + from},${top + high - (from - start)}L${left + to},${top + high - (to - start)}`;
  }
  return lines;
}

function Words(props: { cell: MapCell; ratio: number | null; middle: number; top: number; wide: number; tall: boolean }): VNode | null {
  const { cell, wide, middle, top } = props;
  const fits = (text: string): boolean => widthOf(text) <= wide - 4;
  const at = (down: number, text: string, kind: string): VNode | null => (fits(text) ? <text class={kind} x={middle} y={top + down} text-anchor="middle">{text}</text> : null);
  if (props.ratio === null) {
    const blank = cell.outcome.lastIndexOf(' ');
    const [first, second] = [cell.outcome.slice(0, Math.max(0, blank)), cell.outcome.slice(blank + 1)];
    if (!props.tall) return at(17, cell.outcome, 'label');
    if (fits(cell.outcome)) return <g>{at(16, cell.outcome, 'label')}{at(30, `${cell.tried} tried`, 'small')}</g>;
    return first !== '' && fits(first) && fits(second) ? <g>{at(16, first, 'label')}{at(30, second, 'label')}</g> : null;
  }
  const below = `best of ${cell.tried}`;
  return (
    <g>
      {at(props.tall ? 16 : 17, props.ratio.toFixed(2), 'figure')}
      {props.tall && at(30, fits(below) ? below : `of ${cell.tried}`, 'small')}
    </g>
  );
}

export function MapChart(props: { tuning: Tuning; prefix: string; sentence: string }): VNode {
  const { tuning, prefix } = props;
  const [box, width] = useWidth();
  const [across, setAcross] = useState(tuning.across);
  const [down, setDown] = useState(tuning.down);
  const [read, setRead] = useState('');
  const x = useMemo<MapAxis>(() => axisOf(tuning, across), [across]);
  const y = useMemo<MapAxis | null>(() => (down === null ? null : axisOf(tuning, down)), [down]);
  const cells = useMemo(() => cellsOf(tuning, { column: across, axis: x }, y && down !== null ? { column: down, axis: y } : null), [x, y]);
  const rows = y?.labels ?? [''];
  const worst = Math.max(1, ...cells.map((cell) => (cell.best === null ? 1 : tuning.ratios[cell.best]!)));
  const left = y ? Math.min(10 + Math.max(20, ...y.labels.map(widthOf)), width < 500 ? 80 : 150) : 2;
  const top = y ? 26 : 8;
  const step = Math.min((width - left - 4) / x.labels.length, 110);
  const high = rows.length > 8 ? 26 : 38;
  const bottom = top + high * rows.length;
  const say = (i: number): string => describe(tuning, cells[i]!, `${x.name}=${x.labels[i % x.labels.length]}`, y && `${y.name}=${y.labels[Math.floor(i / x.labels.length)]}`);
  const go = (i: number): void => goToRow(tuning, prefix, cells[i]!.best ?? cells[i]!.first);
  const keys = (event: KeyboardEvent): void => {
    const marks = [...(box.current?.querySelectorAll<SVGElement>('rect[data-cell]') ?? [])];
    const target = event.target as SVGElement;
    const at = Number(target.dataset['cell']);
    if (event.key === 'Enter' || event.key === ' ') {
      go(at);
      event.preventDefault();
      return;
    }
    const way: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    const move = way[event.key];
    if (!move) return;
    event.preventDefault();
    // Over cells in which nothing was tried.
    let [column, row] = [at % x.labels.length, Math.floor(at / x.labels.length)];
    for (;;) {
      column += move[0];
      row += move[1];
      if (column < 0 || row < 0 || column >= x.labels.length || row >= rows.length) return;
      const next = marks.findIndex((mark) => Number(mark.dataset['cell']) === row * x.labels.length + column);
      if (next >= 0) return focusMark(marks, target, next);
    }
  };
  const firstTried = cells.findIndex((cell) => cell.tried > 0);
  return (
    <div ref={box}>
      {y && down !== null && varied(tuning).length > 2 && (
        <p class="option">
          <Choice name="Across" tuning={tuning} value={across} other={down} choose={setAcross} />{' '}
          <Choice name="Down" tuning={tuning} value={down} other={across} choose={setDown} />
        </p>
      )}
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${bottom + 42}`} width={width} height={bottom + 42} role="group" aria-label={props.sentence} onKeyDown={keys} key={`${across}-${down}`}>
          {y && <text class="name" x={0} y={14}>{cut(y.name, width)}</text>}
          {y && y.labels.map((label, i) => <text class="tick" x={left - 8} y={top + high * (i + 0.5) + 3} text-anchor="end">{cut(label, left - 10)}</text>)}
          {cells.map((cell, i) => {
            const cx = left + step * (i % x.labels.length);
            const cy = top + high * Math.floor(i / x.labels.length);
            const [wide, tall] = [step - kGap, high - kGap];
            if (cell.tried === 0) return <circle class="untried" cx={cx + wide / 2} cy={cy + tall / 2} r={1.5} />;
            const ratio = cell.best === null ? null : tuning.ratios[cell.best]!;
            return (
              <g>
                <rect class={ratio === null ? 'cell failed' : 'cell'} style={`--near:${ratio === null ? 0 : Math.round(100 * nearness(ratio, worst))}%`} x={cx} y={cy} width={wide} height={tall} data-cell={i} role="button" aria-label={say(i)}
                  tabindex={i === firstTried ? 0 : -1} onClick={() => go(i)} onMouseEnter={() => setRead(say(i))} onFocus={() => setRead(say(i))} />
                {ratio === null && <path class="hatch" d={hatch(cx, cy, wide, tall)} />}
                {cell.tied && <rect class="tied" x={cx + 1} y={cy + 1} width={wide - 2} height={tall - 2} />}
                <Words cell={cell} ratio={ratio} middle={cx + wide / 2} top={cy} wide={wide} tall={high > 30} />
              </g>
            );
          })}
          <Values labels={x.labels} left={left} top={bottom + 14} across={step} width={width} />
          <text class="name" x={Math.max(left + step * x.labels.length - kGap, widthOf(cut(x.name, width - 8)) + 2)} y={bottom + 32} text-anchor="end">{cut(x.name, width - 8)}</text>
        </svg>
      )}
      <Readout>{read || 'Point at a cell, or reach the cells by Tab and the arrow keys; a click or Enter goes to the row of its best configuration.'}</Readout>
    </div>
  );
}
