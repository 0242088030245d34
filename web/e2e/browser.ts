// A real Chromium, and the app of a running venue in it.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine. Without one nothing of the app can be tested, which is a failure and no reason to skip. */
function chromiumPath(): string {
  const told = process.env.CHROMIUM
  const path = [told, ...PLACES].find((one) => one && existsSync(one))
  if (path && (!told || path === told)) return path
  throw new Error(
    `${told ? `CHROMIUM is ${told}, which is not there.` : 'The tests of the app need Chromium.'} Install Debian's package ` +
      '(apt-get install chromium), or set CHROMIUM to the path of a Chromium or Chrome of yours.',
  )
}

/** Everything is waited for by its state; this is for what hangs, on a machine however slow. */
const HANGS_MS = 240_000

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    timeout: HANGS_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })

export interface AppPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Violations of the Content-Security-Policy, and scripts that failed: there must be none. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

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
