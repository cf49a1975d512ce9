// SPDX-License-Identifier: MIT
// Builds dist/page.js, dist/page.css and dist/page.sha256, which src/page embeds. --check compares instead of writing.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const result = await build({
  absWorkingDir: here,
  entryPoints: { page: 'src/main.tsx' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'ascii',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  write: false,
});
const files = new Map();
for (const file of result.outputFiles) files.set(file.path.split('/').pop(), file.text);
// The page allows this script and no other.
files.set('page.sha256', createHash('sha256').update(files.get('page.js')).digest('base64') + '\n');

let different = false;
for (const [name, text] of files) {
  const path = join(here, 'dist', name);
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`${name}: ${text.length} bytes`);
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`web/dist/${name} is not what the sources make: npm run build --prefix web`);
    different = true;
  }
}
process.exit(different ? 1 : 0);
