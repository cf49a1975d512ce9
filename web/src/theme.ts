// SPDX-License-Identifier: MIT
// Light or dark: the system's choice, or the reader's, which the URL's fragment keeps ("#speed&theme=dark").

type Theme = 'light' | 'dark';

function fragment(): { place: string; theme: Theme | null } {
  const [place = '', ...options] = location.hash.slice(1).split('&');
  const theme = options.find((option) => option.startsWith('theme='))?.slice(6);
  return { place, theme: theme === 'light' || theme === 'dark' ? theme : null };
}

export function place(): string {
  return fragment().place;
}

export function startTheme(): void {
  let theme = fragment().theme;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'theme';
  const shown = (): Theme => theme ?? (system.matches ? 'dark' : 'light');
  const apply = (): void => {
    if (theme) document.documentElement.dataset['theme'] = theme;
    button.textContent = shown() === 'dark' ? 'Light colours' : 'Dark colours';
  };
  const keep = (): void => {
    if (theme && fragment().theme !== theme) history.replaceState(null, '', `#${fragment().place}&theme=${theme}`);
  };
  button.addEventListener('click', () => {
    theme = shown() === 'dark' ? 'light' : 'dark';
    apply();
    keep();
    document.dispatchEvent(new Event('themechange'));
  });
  system.addEventListener('change', () => {
    apply();
    document.dispatchEvent(new Event('themechange'));
  });
  addEventListener('hashchange', keep);
  document.querySelector('body > header')?.prepend(button);
  apply();
}
