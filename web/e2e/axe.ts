import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Puts axe into a page. Not by a script element, which the Content-Security-Policy would have to allow. */
export const addAxe = (page: Page): Promise<unknown> => page.evaluate(readFileSync(AXE, 'utf8'))

/** What axe finds on the screen as it is, by WCAG 2.2 AA, and whether it is wider than the window. */
export async function findings(page: Page): Promise<readonly string[]> {
  const { violations } = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })',
  )) as { violations: readonly Finding[] }
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
  return wide > 0 ? [...found, `${wide} pixels wider than the screen`] : found
}
