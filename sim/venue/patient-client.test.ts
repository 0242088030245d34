import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { PatientClient } from './patient-client.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** A venue that answers in turn with these, each of an HTTP status and a code. */
async function venueOf(answers: [status: number, code: number][]): Promise<PatientClient> {
  server = createServer((_, response) => {
    const [status, code] = answers.shift() ?? [200, 200]
    response.writeHead(status, { connection: 'close' }).end(JSON.stringify({ code, data: 'done' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const key = { apiKey: 'a'.repeat(32), apiSecret: 'b'.repeat(64) }
  return new PatientClient({ baseUrls: [`http://127.0.0.1:${port}`], chainId: 31_337, productType: 'stock', key })
}

it('asks again where the venue could not say anything just now', async () => {
  const answers = [
    [503, 10_001],
    [400, 10_003],
    [429, 42_900],
    [200, 200],
  ] as [number, number][]
  const client = await venueOf(answers)
  expect(await client.data(client.post('/api/v1/cash/deposits/calldata', {}))).toBe('done')
  expect(answers).toEqual([])
})

it('asks once what the venue refuses', async () => {
  const answers = [
    [400, 40_001],
    [200, 200],
  ] as [number, number][]
  const client = await venueOf(answers)
  await expect(client.data(client.get('/api/v1/config'))).rejects.toThrow('code 40001')
  expect(answers).toHaveLength(1)
})
