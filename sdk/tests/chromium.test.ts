import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { bundled } from './bundle.ts'
import { pageServer } from './page-server.ts'
import type { Checked } from './vectors.ts'

let browser: Browser
let server: Awaited<ReturnType<typeof pageServer>>
beforeAll(async () => {
  const { code } = await bundled(
    `export { checkedVectors } from '${join(import.meta.dirname, 'vectors.ts')}'
     export { importKey, createClient, getConfig } from '${join(import.meta.dirname, '..', 'src', 'stock', 'index.ts')}'`,
    import.meta.dirname,
  )
  server = await pageServer(code)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

async function inPage<T>(program: string): Promise<T> {
  const page = await browser.newPage()
  await page.goto(server.url)
  return (await page.evaluate(`import('/script.js').then(async (sdk) => { ${program} })`)) as T
}

it('signs the vectors in Chromium as it does in Node', async () => {
  const checked = await inPage<Checked[]>('return sdk.checkedVectors()')
  expect(checked.length).toBeGreaterThan(15)
  for (const { name, expected, bySecret, byKey } of checked) {
    expect([name, bySecret, byKey]).toEqual([name, expected, expected])
  }
})

it('signs by a key that comes out of IndexedDB, and that nobody can read', async () => {
  const found = await inPage<{ isExtractable: boolean; hasSecret: boolean; sign: string }>(`
    const open = () => new Promise((resolve) => {
      const asked = indexedDB.open('keys', 1)
      asked.onupgradeneeded = () => asked.result.createObjectStore('keys')
      asked.onsuccess = () => resolve(asked.result)
    })
    const done = (asked) => new Promise((resolve) => { asked.onsuccess = () => resolve(asked.result) })
    const store = async (mode) => (await open()).transaction('keys', mode).objectStore('keys')
    await done((await store('readwrite')).put({ apiKey: 'k', key: await sdk.importKey('the secret') }, 'signer'))
    const signer = await done((await store('readonly')).get('signer'))
    let sign = ''
    const transport = async (_url, init) => {
      sign = init.headers['x-api-sign']
      return new Response('{"code":200,"errMsg":"","data":{},"uuid":"u","t":1}')
    }
    await sdk.getConfig(sdk.createClient({ baseUrl: '/stock', chainId: 1, productType: 'B', signer, transport }))
    return { isExtractable: signer.key.extractable, hasSecret: JSON.stringify(signer).includes('the secret'), sign }
  `)
  expect(found).toEqual({ isExtractable: false, hasSecret: false, sign: expect.stringMatching(/^[0-9a-f]{64}$/) })
})
