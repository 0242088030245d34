// Builds the client library as it is published: JavaScript with declarations, and the package.json whose exports are those of
// `publishConfig`. `node scripts/build-sdk.ts [folder]` writes into sdk/dist unless told otherwise; `npm publish` of that folder does
// the rest.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
const sdk = join(root, 'sdk')

export function buildSdk(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const compiler = join(root, 'node_modules', '.bin', 'tsc')
  const { status, stdout } = spawnSync(compiler, ['-p', join(sdk, 'tsconfig.build.json'), '--outDir', folder], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the client library does not compile:\n${stdout}`)
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  const { exports, ...rest } = publishConfig
  const published = { ...manifest, exports, publishConfig: rest }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(join(sdk, 'README.md'), join(folder, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

if (import.meta.main) buildSdk(resolve(process.argv[2] ?? join(sdk, 'dist')))
