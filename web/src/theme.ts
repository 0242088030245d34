import { signal } from '@preact/signals'

export type Theme = 'light' | 'dark'

const stored = localStorage.getItem('theme')
const system = matchMedia('(prefers-color-scheme: dark)')

/** What was chosen on this device, else what the system prefers. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : system.matches ? 'dark' : 'light')

export function startTheme(): void {
  theme.subscribe((value) => {
    document.documentElement.dataset.theme = value
  })
  system.addEventListener('change', ({ matches }) => {
    if (!localStorage.getItem('theme')) theme.value = matches ? 'dark' : 'light'
  })
}

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
  localStorage.setItem('theme', theme.value)
}
