// The Chromium in which the app and the client library are tested.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The shell first: the same engine without the windows around it takes half the processor time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Everything is waited for by its state; this is for what hangs, on a machine however slow. */
export const HANGS_MS = 240_000

/** Starts the browser of this machine, or the one that CHROMIUM names. Without one there is a failure, and no reason to skip. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    timeout: HANGS_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })

function chromiumPath(): string {
  const told = process.env.CHROMIUM
  const path = [told, ...PLACES].find((one) => one && existsSync(one))
  if (path && (!told || path === told)) return path
  throw new Error(
    `${told ? `CHROMIUM is ${told}, which is not there.` : 'The tests in a browser need Chromium.'} Install Debian's package ` +
      '(apt-get install chromium-headless-shell), or set CHROMIUM to the path of a Chromium or Chrome of yours.',
  )
}
