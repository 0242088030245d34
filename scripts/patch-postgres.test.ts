import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changes, mend } from './patch-postgres.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bourse-patch-'))
  for (const [file, pieces] of Object.entries(changes)) put(file, pieces.map(([from]) => from).join('\n'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const put = (file: string, text: string) => writeFileSync(join(folder, file), text)
const texts = () => Object.keys(changes).map((file) => readFileSync(join(folder, file), 'utf8'))

describe('the driver', () => {
  it('is mended once, however often the packages are installed', () => {
    mend(folder)
    const mended = texts()
    for (const [nth, pieces] of Object.values(changes).entries()) {
      for (const [, to] of pieces) expect(mended[nth]).toContain(to)
    }
    mend(folder)
    expect(texts()).toEqual(mended)
  })

  it.each(['', ', version 0123456789abcdef'])('that an earlier version has mended%s is refused as it is', (version) => {
    put(
      'queue.js',
      `// mended by scripts/patch-postgres.mjs${version}\n${readFileSync(join(folder, 'queue.js'), 'utf8')}`,
    )
    const before = texts()
    expect(() => mend(folder)).toThrow(/queue\.js was mended by another version of .+: npm ci$/)
    expect(texts()).toEqual(before)
  })

  it('of another text is refused', () => {
    put('queue.js', 'export default {}')
    const before = texts()
    expect(() => mend(folder)).toThrow('postgres/src/queue.js is not the text that is known')
    expect(texts()).toEqual(before)
  })
})
