import { join } from 'node:path'
import { defineConfig } from 'vite'
import { compressed } from './compress.ts'
import { scalarBundle } from './scalar.ts'

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [scalarBundle(), compressed()],
  build: {
    rolldownOptions: {
      // The app, and the page of the reference.
      input: ['index.html', 'docs.html'].map((page) => join(import.meta.dirname, page)),
    },
    outDir: 'dist',
    target: 'es2023',
    // The polyfill is an inline script, which the Content-Security-Policy refuses.
    modulePreload: { polyfill: false },
    // Nothing inlined as data: URLs either.
    assetsInlineLimit: 0,
  },
})
