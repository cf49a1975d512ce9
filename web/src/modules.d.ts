// SPDX-License-Identifier: MIT
declare module 'prismjs/components/prism-core' {
  const Prism: { manual: boolean; tokenize(text: string, grammar: unknown): unknown[]; languages: Record<string, unknown> };
  export default Prism;
}
declare module 'prismjs/components/prism-clike';
declare module 'prismjs/components/prism-c';
declare module 'prismjs/components/prism-cpp';
declare module '*.css';
