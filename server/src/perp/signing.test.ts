import { fetchMmTickers, httpClient } from '@synfutures/perpv3-ts/apis'
import { describe, expect, it } from 'vitest'
import { HmacSha256 } from '../auth/hmac.ts'
import { signatureBytes, signedBodies, signedHeads, signedTargets } from './signing.ts'

// What each style of client signs of a request that it sends (perp-api 1.4), written out: C1 is a TypeScript client that keeps its
// own encoding and sorts a body's outermost keys, SDK is the published package, Python the sample of the documentation.

const bodies = (sent: string, method = 'POST') =>
  signedBodies({ method, rawBody: Buffer.from(sent) }).map((body) => body.toString())

describe('the target of a request', () => {
  it.each([
    ['any', '/p', '/p'],
    ['any: an empty query', '/p?', '/p?'],
    ['SDK', '/p?b=2&a=1&c=3', '/p?a=1&b=2&c=3'],
    ['SDK', '/p?symbol=BTC/USDC', '/p?symbol=BTC%2FUSDC'],
    ['SDK', '/p?tags=tag1&tags=tag2&symbol=BTC', '/p?symbol=BTC&tags=tag1&tags=tag2'],
    ['SDK', '/p?tags=2&symbol=B&tags=1', '/p?symbol=B&tags=2&tags=1'],
    ['SDK', '/p?q=a%20b&n=~*', '/p?n=%7E*&q=a+b'],
    ['SDK', '/p?b=&a', '/p?a=&b='],
    ['Python', '/p?symbol=BTC/USDC', '/p?symbol=BTC%2FUSDC'],
    ['Python', '/p?q=a%20b&n=~*', '/p?n=~%2A&q=a+b'],
    ['Python', '/p?n=%7E%2A', '/p?n=~%2A'],
    ['Python', '/p?tags=2&symbol=B&tags=1', '/p?symbol=B&tags=2&tags=1'],
    ['Python', '/p?b=&a=%C3%A9', '/p?a=%C3%A9&b='],
    ['C1', '/p?symbol=BTC/USDC&interval=1h', '/p?interval=1h&symbol=BTC/USDC'],
    ['C1', '/p?q=a%20b&n=~*', '/p?n=~*&q=a%20b'],
    ['C1', '/p?q=a+b&n=%7e%2a', '/p?n=%7e%2a&q=a+b'],
    ['C1', '/p?tags=2&symbol=B&tags=1', '/p?symbol=B&tags=2&tags=1'],
    ['C1: by the decoded name', '/p?%62=1&a=2', '/p?a=2&%62=1'],
  ])('is signed by %s: %s as %s', (_, sent, signed) => {
    expect(signedTargets(sent)).toContain(signed)
  })

  it.each([
    ['unsorted', '/p?b=2&a=1', '/p?b=2&a=1'],
    ['with repeated names in another order', '/p?tags=2&tags=1', '/p?tags=1&tags=2'],
    ['without the mark of an empty query', '/p?', '/p'],
    ['without a query', '/p?a=1', '/p'],
  ])('is not signed %s', (_, sent, signed) => {
    expect(signedTargets(sent)).not.toContain(signed)
  })
})

const PREVIEW = '{"params":{"size":"0.01","instrument":"BTC/USDC"},"action":"market"}'
const SCALED = '{"side":2,"orders":[{"size":"1","price":"2"}],"n":{"b":[{"z":1,"y":2}],"a":1.50}}'

