import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP relay before a server, which can fail as networks do. */
export interface Wire {
  /** The server's URL with the relay in the server's place. */
  readonly url: string
  /**
   * While on, nothing is passed on and connections stay open, or nothing of what the server says: it gets requests, and its
   * answers are lost. At its end all connections are cut.
   */
  hang(on: boolean | 'answers'): void
  /** The connections that are open now pass nothing on any more and stay open; new ones work, as when a name leads to another host. */
  abandon(): void
  /** While on, connections are cut and new ones refused. */
  cut(on: boolean): Promise<void>
  /** How often the clients have said something and then been answered. */
  exchanges(): number
  close(): Promise<void>
}

/**
 * @param answersAfterMs how long what the server says is under way: whatever is said meanwhile is one exchange
 * @param dropsSettings passes on who connects to what, and none of the settings that a client begins with, as poolers do
 */
export async function startWire(target: string, { answersAfterMs = 0, dropsSettings = false } = {}): Promise<Wire> {
  const url = new URL(target)
  const [host, port] = [url.hostname, Number(url.port)]
  const ends = new Set<Socket>()
  const abandoned = new WeakSet<Socket>()
  let hanging: boolean | 'answers' = false
  let exchanges = 0
  const pass = (near: Socket) => {
    const far = connect(port, host)
    let isAsked = false
    let isFirst = true
    const ask = (chunk: Buffer) => {
      if (!isAsked) exchanges++
      isAsked = true
      far.write(isFirst && dropsSettings ? withoutSettings(chunk) : chunk)
      isFirst = false
    }
    const answer = (chunk: Buffer) => {
      isAsked = false
      near.write(chunk)
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from)
      from.on('data', (chunk) => {
        const isHeld = abandoned.has(from) || hanging === true || (hanging === 'answers' && from === far)
        if (isHeld) return
        if (from === near) ask(chunk)
        else if (answersAfterMs > 0) setTimeout(answer, answersAfterMs, chunk)
        else answer(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        ends.delete(from)
        to.destroy()
      })
    }
  }
  let relay = await listening(pass, 0)
  url.hostname = '127.0.0.1'
  url.port = String((relay.address() as AddressInfo).port)
  const stop = async () => {
    const stopped = new Promise((resolve) => relay.close(resolve))
    for (const end of ends) end.destroy()
    await stopped
  }
  return {
    url: url.href,
    hang(on) {
      hanging = on
      if (!on) for (const end of ends) end.destroy()
    },
    abandon() {
      for (const end of ends) abandoned.add(end)
    },
    async cut(on) {
      if (on) await stop()
      else relay = await listening(pass, Number(url.port))
    },
    exchanges: () => exchanges,
    close: stop,
  }
}

function listening(pass: (near: Socket) => void, port: number): Promise<Server> {
  const relay = createServer(pass)
  return new Promise((resolve) => relay.listen(port, '127.0.0.1', () => resolve(relay)))
}

const CONNECTION_FIELDS = ['user', 'database', 'application_name', 'client_encoding']

/** A client's first message: length, protocol, and names with values, each ended by a zero. */
function withoutSettings(message: Buffer): Buffer {
  const words = message.subarray(8).toString().split('\0')
  const kept: string[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [name = '', value = ''] = words.slice(at, at + 2)
    if (CONNECTION_FIELDS.includes(name)) kept.push(name, value)
  }
  const fields = Buffer.from(`${kept.map((word) => `${word}\0`).join('')}\0`)
  const head = Buffer.from(message.subarray(0, 8))
  head.writeUInt32BE(head.length + fields.length)
  return Buffer.concat([head, fields])
}
