// SPDX-License-Identifier: MIT
// What script adds to a page that reads without it. Charts in closed folds wait until they are opened.
import 'uplot/dist/uPlot.min.css';
import './page.css';
import { mount, sentence } from './chart';
import { readData } from './data';
import { EcdfChart } from './ecdf';
import { startListing } from './listing';
import { RooflineChart } from './roofline';
import { startTables } from './tables';
import { place, startTheme } from './theme';
import { isLong, TraceChart } from './trace';
import { startLines } from './tuning_lines';
import { MapChart } from './tuning_map';

// A link may lead into closed folds.
function reveal(): void {
  const target = place() === '' ? null : document.getElementById(place());
  if (!target) return;
  for (let fold = target.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true;
  target.scrollIntoView({ block: 'center' });
}

function liven(figure: HTMLElement): void {
  const id = figure.id;
  const kind = figure.dataset['chart'];
  delete figure.dataset['chart'];
  const samples = data.samples[id.replace(/-(ecdf|trace)$/, '')];
  const tuning = data.tunings[id.replace(/-(map|lines)$/, '')];
  const rows = id.replace(/^tuning(\d+)-.*$/, 'tuning-$1');
  if (kind === 'roofline' && data.rooflines[id]) mount(figure, <RooflineChart data={data.rooflines[id]!} sentence={sentence(figure)} />);
  if (kind === 'ecdf' && samples) mount(figure, <EcdfChart contenders={samples.contenders} sentence={sentence(figure)} />);
  if (kind === 'trace' && samples && isLong(samples.contenders)) mount(figure, <TraceChart contenders={samples.contenders} sentence={sentence(figure)} />);
  if (kind === 'map' && tuning) mount(figure, <MapChart tuning={tuning} prefix={rows} sentence={sentence(figure)} />);
  if (kind === 'lines' && tuning) startLines(figure, tuning, rows);
}

const data = readData();
document.documentElement.classList.add('scripted');
startTheme();
startTables();
startListing(data.source);
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    liven(entry.target as HTMLElement);
  }
}, { rootMargin: '400px' });
for (const figure of document.querySelectorAll<HTMLElement>('figure[data-chart]')) seen.observe(figure);
addEventListener('hashchange', reveal);
addEventListener('beforeprint', () => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
});
reveal();
document.documentElement.dataset['ready'] = 'true';
