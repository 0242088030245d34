import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundled } from './bundle.ts'

const KB = 1024
const sources = join(import.meta.dirname, '..', 'src')
const gzipped = (code: string): number => gzipSync(code, { level: 9 }).length

describe.each(['stock', 'perp'])('the product %s', (product) => {
  it('is at most 12 KB, bundled whole, and needs nothing of Node', async () => {
    const { code, modules, imports } = await bundled(`export * from '${sources}/${product}/index.ts'`, sources)
    expect(gzipped(code)).toBeLessThanOrEqual(12 * KB)
    expect(imports).toEqual([])
    expect(modules.filter((id) => isBuiltin(id) || !(id.startsWith(sources) || id.startsWith('\0')))).toEqual([])
    expect(code).not.toMatch(/\bnode:|\bprocess\.|\bBuffer\b/)
  })

  it('costs only what is used of it', async () => {
    const all = await bundled(`export * from '${sources}/${product}/index.ts'`, sources)
    const few = `export { createClient, getOneClick } from '${sources}/${product}/index.ts'`
    const { code } = await bundled(few, sources)
    expect(gzipped(code)).toBeLessThan(gzipped(all.code) * 0.7)
    expect(code).toContain('1ct/status')
    expect(code).not.toContain('1ct/prepare')
  })
})
