// SPDX-License-Identifier: MIT
// Long traces on a canvas (uPlot): drag to zoom, double click to see all again. Short ones stay as they were drawn.
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import uPlot from 'uplot';
import { useWidth } from './chart';
import { floats, short, type Contender } from './data';

export const kLong = 1500;  // samples; src/page/samples.cpp draws fewer one by one

export function isLong(contenders: Contender[]): boolean {
  return contenders.some((each) => (each.times.length * 3) / 16 > kLong);
}

function colour(index: number): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--c${index % 7}`).trim();
}

function plot(contenders: Contender[], width: number, into: HTMLElement): uPlot {
  const times = contenders.map((each) => floats(each.times));
  const clocks = contenders.map((each) => (each.clocks ? floats(each.clocks) : null));
  const length = Math.max(...times.map((each) => each.length));
  const ink = getComputedStyle(document.body).color;
  const grid = getComputedStyle(document.documentElement).getPropertyValue('--grid').trim();
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
  const value = (unit: string) => (_: uPlot, v: number | null) => (v === null ? '' : `${short(v)} ${unit}`);
  const series: uPlot.Series[] = [{ label: 'sample' }];
  const data: (Float32Array | number[] | (number | null)[])[] = [Array.from({ length }, (_, i) => i)];
  contenders.forEach((each, i) => {
    const held = new Set(each.throttled);
    const all = Array.from(times[i]!);
    data.push(all.map((v, k) => (held.has(k) ? null : v)));
    series.push({ label: each.name, stroke: colour(i), paths: () => null, points: { show: true, size: 3, fill: colour(i) }, value: value('us') });
    if (held.size > 0) {
      data.push(all.map((v, k) => (held.has(k) ? v : null)));
      series.push({ label: `${each.name}, throttled`, stroke: colour(i), paths: () => null, points: { show: true, size: 6, fill: 'transparent' }, value: value('us') });
    }
  });
  const clocked = clocks.some((each) => each !== null);
  clocks.forEach((each, i) => {
    if (!each) return;
    data.push(Array.from(each, (v) => (v > 0 ? v : null)));
    series.push({ label: `${contenders[i]!.name}, MHz`, scale: 'MHz', stroke: colour(i), dash: [4, 3], width: 1, points: { show: false }, value: value('MHz') });
  });
  const axes: uPlot.Axis[] = [
    { ...axis, label: 'sample, in the order in which they were taken' },
    { ...axis, label: 'us of one call', size: 60 },
  ];
  if (clocked) axes.push({ ...axis, scale: 'MHz', side: 1, label: 'SM clock, MHz', grid: { show: false }, size: 60 });
  return new uPlot({ width, height: 320, scales: { x: { time: false } }, series, axes, cursor: { drag: { x: true, y: false } } }, data as uPlot.AlignedData, into);
}

export function TraceChart(props: { contenders: Contender[]; sentence: string }): VNode {
  const [box, width] = useWidth();
  useEffect(() => {
    if (width === 0 || !box.current) return;
    const into = box.current;
    let drawn = plot(props.contenders, width, into);
    const again = (): void => {
      drawn.destroy();
      drawn = plot(props.contenders, width, into);
    };
    document.addEventListener('themechange', again);
    return () => {
      document.removeEventListener('themechange', again);
      drawn.destroy();
    };
  }, [width]);
  return <div ref={box} class="trace" role="img" aria-label={props.sentence} />;
}
