// SPDX-License-Identifier: MIT
// What interactive charts share: their place beside the static drawing, their width, axes and switches.
import { render, type ComponentChildren, type VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { short } from './data';

export interface AxisScale {
  (value: number): number;
  ticks(count?: number): number[];
  domain(): number[];
}

// The drawing stays for print; on the screen the live chart takes its place.
export function mount(figure: HTMLElement, chart: VNode): void {
  const live = document.createElement('div');
  live.className = 'live';
  figure.classList.add('has-live');
  figure.prepend(live);
  render(chart, live);
}

export function sentence(figure: HTMLElement): string {
  return figure.querySelector('svg')?.getAttribute('aria-label') ?? '';
}

// The width that the chart has, followed as the page changes.
export function useWidth(): [preact.RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

export function Switches(props: { title: string; names: string[]; colours?: number[]; off: Set<string>; flip: (name: string) => void }): VNode {
  return (
    <fieldset class="switches">
      <legend>{props.title}</legend>
      {props.names.map((name, i) => (
        <label class={props.colours ? `c${props.colours[i]}` : ''}>
          <input type="checkbox" checked={!props.off.has(name)} onChange={() => props.flip(name)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}

export function useOff(): [Set<string>, (name: string) => void] {
  const [off, setOff] = useState<Set<string>>(new Set());
  const flip = (name: string): void => {
    const next = new Set(off);
    if (!next.delete(name)) next.add(name);
    setOff(next);
  };
  return [off, flip];
}

function decade(value: number): boolean {
  return Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
}

// Three digits that count, and more where neighbours would read the same: 10.005, 10.010.
export function tickNames(ticks: number[]): string[] {
  const names = ticks.map(short);
  if (names.every((name, i) => i === 0 || name !== names[i - 1])) return names;
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(ticks[1]! - ticks[0]!) - 1e-9)));
  return ticks.map((tick) => tick.toFixed(digits));
}

export function Axes(props: { x: AxisScale; y: AxisScale; xName: string; yName: string; width: number; height: number; log?: boolean }): VNode {
  const { x, y } = props;
  const [x0, x1] = x.domain() as [number, number];
  const [y0, y1] = y.domain() as [number, number];
  // A logarithmic scale gives every digit; decades are enough where there are some.
  const chosen = (ticks: number[], most: number): number[] => {
    const decades = props.log ? ticks.filter(decade) : [];
    const list = decades.length >= 3 ? decades : ticks;
    const step = Math.ceil(list.length / most);
    return list.filter((_, i) => i % step === 0);
  };
  const rows = chosen(y.ticks(5), 6);
  const columns = chosen(x.ticks(6), Math.max(2, Math.floor(props.width / 80)));
  const rowNames = tickNames(rows);
  const columnNames = tickNames(columns);
  const inside = (place: number, name: string): number => Math.min(place, props.width - 4 * name.length - 1);
  return (
    <g>
      {rows.map((tick, i) => (
        <g>
          <path class="grid" d={`M${x(x0)},${y(tick)}H${x(x1)}`} />
          <text class="tick" x={x(x0) - 6} y={y(tick) + 4} text-anchor="end">{rowNames[i]}</text>
        </g>
      ))}
      {columns.map((tick, i) => (
        <g>
          <path class="grid" d={`M${x(tick)},${y(y0)}V${y(y1)}`} />
          <text class="tick" x={inside(x(tick), columnNames[i]!)} y={y(y0) + 16} text-anchor="middle">{columnNames[i]}</text>
        </g>
      ))}
      <path class="axis" d={`M${x(x0)},${y(y1)}V${y(y0)}H${x(x1)}`} />
      <text class="name" x={x(x1)} y={y(y0) + 34} text-anchor="end">{props.xName}</text>
      <text class="name" x={Math.max(2, x(x0) - 40)} y={y(y1) - 10}>{props.yName}</text>
    </g>
  );
}

// What the pointer or the keyboard has reached, in words.
export function Readout(props: { children: ComponentChildren }): VNode {
  return <p class="readout" aria-live="polite">{props.children}</p>;
}
