import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** The app as browsers get it, built once for all tests if it is stale. */
export default function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '..', '..', 'scripts', 'build-app.mjs')], {
    stdio: 'inherit',
  })
}