describe('the body of a request', () => {
  it.each([
    ['any, as sent', PREVIEW, PREVIEW],
    ['any, without one', '', ''],
    ['a form', 'b=2&a=1', 'b=2&a=1'],
    ['SDK', '{"z":3,"a":1,"m":2}', '{"a":1,"m":2,"z":3}'],
    ['SDK', '{"orderIds":["2","1"],"expiry":1}', '{"expiry":1,"orderIds":["2","1"]}'],
    ['Python', PREVIEW, '{"action":"market","params":{"instrument":"BTC/USDC","size":"0.01"}}'],
    ['Python', '{ "z": {"b": 1.50, "a": "\\u00e9"}, "a": 1e2 }', '{"a":1e2,"z":{"a":"\\u00e9","b":1.50}}'],
    ['Python', SCALED, '{"n":{"a":1.50,"b":[{"y":2,"z":1}]},"orders":[{"price":"2","size":"1"}],"side":2}'],
    ['C1', '{"z":3,"a":1,"m":2}', '{"a":1,"m":2,"z":3}'],
    ['C1', PREVIEW, '{"action":"market","params":{"size":"0.01","instrument":"BTC/USDC"}}'],
    ['C1', SCALED, '{"n":{"b":[{"z":1,"y":2}],"a":1.50},"orders":[{"size":"1","price":"2"}],"side":2}'],
    ['C1', '{"b":"é \\" }","a":{"d":-0.0,"c":"\\u00e9"}}', '{"a":{"d":-0.0,"c":"\\u00e9"},"b":"é \\" }"}'],
  ])('is signed by %s: %s as %s', (_, sent, signed) => {
    expect(bodies(sent)).toContain(signed)
  })

  it.each([
    ['with a number spelled otherwise', '{"b":{"d":1.50,"c":1},"a":1}', '{"a":1,"b":{"d":1.5,"c":1}}'],
    ['with an escape spelled otherwise', '{"b":{"d":"\\u00e9","c":1},"a":1}', '{"a":1,"b":{"d":"é","c":1}}'],
    ['with a name once that it has twice', '{"b":{"d":1,"c":1},"a":1,"a":2}', '{"a":2,"b":{"d":1,"c":1}}'],
    ['with names that repeat in another order', '{"b":{"d":1,"c":1},"a":2,"a":1}', '{"a":1,"a":2,"b":{"d":1,"c":1}}'],
    ['with a list in another order', '{"b":[2,1],"a":{"d":1,"c":1}}', '{"a":{"d":1,"c":1},"b":[1,2]}'],
    // So the published package would: it drops the keys of inner objects that are none of the outermost.
    ['without what it holds inside', PREVIEW, '{"action":"market","params":{}}'],
  ])('is not signed %s', (_, sent, signed) => {
    expect(bodies(sent)).not.toContain(signed)
  })

  it('has three forms at most, each once, and none but its bytes when it is no JSON', () => {
    expect(bodies(PREVIEW)).toHaveLength(3)
    expect(bodies('{"z":3,"a":1}')).toEqual(['{"z":3,"a":1}', '{"a":1,"z":3}'])
    expect(bodies('{"a":{"d":1,"c":2},"b":1}')).toEqual(['{"a":{"d":1,"c":2},"b":1}', '{"a":{"c":2,"d":1},"b":1}'])
    expect(bodies('{"a":1,"b":2}')).toEqual(['{"a":1,"b":2}'])
    expect(bodies('{"b":1,"a"')).toEqual(['{"b":1,"a"'])
  })

  it('is not signed with a DELETE', () => {
    expect(bodies('{"a":1}', 'DELETE')).toEqual([''])
  })
})

describe('what the published package sends', () => {
  it('is signed as one of the forms', async () => {
    const { client } = httpClient as unknown as { client: { defaults: { adapter?: unknown } } }
    const before = client.defaults.adapter
    const sent: { url: string; headers: Record<string, string> }[] = []
    client.defaults.adapter = async (config: (typeof sent)[number]) => {
      sent.push(config)
      return { data: { code: 0, msg: '', data: [] }, status: 200, statusText: '', headers: {}, config }
    }
    const secretKey = 'secret'
    try {
      for (const symbol of ['BTC/USDC', 'a b~*&é=?']) {
        await fetchMmTickers({ chainId: 143, symbol }, { apiKey: 'k', passphrase: 'p', secretKey })
      }
    } finally {
      client.defaults.adapter = before
    }
    expect(sent).toHaveLength(2)
    for (const { url, headers } of sent) {
      const given = signatureBytes(headers['X-ACCESS-SIGN'] ?? '')
      const heads = signedHeads(headers['X-ACCESS-TIMESTAMP'] ?? '', 'GET', url)
      const digests = heads.map((head) => new HmacSha256(secretKey).hex(head, Buffer.alloc(0)))
      expect(digests, url).toContain(given?.toString('hex'))
    }
  })
})
