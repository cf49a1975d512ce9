// SPDX-License-Identifier: MIT
// What src/page/data.cpp wrote into the page.

export interface Point {
  contender: string;
  shape: string;
  level: string;
  x: number;
  y: number;
  measured: boolean;
  colour: number;
  attempt: number;
}

export interface Roofline {
  gpu: string;
  compute: { name: string; tflops: number }[];
  memory: { name: string; gb: number }[];
  points: Point[];
}

export interface Contender {
  name: string;
  times: string;
  clocks: string;
  interval: [number, number];
  throttled: number[];
}

// Values are numbers of their column's list; ratios are times of the best, null where a configuration failed.
export interface Tuning {
  columns: { name: string; values: string[]; numbers: boolean }[];
  across: number;
  down: number | null;
  best: number;
  rows: number[][];
  ratios: (number | null)[];
  tied: number[];
  outcomes: string[];
  failures: Record<string, number>;
}

export interface Data {
  rooflines: Record<string, Roofline>;
  samples: Record<string, { contenders: Contender[] }>;
  tunings: Record<string, Tuning>;
  source: { counters: string[]; files: Record<string, Record<string, number[]>> };
}

export function readData(): Data {
  return JSON.parse(document.getElementById('data')!.textContent!) as Data;
}

// Little-endian float32 in base64.
export function floats(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const values = new Float32Array(bytes.length >> 2);
  for (let i = 0; i < values.length; ++i) values[i] = view.getFloat32(4 * i, true);
  return values;
}

// Three digits that count, as the page's own figures have.
export function short(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2);
  if (size >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}
