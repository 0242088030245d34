// The app of a running venue in a browser.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { HANGS_MS } from '../../scripts/chromium.ts'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'

export interface AppPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Violations of the Content-Security-Policy, and scripts that failed: there must be none. */
  readonly problems: string[]
  close(): Promise<void>
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

/** Looks in which every screen is gone through: each theme and each width, and where tests run at full length each theme at each width. */
export const LOOKS = lengthOf<readonly Required<Pick<PageOptions, 'theme' | 'width'>>[]>({
  short: [
    { theme: 'light', width: 390 },
    { theme: 'dark', width: 1440 },
  ],
  whole: [390, 1440].flatMap((width) => [
    { theme: 'light', width },
    { theme: 'dark', width },
  ]),
})

/** A new user's browser, without cookies or keys of others. */
export async function openApp(browser: Browser, url: string, options: PageOptions = {}): Promise<AppPage> {
  const { theme = 'light', width = 1440, height = 900 } = options
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true })
  const page = await context.newPage()
  page.setDefaultTimeout(HANGS_MS)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`))
  page.on('console', (message) => {
    if (/Content.Security.Policy|TrustedHTML|TrustedScript/i.test(message.text())) problems.push(message.text())
  })
  await page.goto(url)
  return { page, context, problems, close: () => context.close() }
}
