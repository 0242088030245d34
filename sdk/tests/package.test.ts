import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSdk } from '../../scripts/build-sdk.ts'

// By its path: vitest has Node look for packages as those who develop them do, to whom this one gives sources that Node does not run.
const { checkPackage, createPackageFromTarballData }: typeof import('@arethetypeswrong/core') = await import(
  join(import.meta.dirname, '../../node_modules/@arethetypeswrong/core/dist/index.js')
)

let folder: string
let built: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-sdk-'))
  built = join(folder, 'package')
  buildSdk(built)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package as it is published', () => {
  it('has nothing that publint finds wrong', async () => {
    const { messages, pkg } = await publint({ pkgDir: built, pack: false, strict: true })
    expect(messages).toEqual([])
    expect(Object.keys(pkg?.exports ?? {})).toEqual(['./stock', './perp', './wallet'])
  })

  it('has types that every way of resolving modules finds', async () => {
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: built })
    const tarball = await readFile(join(folder, 'bourse-sdk-0.1.0.tgz'))
    const result = await checkPackage(createPackageFromTarballData(tarball))
    if (!result.types) throw new Error('the package has no types')
    expect(Object.keys(result.entrypoints)).toEqual(expect.arrayContaining(['./stock', './perp', './wallet']))
    // It is of modules alone, with an entry for each product: what knows neither cannot use it.
    const wrong = result.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    )
    expect(wrong).toEqual([])
  })

  it('runs as what it was built to', async () => {
    const { createClient, getConfig } = await import(join(built, 'stock', 'index.js'))
    const transport = async () => new Response('{"code":200,"errMsg":"","data":{"buyFeeRate":0.1},"uuid":"u","t":1}')
    const signer = { apiKey: 'k', secret: 's' }
    const client = createClient({ baseUrl: 'http://x', chainId: 1, productType: 'B', signer, transport })
    expect(await getConfig(client)).toEqual({ buyFeeRate: '0.1' })
  })
})
