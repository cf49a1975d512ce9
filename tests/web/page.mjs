// SPDX-License-Identifier: MIT
// Pages of the example project, opened in Chromium. Any request but for the file itself, any error of a page and any
// dialog fails the test that opened it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = createRequire(join(root, 'web/package.json'));
const { chromium } = packages('playwright-core');
export const axe = packages.resolve('axe-core/axe.min.js');

export function makeExample() {
  const folder = mkdtempSync(join(tmpdir(), 'assay-page-'));
  const parts = JSON.parse(execFileSync(process.env.ASSAY_WRITE_EXAMPLE, [folder], { encoding: 'utf8' }));
  const report = (name, words) => {
    const file = join(folder, name);
    execFileSync(process.env.ASSAY_PROGRAM, ['report', ...words.map(String), '--out', file, '--ledger', parts.ledger], { cwd: folder });
    return file;
  };
  return { folder, parts, report, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function startBrowser() {
  return chromium.launch({ executablePath: process.env.ASSAY_CHROMIUM, args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
}

export async function openPage(browser, file, options = {}) {
  const { width = 1200, height = 900, scheme = 'light', script = true, fragment = '', bypassCSP = false } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline: true, javaScriptEnabled: script, bypassCSP });
  const page = await context.newPage();
  const troubles = [];
  const url = pathToFileURL(file).href;
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url && !request.url().startsWith('data:')) troubles.push(`request: ${request.url()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(url + fragment);
  if (script) await page.waitForFunction(() => document.documentElement.dataset.ready === 'true');
  return {
    page,
    close: async () => {
      await context.close();
      assert.deepEqual(troubles, []);
    },
  };
}

// Scrolls through, until every chart that waits to be seen is there.
export async function seeAll(page) {
  await page.evaluate(async () => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
    const waiting = () => document.querySelector('figure[data-chart]');
    for (let figure = waiting(); figure; figure = waiting()) {
      figure.scrollIntoView({ behavior: 'instant' });
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
    }
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    scrollTo({ top: 0, behavior: 'instant' });
  });
}
