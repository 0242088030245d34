import { createServer } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net'
import { expect, it } from 'vitest'
import { isPublicAddress, WebhookSender, webhookUrl } from './webhook-target.ts'

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  'not an address',
])('%s is not of the public internet', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450::1'])(
  '%s is of the public internet',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

it.each([
  'http://example.com/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://user:secret@example.com/',
  'https://example.com/#part',
  'ftp://example.com/',
  'file:///etc/passwd',
  'example.com',
  `https://example.com/${'x'.repeat(2048)}`,
])('%s is no address for a production venue', (url) => {
  expect(() => webhookUrl(url, 'public')).toThrow()
})

it('takes public addresses, and others where a venue is for development', () => {
  expect(webhookUrl('https://example.com/hook?a=1', 'public').href).toBe('https://example.com/hook?a=1')
  expect(webhookUrl('http://127.0.0.1:9/', 'any').port).toBe('9')
})

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return (server.address() as AddressInfo).port
}

const request = (url: string) => ({
  url: new URL(url),
  headers: {},
  body: '{}',
  timeoutMs: 5000,
  signal: new AbortController().signal,
})

it.each([
  ['an answer', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
  [
    'a change of the protocol',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nmore',
    101,
  ],
  ['one without its headers', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 101],
  [
    'one behind an answer',
    'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    200,
  ],
  ['an answer that breaks off', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 200],
])('takes %s for its status, and is free for the next', async (_name, answer, status) => {
  const server = createRawServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.write(answer))
  })
  const url = `http://127.0.0.1:${await portOf(server)}/`
  const sender = new WebhookSender('any')
  try {
    for (let nth = 0; nth < 5; nth++) expect(await sender.post(request(url))).toBe(status)
  } finally {
    sender.close()
    server.close()
  }
})

it('refuses a name at the moment of the connection when it leads inside', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end()
  })
  const port = await portOf(server)
  const [strict, open] = [new WebhookSender('public'), new WebhookSender('any')]
  try {
    await expect(strict.post(request(`https://localhost:${port}/`))).rejects.toThrow('not of the public internet')
    await expect(strict.post(request(`http://127.0.0.1:${port}/`))).rejects.toThrow('https://')
    expect(requests).toBe(0)
    expect(await open.post(request(`http://localhost:${port}/`))).toBe(200)
    expect(requests).toBe(1)
  } finally {
    strict.close()
    open.close()
    server.closeAllConnections()
    server.close()
  }
})
