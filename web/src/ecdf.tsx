// SPDX-License-Identifier: MIT
// The distribution of samples, with switches, and what share of each contender's samples is below the pointer.
import { scaleLinear, scaleLog } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Axes, Readout, Switches, useOff, useWidth } from './chart';
import { floats, short, type Contender } from './data';

interface Series {
  name: string;
  colour: number;
  sorted: Float32Array;
  interval: [number, number];
}

function share(sorted: Float32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low / sorted.length;
}

// One step for each pixel is all that can be seen.
function steps(series: Series, x: (value: number) => number, from: number): [number, number][] {
  const out: [number, number][] = [[from, 0]];
  let drawn = -Infinity;
  for (let i = 0; i < series.sorted.length; ++i) {
    const across = x(series.sorted[i]!);
    if (across < drawn + 0.7 && i + 1 < series.sorted.length) continue;
    out.push([series.sorted[i]!, (100 * (i + 1)) / series.sorted.length]);
    drawn = across;
  }
  return out;
}

export function EcdfChart(props: { contenders: Contender[]; sentence: string }): VNode {
  const [box, width] = useWidth();
  const [off, flip] = useOff();
  const [all, setAll] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const series = useMemo<Series[]>(() => props.contenders.map((each, i) => ({ name: each.name, colour: i % 7, sorted: floats(each.times).sort(), interval: each.interval })), [props.contenders]);
  const shown = series.filter((each) => !off.has(each.name));
  const height = width < 500 ? 230 : 300;
  const low = Math.min(...series.map((each) => each.sorted[0]!));
  const high = Math.max(...series.map((each) => each.sorted[all ? each.sorted.length - 1 : Math.floor(0.99 * (each.sorted.length - 1))]!));
  const room = Math.max((high - low) * 0.06, high * 0.002);
  const make = all && high / low > 20 ? scaleLog : scaleLinear;
  const x = make([Math.max(low / 2, low - room), high + room], [48, Math.max(100, width - 14)]);
  const y = scaleLinear([0, 100], [height - 44, 28]);
  const curve = line<[number, number]>((p) => x(p[0]), (p) => y(p[1])).curve(curveStepAfter);
  const right = x.domain()[1]!;
  const read = at === null ? '' : `At most ${short(at)} us: ` + shown.map((each) => `${each.name} ${(100 * share(each.sorted, at)).toFixed(1)} %`).join(', ');
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    setAt(Math.min(right, Math.max(low, (at ?? low) + (step * (high - low)) / 50)));
    event.preventDefault();
  };
  return (
    <div ref={box}>
      <Switches title="Contenders" names={series.map((each) => each.name)} colours={series.map((each) => each.colour)} off={off} flip={flip} />
      <label class="option">
        <input type="checkbox" checked={all} onChange={() => setAll(!all)} /> with the slowest 1 %
      </label>
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="slider" tabindex={0} aria-label={props.sentence} aria-valuetext={read || 'no place chosen'} aria-valuenow={at ?? low} aria-valuemin={low} aria-valuemax={right}
          onKeyDown={move} onMouseMove={(event) => setAt(Math.min(right, Math.max(x.domain()[0]!, x.invert(event.offsetX))))} onMouseLeave={() => setAt(null)}>
          <Axes x={x} y={y} xName="us of one call" yName="% of samples at most" width={width} height={height} />
          {shown.map((each) => <rect class={`interval c${each.colour}`} x={x(each.interval[0])} y={28} width={Math.max(0, x(each.interval[1]) - x(each.interval[0]))} height={height - 72} />)}
          {shown.map((each) => {
            const points = steps(each, x, x.domain()[0]!).filter((p) => p[0] <= right);
            const last = points[points.length - 1]!;
            return <path class={`curve c${each.colour} dash${each.colour % 4}`} d={curve([...points, [right, last[1]]]) ?? ''} />;
          })}
          {at !== null && <path class="cursor" d={`M${x(at)},${y(0)}V${y(100)}`} />}
        </svg>
      )}
      <Readout>{read || 'Point into the chart, or move by the arrow keys, to read shares.'}</Readout>
    </div>
  );
}
