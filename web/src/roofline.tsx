// SPDX-License-Identifier: MIT
// The roofline with switches for contenders, memory levels and roofs; every point can be reached by keyboard.
import { scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Axes, Readout, Switches, useOff, useWidth } from './chart';
import { short, type Point, type Roofline } from './data';

function describe(point: Point, data: Roofline): string {
  const bandwidth = data.memory[0]!.gb * 1e-3;
  const top = data.compute[0]!.tflops;
  const memory = point.x * bandwidth;
  const roof = Math.min(top, memory);
  const share = point.level.startsWith('bytes') || point.level === 'DRAM' ? `, ${short((100 * point.y) / roof)} % of the ${memory < top ? 'DRAM roof' : data.compute[0]!.name + ' roof'}` : '';
  return `${point.contender} ${point.shape}: ${short(point.y)} TFLOP/s at ${short(point.x)} FLOP per byte (${point.level}; ${point.measured ? 'measured' : 'estimated'})${share}`;
}

export function RooflineChart(props: { data: Roofline; sentence: string }): VNode {
  const { data } = props;
  const [box, width] = useWidth();
  const [off, flip] = useOff();
  const [current, setCurrent] = useState('');
  const height = width < 500 ? 300 : 420;
  const top = data.compute[0]!.tflops;
  const bandwidth = data.memory[0]!.gb * 1e-3;
  const ridge = top / bandwidth;
  const xs = data.points.map((point) => point.x);
  const ys = data.points.map((point) => point.y);
  const low = Math.min(top / 1e4, ...ys.map((y) => y / 2));
  const x = scaleLog([Math.min(ridge / 100, ...xs.map((v) => v / 2)), Math.max(ridge * 8, ...xs.map((v) => v * 2))], [58, Math.max(120, width - 14)]);
  const y = scaleLog([low, Math.max(top * 1.6, ...ys.map((v) => v * 2))], [height - 44, 28]);
  const contenders = [...new Map(data.points.map((point) => [point.contender, point.colour]))];
  const levels = [...new Set(data.points.map((point) => point.level))];
  const points = data.points.filter((point) => !off.has(point.contender) && !off.has(point.level));
  const roofs = data.compute.filter((roof) => !off.has(roof.name) && roof.tflops > low);
  const foot = Math.max(x.domain()[0]!, low / bandwidth);
  const highest = roofs[0]?.tflops ?? top;
  // A roof's name: above its line, below it where the next roof is near, nowhere if there is no room there either.
  const names: { roof: (typeof roofs)[number]; y: number }[] = [];
  roofs.forEach((roof, i) => {
    const line = y(roof.tflops);
    const before = names[names.length - 1]?.y ?? -100;
    const over = (i === 0 || line - y(roofs[i - 1]!.tflops) >= 22) && line - 5 - before >= 14;
    const place = line + (over ? -5 : 14);
    if (place - before >= 14) names.push({ roof, y: place });
  });
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const key = `${point.contender}/${point.attempt}`;
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  const join = line<Point>((point) => x(point.x), (point) => y(point.y));
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    const all = [...(box.current?.querySelectorAll<SVGElement>('circle') ?? [])];
    const at = all.indexOf(event.target as SVGElement);
    all[(at + step + all.length) % all.length]?.focus();
    event.preventDefault();
  };
  return (
    <div ref={box}>
      <Switches title="Contenders" names={contenders.map(([name]) => name)} colours={contenders.map(([, colour]) => colour)} off={off} flip={flip} />
      {levels.length > 1 && <Switches title="Memory levels" names={levels} off={off} flip={flip} />}
      <Switches title="Roofs" names={data.compute.map((roof) => roof.name)} off={off} flip={flip} />
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label={props.sentence} onKeyDown={move}>
          <Axes x={x} y={y} xName="FLOP per byte" yName="TFLOP/s" width={width} height={height} log />
          <path class="roof" d={`M${x(foot)},${y(foot * bandwidth)}L${x(highest / bandwidth)},${y(highest)}`} />
          {roofs.map((roof) => <path class="roof" d={`M${x(roof.tflops / bandwidth)},${y(roof.tflops)}H${x(x.domain()[1]!)}`} />)}
          {names.map((name) => <text class="label" x={x(x.domain()[1]!) - 2} y={name.y} text-anchor="end">{`${name.roof.name} ${short(name.roof.tflops)}`}</text>)}
          {[...groups.values()].map((group) => <path class={`join c${group[0]!.colour}`} d={join(group) ?? ''} />)}
          {points.map((point, i) => (
            <circle class={`point c${point.colour}${point.measured ? '' : ' hollow'}`} cx={x(point.x)} cy={y(point.y)} r={6} role="img" aria-label={describe(point, data)}
              tabindex={i === 0 ? 0 : -1} onMouseEnter={() => setCurrent(describe(point, data))} onFocus={() => setCurrent(describe(point, data))} />
          ))}
        </svg>
      )}
      <Readout>{current || 'Point at a mark, or reach the marks by Tab and the arrow keys.'}</Readout>
    </div>
  );
}
